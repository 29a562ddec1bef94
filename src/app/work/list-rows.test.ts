import { expect, test } from "vitest"
import type { Work, WorkList } from "../../contract/resources.ts"
import { workForTest } from "./testing/work.ts"
import { findLeft, findNew, rowsOf } from "./list-rows.ts"

const works = (ids: string): Work[] => ids.split("").map((id) => workForTest(id))
const page = (ids: string, next?: string): WorkList => ({
  data: works(ids),
  ...(next !== undefined && { next_cursor: next }),
})
const ids = (rows: readonly Work[]): string => rows.map(({ id }) => id).join("")

test("a Work that two pages hold stands once, where it came first", () => {
  expect(ids(rowsOf([page("abc", "1"), page("cde", "2"), page("ef")]))).toBe("abcdef")
})

const beginning = (letters: string, isWhole = false) => ({ works: works(letters), isWhole })

test.each([
  ["at the top", beginning("xyabc"), "abc", false, "xy", false],
  ["between", beginning("axbc"), "abc", false, "x", false],
  ["not what moved up from the next page, because a row has left", beginning("acx"), "abc", false, "", false],
  ["at the end of a whole list", beginning("abcx", true), "abc", true, "x", false],
  ["in an empty list", beginning("xyz"), "", true, "xyz", false],
  ["so much that no row is known", beginning("xyz"), "abc", false, "xyz", true],
  ["all of a whole list", beginning("xyz", true), "abc", true, "xyz", false],
])("new Work is found %s", (_, fresh, rows, hasAll, expected, mayBeMore) => {
  const found = findNew(fresh, works(rows), hasAll)
  expect(ids(found.works)).toBe(expected)
  expect(found.mayBeMore).toBe(mayBeMore)
})

test("a row has left the filter where the fresh page reaches past its place without it", () => {
  expect(ids(findLeft(beginning("ac"), works("abcd")))).toBe("b")
  expect(ids(findLeft(beginning("ac", true), works("abcd")))).toBe("bd")
  expect(ids(findLeft(beginning("xyz"), works("abc")))).toBe("")
  expect(ids(findLeft(beginning("", true), works("ab")))).toBe("ab")
})
