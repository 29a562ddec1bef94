import { expect, test } from "vitest"
import type { Work } from "../../contract/resources.ts"
import {
  countNews,
  listAfter,
  type ListEvent,
  type ListState,
  newestOf,
  newsOf,
  OPENED,
  type PageOfWorks,
  type ReadAlone,
  rowsOf,
  withBeginning,
  worksThatLeft,
} from "./list-state.ts"
import { workForTest } from "./testing/work.ts"

const works = (ids: string): Work[] => ids.split("").map((id) => workForTest(id))
const ids = (rows: readonly Work[]): string => rows.map(({ id }) => id).join("")

/** A page of these Works. Without `next` it is the last page. */
const page = (letters: string, next?: string, isDone = false): PageOfWorks => ({
  data: works(letters),
  isDone,
  ...(next !== undefined && { next_cursor: next }),
})
const done = (letters: string, next?: string) => page(letters, next, true)

test("a Work that two pages hold stands once, where it came first", () => {
  const { open, done: below } = rowsOf([page("abc", "1"), page("cde", "2"), page("ef", "done:"), done("fg")])
  expect(ids(open)).toBe("abcdef")
  expect(ids(below)).toBe("g")
})

test.each([
  ["at the top", page("xyabc", "1"), page("abc", "1"), "xy"],
  ["between", page("axbc", "1"), page("abc", "1"), "x"],
  ["not what moved up from the next page, because a row has left", page("acx", "1"), page("abc", "1"), ""],
  ["at the end of a whole list", page("abcx"), page("abc"), "x"],
  ["at the end of all open Work, above done Work", page("abcx", "done:"), page("abc", "done:"), "x"],
  ["in an empty list", page("xyz", "1"), page(""), "xyz"],
  ["so much that no row is known", page("xyz", "1"), page("abc", "1"), "xyz"],
  ["all of a whole list", page("xyz"), page("abc"), "xyz"],
])("new Work is found %s", (_, fresh, known, expected) => {
  expect(ids(newsOf(fresh, [known]))).toBe(expected)
})

test("a row has left the filter where the fresh page reaches past its place without it", () => {
  const leftOf = (shown: string, latest: PageOfWorks) => ids(worksThatLeft([{ shown: page(shown), latest }]))
  expect(leftOf("abcd", page("ac", "1"))).toBe("b")
  expect(leftOf("abcd", page("ac"))).toBe("bd")
  expect(leftOf("abc", page("xyz", "1"))).toBe("")
  expect(leftOf("ab", page("", "done:"))).toBe("ab")
})

test("a row that moved to another page has not left the list", () => {
  const first = { shown: page("abc", "1"), latest: page("acd", "1") }
  expect(ids(worksThatLeft([first]))).toBe("b")
  expect(ids(worksThatLeft([first, { shown: page("de"), latest: page("be") }]))).toBe("")
})

test("a row has the newest version that is known, and none where the person does not see the Work any more", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => workForTest(id, { version: 5n }))
  if (!a || !b || !c || !d) throw new Error("no Work")
  const newer = { ...a, version: 6n }
  const older = { ...b, version: 4n }
  const alone = { ...c, version: 9n }
  const readAlone = new Map<string, ReadAlone>([
    ["c", alone],
    ["d", "gone"],
  ])
  expect(newestOf([a, b, c, d], [{ data: [newer, older], isDone: false }], readAlone)).toEqual([newer, b, alone])
})

test.each([
  ["stays where no open Work has left", page("xab", "done:"), "xab yz"],
  ["is read again where an open Work has left, because it may be done now", page("a", "done:"), "a"],
  ["is read again where open Work follows", page("xab", "1"), "xab"],
])("done Work below a fresh beginning %s", (_, fresh, expected) => {
  const pages = withBeginning([page("ab", "done:"), done("yz")], fresh)
  expect(pages.map(({ data }) => ids(data)).join(" ")).toBe(expected)
})

const polled = (letters: string, more: Partial<Extract<ListEvent, { type: "polled" }>> = {}): ListEvent => ({
  type: "polled",
  page: page(letters),
  hasAnswer: true,
  touched: "no",
  ...more,
})
const after = (...events: readonly ListEvent[]) => events.reduce(listAfter, OPENED)
const shownIn = ({ pages }: ListState) => pages.map(({ data }) => ids(data)).join(" ")

test("an untouched list follows what is polled, and counts what came since its first answer", () => {
  const list = after(polled("a", { hasAnswer: false }), polled("ab"), polled("xab"))
  expect([shownIn(list), countNews(list, page("xab"))]).toEqual(["xab", 1])
})

test("a touched list keeps its rows, also where it was touched before its first answer came", () => {
  const touched = { touched: "touched" } as const
  const list = after(polled("a", { hasAnswer: false, ...touched }), polled("ab", touched), polled("xab", touched))
  expect([shownIn(list), countNews(list, page("xab"))]).toEqual(["ab", 1])
  const shown = listAfter(list, { type: "show new", page: page("xab") })
  expect([shownIn(shown), countNews(shown, page("xab"))]).toEqual(["xab", 0])
})

test("a list that was scrolled shows no later answer, unless it has no rows", () => {
  expect(shownIn(after(polled("a", { hasAnswer: false }), polled("ab", { touched: "scrolled" })))).toBe("a")
  expect(shownIn(after(polled("ab", { touched: "scrolled" })))).toBe("ab")
})

test("a further page joins the page that it follows, and no other list", () => {
  const beginning = polled("ab", { page: page("ab", "1") })
  const more: ListEvent = { type: "more", page: { ...page("cd"), cursor: "1" } }
  expect(shownIn(after(beginning, more))).toBe("ab cd")
  expect(shownIn(after(beginning, more, more))).toBe("ab cd")
  expect(shownIn(after(polled("xy"), more))).toBe("xy")
})

test("after a refresh only the beginning is left", () => {
  const beginning = polled("ab", { page: page("ab", "1") })
  const more: ListEvent = { type: "more", page: { ...page("cd"), cursor: "1" } }
  expect(shownIn(after(beginning, more, { type: "refreshed", page: page("xab") }))).toBe("xab")
})
