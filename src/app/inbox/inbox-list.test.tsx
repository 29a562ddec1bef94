import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import type { Approval } from "../../contract/resources.ts"
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
  const read = readWaiting(parseJson(JSON.stringify({ attention: [], approvals })))?.approvals ?? []
  const wordsOf = { titleOf: ({ summary }: Approval) => summary, colleagueOf: () => "analyst" }
  const rows = linesOf(read, "/approvals", { only: undefined, sort: undefined }, wordsOf)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <InboxList
          home="/approvals"
          rows={rows.map((item) => ({ item, gone: false }))}
          notShown={0}
          onShowAll={() => {}}
          selected={undefined}
          progress={{ checked: 1, total: 1, complete: true, oldestAt: undefined }}
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
