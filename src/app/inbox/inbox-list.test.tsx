import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../waiting/testing/simulation.ts"
import { setOwner } from "../client/storage.ts"
import { readWaiting } from "../client/waiting.ts"
import { arrangeLines, readInboxView } from "./inbox-lines.ts"
import { InboxList } from "./inbox-list.tsx"

setOwner("local")
afterEach(cleanup)

test("a title that mixes scripts within a word is marked in the list already", () => {
  const approvals = [
    {
      work: workJson(fakeWork("work_1", 1, { json: { title: "\u041Ect\u043Ebe\u0433" } })),
      item: fakeApproval("1", { summary: "Pay p\u0430ypal" }),
    },
  ]
  const answer = { attention: [], approvals, checked: 1, total: 1, complete: true, oldest_check_at: null }
  const waiting = readWaiting(parseJson(JSON.stringify(answer)))
  const view = readInboxView(new URLSearchParams())
  const { listed } = arrangeLines(waiting?.approvals ?? [], "/approvals", view, undefined, 0)
  const rows = listed.map((item) => ({ item, gone: false }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <InboxList
          kind="approval"
          inbox={{ rows, notShown: 0, showAll: () => {}, selectedKey: undefined }}
          waiting={waiting}
          error={null}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const words = screen.getByRole("link").textContent
  expect(words).toContain("Mixed scripts: Latin, Cyrillic in “p\u0430ypal”")
  expect(words).toContain("Mixed scripts: Cyrillic, Latin in “\u041Ect\u043Ebe\u0433”")
})
