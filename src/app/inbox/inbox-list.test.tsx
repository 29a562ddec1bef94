import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import { setOwner } from "../client/owner.ts"
import { InboxList } from "./inbox-list.tsx"

setOwner("local")
afterEach(cleanup)

test("a title that mixes scripts within a word is marked in the list already", () => {
  const item = {
    id: ["work_1", "1"] as const,
    key: "1",
    to: "/approvals?item=1",
    colleague: "analyst",
    createdAt: "2026-01-01T00:00:00Z",
    version: 1n,
  }
  render(
    <MemoryRouter>
      <InboxList
        home="/approvals"
        rows={[{ item: { ...item, title: "Pay p\u0430ypal", workTitle: "\u041Ect\u043Ebe\u0433" }, gone: false }]}
        notShown={0}
        onShowAll={() => {}}
        selected={undefined}
        progress={{ checked: 1, total: 1, complete: true, oldestAt: undefined }}
        error={null}
        empty={{ title: "", more: "" }}
      />
    </MemoryRouter>,
  )
  const words = screen.getByRole("link").textContent
  expect(words).toContain("Mixed scripts: Latin, Cyrillic in “p\u0430ypal”")
  expect(words).toContain("Mixed scripts: Cyrillic, Latin in “\u041Ect\u043Ebe\u0433”")
})
