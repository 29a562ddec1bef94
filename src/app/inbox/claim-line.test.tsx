import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, expect, test, vi } from "vitest"
import type { Approval, Work } from "../../contract/resources.ts"
import { writeWaiting } from "../client/waiting.ts"
import { ClaimLine } from "./claim-line.tsx"

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const work = { id: "work_1" } as Work
const item = { id: "approval_1", work_id: "work_1", version: 1n } as Approval
const counts = { checked: 1, total: 1, oldest_check_at: null, complete: true }

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

test("an error of Take it goes when Bring back is pressed", async () => {
  vi.resetModules()
  const person = { id: "person_1", name: "Ada Lovelace", roles: ["approver"], operations: ["resolveWorkApproval"] }
  const session = { mode: "sign-in", person, teams: [], version: "1", ends_at: null }
  vi.stubGlobal("fetch", async (request: Request | string) => {
    const address = typeof request === "string" ? request : new URL(request.url).pathname
    if (address === "/desk/session") return Response.json(session)
    if (address === "/desk/assignment") return new Response("", { status: 503 })
    return Response.json({})
  })
  const { readSession } = await import("../client/session.ts")
  await readSession()
  const fresh = await import("./claim-line.tsx")
  const client = new QueryClient()
  const aside = { until: "2099-01-01T09:00:00Z" }
  const waiting = { clarifications: [], approvals: [{ work, item, aside }], ...counts }
  writeWaiting(client, { waiting, error: undefined })
  render(
    <QueryClientProvider client={client}>
      <fresh.ClaimLine kind="approval" id={["work_1", "approval_1"]} text="" current onAside={undefined} />
    </QueryClientProvider>,
  )
  const take = screen.getByRole("button", { name: "Take it" })
  await vi.waitFor(() => expect(take.getAttribute("aria-disabled")).toBeNull(), { timeout: 3_000 })
  fireEvent.click(take)
  await screen.findByRole("alert")
  fireEvent.click(screen.getByRole("button", { name: "Bring back" }))
  await vi.waitFor(() => expect(screen.queryByRole("alert")).toBeNull())
})
