import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../waiting/testing/simulation.ts"
import { type DeskError, unreachable } from "../client/desk-error.ts"
import { setOwner } from "../client/storage.ts"
import { readWaiting } from "../client/waiting.ts"
import { arrangeLines, readInboxView } from "./inbox-lines.ts"
import { InboxList } from "./inbox-list.tsx"

setOwner("local")
afterEach(cleanup)

type View = { error?: DeskError | null; only?: "mine" | "free" }

/** Shows the list of these approvals to the person `ada`. */
function show(approvals: readonly object[], { error = null, only }: View = {}) {
  const answer = { attention: [], approvals, checked: 1, total: 1, complete: true, oldest_check_at: null }
  const waiting = readWaiting(parseJson(JSON.stringify(answer)))
  const view = readInboxView(new URLSearchParams())
  const ada = { person: { id: "ada" }, teams: [] }
  const { listed } = arrangeLines(waiting?.approvals ?? [], "/approvals", view, ada, 0)
  const rows = listed.map((item) => ({ item, gone: false }))
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <InboxList
          kind="approval"
          inbox={{ rows, notShown: 0, showAll: () => {}, folded: 0, selectedKey: undefined, lastKey: undefined }}
          waiting={waiting}
          error={error}
          only={only}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

test("a title that mixes scripts within a word is marked in the list already", () => {
  const work = workJson(fakeWork("work_1", 1, { json: { title: "\u041Ect\u043Ebe\u0433" } }))
  show([{ work, item: fakeApproval("1", { summary: "Pay p\u0430ypal" }) }])
  const words = screen.getByRole("link").textContent
  expect(words).toContain("Mixed scripts: Latin, Cyrillic in “p\u0430ypal”")
  expect(words).toContain("Mixed scripts: Cyrillic, Latin in “\u041Ect\u043Ebe\u0433”")
})

test("what the person has stands first, also where it came after their last visit", () => {
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
  ["all that waits", {}, "No approvals are waiting"],
  ["the person's own", { only: "mine" }, "No approvals are yours"],
  ["what nobody has", { only: "free" }, "No approvals are free"],
  ["all, while the desk does not answer", { error: unreachable() }, "No approvals were waiting at the last check"],
] as const)("an empty list of %s says so", (_, view, words) => {
  show([], view)
  expect(screen.getByRole("heading", { level: 2 }).textContent).toBe(words)
})
