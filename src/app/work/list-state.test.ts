import { expect, test } from "vitest"
import type { PageOfWorks } from "./list-state.ts"
import { countNews, listAfter, type ListEvent, type ListState, OPENED } from "./list-state.ts"
import { workForTest } from "./testing/work.ts"

const page = (letters: string, members: Partial<PageOfWorks> = {}): PageOfWorks => ({
  data: letters.split("").map((id) => workForTest(id)),
  isDone: false,
  ...members,
})
const polled = (letters: string, more: Partial<Extract<ListEvent, { type: "polled" }>> = {}): ListEvent => ({
  type: "polled",
  page: page(letters),
  hasAnswer: true,
  touched: "no",
  ...more,
})
const after = (...events: readonly ListEvent[]) => events.reduce(listAfter, OPENED)
const rowsOf = ({ pages }: ListState) => pages.map(({ data }) => data.map(({ id }) => id).join("")).join(" ")

test("an untouched list follows what is polled, and counts what came since its first answer", () => {
  const list = after(polled("a", { hasAnswer: false }), polled("ab"), polled("xab"))
  expect([rowsOf(list), countNews(list, page("xab"))]).toEqual(["xab", 1])
})

test("a touched list keeps its rows, also where it was touched before its first answer came", () => {
  const touched = { touched: "touched" } as const
  const list = after(polled("a", { hasAnswer: false, ...touched }), polled("ab", touched), polled("xab", touched))
  expect([rowsOf(list), countNews(list, page("xab"))]).toEqual(["ab", 1])
  const shown = listAfter(list, { type: "show new", page: page("xab") })
  expect([rowsOf(shown), countNews(shown, page("xab"))]).toEqual(["xab", 0])
})

test("a list that was scrolled shows no later answer, unless it has no rows", () => {
  expect(rowsOf(after(polled("a", { hasAnswer: false }), polled("ab", { touched: "scrolled" })))).toBe("a")
  expect(rowsOf(after(polled("ab", { touched: "scrolled" })))).toBe("ab")
})

test("a further page joins the page that it follows, and no other list", () => {
  const beginning = polled("ab", { page: page("ab", { next_cursor: "1" }) })
  const more: ListEvent = { type: "more", page: page("cd", { cursor: "1" }) }
  expect(rowsOf(after(beginning, more))).toBe("ab cd")
  expect(rowsOf(after(beginning, more, more))).toBe("ab cd")
  expect(rowsOf(after(polled("xy"), more))).toBe("xy")
})

test("after a refresh only the beginning is left", () => {
  const beginning = polled("ab", { page: page("ab", { next_cursor: "1" }) })
  const more: ListEvent = { type: "more", page: page("cd", { cursor: "1" }) }
  expect(rowsOf(after(beginning, more, { type: "refreshed", page: page("xab") }))).toBe("xab")
})
