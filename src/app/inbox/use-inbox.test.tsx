import { cleanup, renderHook } from "@testing-library/react"
import type { ReactNode } from "react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import type { InboxLine } from "./inbox-lines.ts"
import { useInbox } from "./use-inbox.ts"

afterEach(cleanup)

const wrapper = ({ children }: { children: ReactNode }) => (
  <MemoryRouter initialEntries={["/approvals?item=apr%2F1"]}>{children}</MemoryRouter>
)

const nothing: readonly InboxLine[] = []
const options = { listed: nothing, waits: nothing, keys: new Set<string>(), view: "", sentIds: () => [] }

test("an item is found by its id alone, and stays on the screen when it leaves the list", () => {
  let workId: string | undefined
  const { result, rerender } = renderHook(() => useInbox({ ...options, workIdOf: () => workId }), { wrapper })
  expect(result.current).toMatchObject({ selected: undefined, notFound: true })
  workId = "work_1"
  rerender()
  expect(result.current).toMatchObject({ selected: { id: ["work_1", "apr/1"] }, notFound: false })
  workId = undefined
  rerender()
  expect(result.current).toMatchObject({ selected: { id: ["work_1", "apr/1"] }, notFound: false })
})

test("after a reload an item is found by what was sent about it", () => {
  const sentIds = () => [["work/2", "apr/1"]] as const
  const { result } = renderHook(() => useInbox({ ...options, sentIds, workIdOf: () => undefined }), { wrapper })
  expect(result.current).toMatchObject({ selected: { id: ["work/2", "apr/1"] }, notFound: false })
})
