import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, renderHook } from "@testing-library/react"
import type { ReactNode } from "react"
import { MemoryRouter } from "react-router"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { useEntryOf } from "../client/team-changes.ts"
import { setOwner } from "../client/storage.ts"
import { useIsComplete, useWaiting, type Waiting } from "../client/waiting.ts"
import { writeWaiting } from "../client/write-waiting.ts"
import { useWaitingCounts } from "./waiting-counts.ts"
import { WaitingSigns } from "./waiting-signs.ts"

setOwner("local")

const empty: Waiting = {
  clarifications: [],
  approvals: [],
  checked: 0,
  total: 500,
  complete: false,
  oldest_check_at: null,
}
const client = new QueryClient()
/** TanStack Query tells its observers in the next task. */
const answer = (waiting: Waiting) =>
  act(async () => {
    writeWaiting(client, { waiting, error: undefined })
    await new Promise((resolve) => setTimeout(resolve))
  })

beforeEach(() => writeWaiting(client, { waiting: empty, error: undefined }))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function countRenders(use: () => unknown): () => number {
  let renders = 0
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>
      <MemoryRouter>{children}</MemoryRouter>
    </QueryClientProvider>
  )
  renderHook(
    () => {
      renders += 1
      use()
    },
    { wrapper },
  )
  return () => renders
}

test.each([
  ["the numbers in the menu", useWaitingCounts],
  ["the title and the icons", WaitingSigns],
  ["the list of an inbox page", () => useWaiting(({ waiting }) => waiting?.approvals)],
  ["the card of an item", () => useEntryOf("approval", "work_1", "approval_1")],
])("while the desk only checks more Work, %s are not rendered again", async (_, use) => {
  const renders = countRenders(use)
  const line = countRenders(() => useWaiting((now) => now.waiting))
  const [before, linesBefore] = [renders(), line()]
  await answer({ ...empty, checked: 10 })
  await answer({ ...empty, checked: 20 })
  expect(line() - linesBefore).toBe(2)
  expect(renders() - before).toBe(0)
})

test("what can change is rendered when it changes", async () => {
  const isComplete = countRenders(useIsComplete)
  const counts = countRenders(useWaitingCounts)
  const before = [isComplete(), counts()]
  await answer({ ...empty, complete: true })
  expect([isComplete(), counts()]).toEqual(before.map((count) => count + 1))
})

test("the permission for notifications, which takes milliseconds to read, is not read for somebody who wants none", async () => {
  let reads = 0
  vi.stubGlobal("Notification", {
    get permission() {
      reads += 1
      return "default"
    },
  })
  countRenders(WaitingSigns)
  for (const checked of [10, 20]) await answer({ ...empty, approvals: [], checked })
  expect(reads).toBe(0)
})
