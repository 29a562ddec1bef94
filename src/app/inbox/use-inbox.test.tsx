import { act, cleanup, renderHook } from "@testing-library/react"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { BrowserRouter, MemoryRouter, useNavigate } from "react-router"
import { afterEach, expect, onTestFinished, test, vi } from "vitest"
import { isWaiting } from "../client/waiting.ts"
import { arrangeLines, type InboxLine } from "./inbox-lines.ts"
import { readInboxView } from "./inbox-view.ts"
import { type Found, useInbox } from "./use-inbox.ts"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../desk/watcher/testing/simulation.ts"

afterEach(cleanup)

const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={new QueryClient()}>
    <MemoryRouter initialEntries={["/approvals?item=apr%2F1"]}>{children}</MemoryRouter>
  </QueryClientProvider>
)

const nothing: readonly InboxLine[] = []
const options = {
  listed: nothing,
  waits: nothing,
  keys: new Set<string>(),
  view: "",
  kind: "approval",
  findSent: () => undefined,
} as const

test("an item is found by its id alone, and stays on the screen when it leaves the list", () => {
  let found: Found | undefined
  const { result, rerender } = renderHook(() => useInbox({ ...options, findWaiting: () => found }), { wrapper })
  expect(result.current).toMatchObject({ selected: undefined, notFound: true })
  found = { workId: "work_1", kind: "approval" }
  rerender()
  expect(result.current).toMatchObject({ selected: { id: ["work_1", "apr/1"] }, notFound: false })
  found = undefined
  rerender()
  expect(result.current).toMatchObject({ selected: { id: ["work_1", "apr/1"] }, notFound: false })
})

test("after a reload an item is found by what was sent about it", () => {
  const findSent = () => ({ workId: "work/2", kind: "approval" }) as const
  const { result } = renderHook(() => useInbox({ ...options, findSent, findWaiting: () => undefined }), { wrapper })
  expect(result.current).toMatchObject({ selected: { id: ["work/2", "apr/1"] }, notFound: false })
})

test("words that are found while a choice rests stay in the address", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  history.replaceState(null, "", "/approvals?sort=oldest")
  const approvals = [{ needs_you: true, work: workJson(fakeWork("work_1", 0)), item: fakeApproval("apr_1", {}) }]
  const answer = parseJson(JSON.stringify({ attention: [], approvals }))
  const entries = isWaiting(answer) ? answer.approvals : []
  const view = readInboxView(new URLSearchParams(location.search), "/approvals")
  const { listed: lines } = arrangeLines(entries, "/approvals", view, undefined, Date.now())
  expect(lines).toHaveLength(1)
  const keys = new Set(lines.map(({ key }) => key))
  const { result } = renderHook(
    () => ({
      inbox: useInbox({ ...options, listed: lines, waits: lines, keys, findWaiting: () => undefined }),
      navigate: useNavigate(),
    }),
    {
      wrapper: ({ children }: { children: ReactNode }) => (
        <QueryClientProvider client={new QueryClient()}>
          <BrowserRouter>{children}</BrowserRouter>
        </QueryClientProvider>
      ),
    },
  )
  act(() => result.current.inbox.next?.())
  expect(result.current.inbox.isAtRest).toBe(false)
  // Nothing is rendered before the end of `act`, as on a busy machine.
  act(() => {
    void result.current.navigate("/approvals?q=new", { replace: true })
    vi.advanceTimersByTime(1_000)
  })
  expect(location.search).toBe("?q=new")
})
