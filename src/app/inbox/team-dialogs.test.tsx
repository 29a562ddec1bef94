import { act, cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, expect, test, vi } from "vitest"
import { compareClocks, deskNow } from "../client/clock.ts"
import { SetAside } from "./team-dialogs.tsx"

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
  const put = vi.fn<(until: string) => Promise<void>>().mockResolvedValue()
  render(<SetAside isUrgent={false} decideBy={undefined} onSetAside={put} onClose={() => undefined} />)
  // One request is sent at a time.
  await act(() => Promise.resolve(fireEvent.click(screen.getByRole("button", { name: "Tomorrow, 9:00" }))))
  fireEvent.change(screen.getByLabelText("Day and time"), { target: { value: "2026-11-24T09:00" } })
  fireEvent.click(screen.getByRole("button", { name: "Set aside until then" }))
  const nine = new Date(2026, 10, 24, 9).toISOString()
  expect(put.mock.calls).toEqual([[nine], [nine]])
})
