import { expect, test } from "vitest"
import type { RecordEntry, RecordOutcome } from "../../contract/desk-work.ts"
import { type ReadPage, unsettledPages, withNewest, withOlder, withPagesAgain } from "./record-pages.ts"

const entry = (sequence: number, outcome: RecordOutcome = "recorded"): RecordEntry => ({
  sequence,
  at: "2026-11-26T10:00:00Z",
  person: { id: "ada", name: "Ada" },
  roles: ["reader"],
  operation: "createWork",
  outcome,
})

/** A page of these sequences. `next` leads to the page after it, `cursor` to the page itself. */
function page(sequences: readonly number[], { cursor, next, readAt = 0 }: Partial<Place> = {}): ReadPage {
  const data = sequences.map((sequence) => entry(sequence))
  return { data, complete: true, cursor, readAt, ...(next !== undefined && { next_cursor: next }) }
}
type Place = { cursor: string; next: string; readAt: number }

const sequencesOf = (pages: readonly ReadPage[]) => pages.map(({ data }) => data.map(({ sequence }) => sequence))

const known = [page([9, 8, 7], { next: "before 7" }), page([6, 5, 4], { cursor: "before 7", next: "before 4" })]

test("new entries stand on top, the others stay, and each page is read again from its own beginning", () => {
  const newest = page([11, 10, 9], { next: "before 9", readAt: 1 })
  const pages = withNewest(known, [newest])
  expect(sequencesOf(pages)).toEqual([
    [11, 10, 9],
    [8, 7],
    [6, 5, 4],
  ])
  expect(pages.map(({ cursor }) => cursor)).toEqual([undefined, "before 9", "before 7"])
  expect(pages.at(-1)?.next_cursor).toBe("before 4")
  expect(pages[0]?.data[2], "an entry that did not change is the same object").toBe(known[0]?.data[0])

  // A page that has become shorter is read as a longer one.
  const again = page([8, 7, 6], { cursor: "before 9", next: "before 6", readAt: 2 })
  expect(sequencesOf(withPagesAgain(pages, [again]))).toEqual([
    [11, 10, 9],
    [8, 7],
    [6, 5, 4],
  ])
})

test("a newest page that reaches further down, because entries do not match any more, repeats nothing", () => {
  const pages = withNewest(known, [page([9, 6, 5], { next: "before 5" })])
  expect(sequencesOf(pages)).toEqual([[9, 6, 5], [4]])
  expect(pages.map(({ cursor }) => cursor)).toEqual([undefined, "before 5"])
  expect(pages.at(-1)?.next_cursor).toBe("before 4")
})

test("several newest pages stand above the known entries that the last of them reaches", () => {
  const newest = [
    page([14, 13, 12], { next: "before 12" }),
    page([11, 9, 8], { cursor: "before 12", next: "before 8" }),
  ]
  const pages = withNewest(known, newest)
  expect(sequencesOf(pages)).toEqual([[14, 13, 12], [11, 9, 8], [7], [6, 5, 4]])
  expect(pages.map(({ cursor }) => cursor)).toEqual([undefined, "before 12", "before 8", "before 7"])
})

test.each([
  ["does not reach the known entries", page([14, 13, 12], { next: "before 12" })],
  ["has no entry that the person may see", page([], { next: "before 12" })],
  ["is the whole record", page([9, 8])],
])("a newest page that %s stands alone", (_, newest) => {
  expect(withNewest(known, [newest])).toEqual([newest])
})

test("a further page is added only below the page that led to it", () => {
  const older = page([3, 2], { cursor: "before 4" })
  expect(withOlder(known, older)).toEqual([...known, older])
  expect(withOlder([page([12], { next: "before 12" })], older)).toHaveLength(1)
})

test("an older page in sight is read again while an outcome in it is unknown, and takes what has changed", () => {
  const unknown: ReadPage = { ...page([6, 4], { cursor: "before 7" }), data: [entry(6, "unknown"), entry(4)] }
  const pages = [{ ...page([9, 8, 7]), data: [entry(9, "unknown"), entry(8), entry(7, "held")] }, unknown]
  expect(unsettledPages(pages, 0, 2), "the newest page is always read").toEqual([])
  expect(unsettledPages(pages, 2, 3)).toEqual([unknown])
  expect(unsettledPages(pages, 5, 9)).toEqual([])

  const settled = withPagesAgain(pages, [{ ...unknown, data: [entry(6), entry(4)], complete: false, readAt: 5 }])
  expect(settled[1]).toMatchObject({ data: [{ outcome: "recorded" }, {}], complete: false, readAt: 5 })
  expect(settled[1]?.data[1]).toBe(unknown.data[1])
  expect(settled[0]).toBe(pages[0])
  expect(unsettledPages(settled, 0, 9)).toEqual([])
})
