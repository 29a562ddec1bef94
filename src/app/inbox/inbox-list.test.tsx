import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../desk/watcher/testing/simulation.ts"
import { type DeskError, unreachable } from "../client/desk-error.ts"
import { setOwner } from "../client/storage.ts"
import { toWaiting, isWaiting, type Waiting } from "../client/waiting.ts"
import { writeWaiting } from "../client/write-waiting.ts"
import { arrangeLines } from "./inbox-lines.ts"
import { InboxList } from "./inbox-list.tsx"
import type { ItemMark } from "./inbox-row.tsx"
import { readInboxView } from "./inbox-view.ts"

const client = new QueryClient()
setOwner("local")
afterEach(cleanup)

type View = { error?: DeskError | null; query?: string; Mark?: ItemMark; frozen?: boolean }

function read(approvals: readonly object[], complete = true): Waiting | undefined {
  const answer = { attention: [], approvals, checked: 1, total: 1, complete, oldest_check_at: null }
  const parsed = parseJson(JSON.stringify(answer))
  return isWaiting(parsed) ? toWaiting(parsed) : undefined
}

/** The list of pending items, as the person `ada` sees it. */
function listOf(waiting: Waiting | undefined, { error = null, query = "", Mark, frozen = false }: View = {}) {
  writeWaiting(client, { waiting, error: undefined })
  const view = readInboxView(new URLSearchParams(query), "/approvals")
  const ada = { person: { id: "ada" }, teams: [] }
  const { listed, waits } = arrangeLines(waiting?.approvals ?? [], "/approvals", view, ada, 0)
  const rows = listed.map((item) => ({ item, gone: false }))
  return (
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <InboxList
          page="/approvals"
          inbox={{
            rows,
            frozen,
            notShown: 0,
            showAll: () => {},
            folded: 0,
            selectedKey: undefined,
            lastKey: undefined,
          }}
          error={error}
          view={view}
          found={[listed.length, waits.length]}
          others={0}
          Mark={Mark}
        />
      </MemoryRouter>
    </QueryClientProvider>
  )
}

const show = (approvals: readonly object[], view: View = {}) => render(listOf(read(approvals), view))

test("a title that mixes scripts within a word is marked in the list", () => {
  const work = workJson(fakeWork("work_1", 1, { json: { title: "\u041Ect\u043Ebe\u0433" } }))
  show([{ work, item: fakeApproval("1", { summary: "Pay p\u0430ypal" }) }])
  const words = screen.getByRole("link").textContent
  expect(words).toContain("Mixed scripts: Latin, Cyrillic in “p\u0430ypal”")
})

test("the items that the person has come first, even if they came after the last visit", () => {
  const work = workJson(fakeWork("work_1", 1))
  const older = { work, item: fakeApproval("1", { summary: "Older", created_at: "2020-01-01T00:00:00Z" }) }
  show([older]).unmount()
  const person = { id: "ada", name: "Ada" }
  const assignment = { to: { person }, by: person, at: "2999-01-01T00:00:00Z", etag: '"1"' }
  const own = { work, item: fakeApproval("2", { summary: "Own", created_at: "2999-01-01T00:00:00Z" }), assignment }
  show([older, own])
  expect(screen.getAllByRole("link").map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining("Own"),
    expect.stringContaining("Older"),
  ])
})

test.each([
  ["all pending items", {}, "No approvals need you."],
  ["the person's items", { query: "for=mine" }, "None of the approvals are yours"],
  ["items that nobody has", { query: "for=free" }, "No approvals are free"],
  ["items that match words", { query: "for=mine&q=penguin" }, "No approvals match"],
  ["all items, while the desk doesn't answer", { error: unreachable() }, "No approvals needed you at the last check."],
] as const)("an empty list of %s says so", (_, view, words) => {
  show([], view)
  expect(screen.getByRole("heading", { level: 2 }).textContent).toBe(words)
})

test("after a change, only the rows that changed are drawn again", () => {
  const entryOf = (id: string, summary: string) => ({
    work: workJson(fakeWork(`work_${id}`, Number(id))),
    item: fakeApproval(id, { summary }),
  })
  const drawn: string[] = []
  const Mark: ItemMark = ({ id }) => {
    drawn.push(id[1])
    return null
  }
  const before = read([entryOf("1", "First"), entryOf("2", "Second")]) ?? expect.unreachable()
  const { rerender } = render(listOf(before, { Mark }))
  expect(drawn).toEqual(["1", "2"])
  const [changed] = read([entryOf("2", "Second, changed")])?.approvals ?? []
  rerender(listOf({ ...before, approvals: [...before.approvals.slice(0, 1), ...(changed ? [changed] : [])] }, { Mark }))
  expect(screen.getByText("Second, changed")).toBeDefined()
  expect(drawn).toEqual(["1", "2", "2"])
})

test.each([
  ["while the desk still checks Work, since new items move the rows", { complete: false, frozen: false }, []],
  ["as soon as the person has touched the page", { complete: false, frozen: true }, ["1"]],
  ["as soon as the desk has checked all Work", { complete: true, frozen: false }, ["1"]],
])("the mark of a row: %s", (_, { complete, frozen }, marked) => {
  const drawn: string[] = []
  const Mark: ItemMark = ({ id }) => {
    drawn.push(id[1])
    return null
  }
  const entry = { work: workJson(fakeWork("work_1", 1)), item: fakeApproval("1", {}) }
  render(listOf(read([entry], complete), { Mark, frozen }))
  expect(drawn).toEqual(marked)
})
