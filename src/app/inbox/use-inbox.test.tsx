import { cleanup, renderHook } from "@testing-library/react"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import type { InboxLine } from "./inbox-lines.ts"
import { type Found, useInbox } from "./use-inbox.ts"

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
