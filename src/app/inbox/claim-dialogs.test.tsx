import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, expect, test, vi } from "vitest"
import { compareClocks, deskNow } from "../client/clock.ts"
import { SetAside } from "./claim-dialogs.tsx"

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  // The clocks of this page serve the next test file too.
  compareClocks(new Date().toUTCString())
  expect(deskNow() - Date.now()).toBe(0)
})

test("9:00 of tomorrow is the same moment by the button and by the field, on a machine whose clock is wrong", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 23, 10, 30) })
  // The desk's clock says 12:30.
  compareClocks(new Date(2026, 10, 23, 12, 30).toUTCString())
  const put = vi.fn<(version: bigint, until: string) => Promise<void>>().mockResolvedValue()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SetAside isUrgent={false} decideBy={undefined} version={7n} onSetAside={put} onClose={() => undefined} />
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole("button", { name: "Tomorrow, 9:00" }))
  fireEvent.change(screen.getByLabelText("Day and time"), { target: { value: "2026-11-24T09:00" } })
  const nine = new Date(2026, 10, 24, 9).toISOString()
  // One request is sent at a time.
  await vi.waitFor(() => {
    fireEvent.click(screen.getByRole("button", { name: "Set aside until then" }))
    expect(put.mock.calls).toEqual([
      [7n, nine],
      [7n, nine],
    ])
  })
})
