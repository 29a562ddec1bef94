import { expect, test } from "vitest"
import type { Work, WorkList, WorkStatus } from "../../contract/resources.ts"
import { leavesGap, mergeRows, missingFrom, rowsOf, unknownIn, withNewer, withWorks } from "./work-list-data.ts"

const work = (id: string, version = 1n, status: WorkStatus = "working"): Work => ({
  id,
  title: `Title of ${id}`,
  objective: "x",
  status,
  colleague_id: "analyst",
  human_owner_id: "owner",
  visibility_scope: "private",
  priority: "normal",
  version,
  created_by: "sa",
  created_at: "2026-11-20T09:00:00Z",
  updated_at: "2026-11-20T09:00:00Z",
})
const works = (ids: string): Work[] => ids.split("").map((id) => work(id))
const page = (ids: string, next?: string): WorkList => ({
  data: works(ids),
  ...(next !== undefined && { next_cursor: next }),
})
const ids = (rows: readonly Work[]): string => rows.map(({ id }) => id).join("")

test("a Work that two pages hold stands once, where it came first", () => {
  expect(ids(rowsOf([page("abc", "1"), page("cde", "2"), page("ef")]))).toBe("abcdef")
})

test.each([
  ["at the top", "xyabc", "abc", "xyabc"],
  ["between", "axbc", "abc", "axbc"],
  ["at the end of the page", "abcx", "abc", "abcx"],
  ["before older rows that the page does not reach", "xab", "abcd", "xabcd"],
  ["after the last that it knows", "abx", "abcd", "abxcd"],
  ["all of it", "xyz", "", "xyz"],
  ["none of it known", "xyz", "abc", "xyzabc"],
  ["beside a row that has left", "xac", "abc", "xabc"],
])("new rows take their place %s", (_, fresh, rows, expected) => {
  expect(ids(mergeRows(works(fresh), works(rows)))).toBe(expected)
})

test("what is not known yet is new", () => {
  expect(ids(unknownIn(works("xabc"), works("abc")))).toBe("x")
})

test("a page that reaches none of the rows may leave a gap, unless it is the last", () => {
  expect(leavesGap(page("xyz", "1"), works("abc"))).toBe(true)
  expect(leavesGap(page("xya", "1"), works("abc"))).toBe(false)
  expect(leavesGap(page("xyz"), works("abc"))).toBe(false)
  expect(leavesGap(page("xyz", "1"), [])).toBe(false)
})

test("a newer version takes its row's place; an older or equal one does not", () => {
  const rows = [work("a", 2n), work("b", 2n), work("c", 2n)]
  const newer = withWorks(new Map(), [work("a", 1n, "done"), work("b", 2n, "done"), work("c", 3n, "done")])
  expect(withNewer(rows, newer).map(({ status }) => status)).toEqual(["working", "working", "done"])
  expect(withNewer(rows, newer)[0]).toBe(rows[0])
})

test("what is known grows by newer versions alone", () => {
  const known = withWorks(new Map(), [work("a", 2n)])
  expect(withWorks(known, [work("a", 2n), work("a", 1n)])).toBe(known)
  expect(withWorks(known, [work("a", 1n), work("b", 1n)]).get("a")?.version).toBe(2n)
})

test("versions beyond 2^53 are told apart", () => {
  const newer = withWorks(withWorks(new Map(), [work("a", 9007199254740992n)]), [work("a", 9007199254740993n)])
  expect(withNewer([work("a", 9007199254740992n)], newer)[0]?.version).toBe(9007199254740993n)
})

test("a row has left the filter where the fresh page reaches past its place without it", () => {
  expect(ids(missingFrom(page("ac", "1"), works("abcd")))).toBe("b")
  expect(ids(missingFrom(page("ac"), works("abcd")))).toBe("bd")
  expect(ids(missingFrom(page("xyz", "1"), works("abc")))).toBe("")
  expect(ids(missingFrom(page(""), works("ab")))).toBe("ab")
})
