import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../waiting/testing/simulation.ts"
import { setOwner } from "../client/owner.ts"
import { readWaiting } from "../client/waiting.ts"
import { linesOf } from "./inbox-lines.ts"
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
  const rows = linesOf(waiting?.approvals ?? [], "/approvals", { only: undefined, sort: undefined })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <InboxList
          home="/approvals"
          rows={rows.map((item) => ({ item, gone: false }))}
          notShown={0}
          onShowAll={() => {}}
          selected={undefined}
          waiting={waiting}
          error={null}
          empty={{ title: "", more: "" }}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const words = screen.getByRole("link").textContent
  expect(words).toContain("Mixed scripts: Latin, Cyrillic in “p\u0430ypal”")
  expect(words).toContain("Mixed scripts: Cyrillic, Latin in “\u041Ect\u043Ebe\u0433”")
})
