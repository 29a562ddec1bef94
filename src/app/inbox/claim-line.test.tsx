import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, render } from "@testing-library/react"
import { afterEach, expect, test, vi } from "vitest"
import type { Approval, Work } from "../../contract/resources.ts"
import { writeWaiting } from "../client/waiting.ts"
import { ClaimLine } from "./claim-line.tsx"

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test("an item that came back is marked as seen when somebody sees it, and not in a hidden tab", async () => {
  const sent: string[] = []
  vi.stubGlobal("fetch", async ({ method, url }: Request) => {
    const { pathname } = new URL(url)
    // Where a test before this one has signed somebody in, the card also tells the desk who looks.
    if (pathname !== "/desk/presence") sent.push(`${method} ${pathname}`)
    return Response.json({ aside: null })
  })
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true)
  const client = new QueryClient()
  const work = { id: "work_1" } as Work
  const item = { id: "approval_1", work_id: "work_1", version: 1n } as Approval
  const counts = { checked: 1, total: 1, oldest_check_at: null, complete: true }
  const waiting = { clarifications: [], approvals: [{ work, item, back: true as const }], ...counts }
  writeWaiting(client, { waiting, error: undefined })
  render(
    <QueryClientProvider client={client}>
      <ClaimLine kind="approval" id={["work_1", "approval_1"]} text="" current onAside={undefined} />
    </QueryClientProvider>,
  )
  await act(async () => undefined)
  expect(sent).toEqual([])
  hidden.mockReturnValue(false)
  act(() => void document.dispatchEvent(new Event("visibilitychange")))
  await vi.waitFor(() => expect(sent).toEqual(["PUT /desk/aside"]))
})
