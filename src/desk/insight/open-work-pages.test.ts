import { describe, expect, it } from "vitest"
import { listOpenWork, readOpenWorkQuery } from "./open-work-pages.ts"
import { NOW, watchedWorks } from "../watcher/testing/watched-works.ts"
import { range } from "../watcher/testing/simulation.ts"

describe("open Work", () => {
  const { watched } = watchedWorks(400)
  const page = (query: string) => listOpenWork(watched, readOpenWorkQuery(query), NOW)
  const refuses = (query: string, name: string) => {
    const answer = { status: 400, detail: expect.stringMatching(`^${name} `) }
    const refused = expect.objectContaining({ answer: expect.objectContaining(answer) })
    expect(() => readOpenWorkQuery(query)).toThrow(refused)
  }
  const all = (query: string) => {
    const ids: string[] = []
    for (let cursor = ""; ;) {
      const { works, nextCursor } = page(`${query}&limit=7${cursor}`)
      ids.push(...works.map(({ id }) => id))
      if (nextCursor === undefined) return ids
      cursor = `&cursor=${nextCursor}`
    }
  }

  it.each([
    ["sort=newest", (one: FakeRow, other: FakeRow) => other.createdAt - one.createdAt],
    ["sort=updated", (one: FakeRow, other: FakeRow) => other.updatedAt - one.updatedAt],
    ["sort=due", (one: FakeRow, other: FakeRow) => (one.dueAt ?? Infinity) - (other.dueAt ?? Infinity) || 0],
    ["sort=priority", (one: FakeRow, other: FakeRow) => RANK.indexOf(one.priority) - RANK.indexOf(other.priority)],
  ])("%s sorts the pages without a gap or a double", (query, compare) => {
    const ids = all(query)
    expect(new Set(ids).size).toBe(400)
    const rows = ids.flatMap((id) => watched.find(({ work }) => work.id === id)?.work ?? [])
    for (const [index, row] of rows.slice(1).entries()) expect(compare(rows[index] ?? row, row)).toBeLessThanOrEqual(0)
  })

  it("sort=waiting begins with the longest wait", () => {
    expect(all("sort=waiting").slice(0, 3)).toEqual(["w390", "w380", "w370"])
  })

  it.each([
    ["colleague=colleague-2", (index: number) => index % 4 === 2],
    ["priority=urgent", (index: number) => index % 4 === 3],
    ["status=paused", (index: number) => index % 3 === 2],
    ["due=overdue", (index: number) => index % 3 !== 0 && index % 40 < 12],
    ["due=week", (index: number) => index % 3 !== 0 && index % 40 >= 12 && index % 40 < 19],
    ["q=resume", (index: number) => index % 2 === 0],
    ["q=PENGUINS+invoice", (index: number) => index % 5 === 0 && index % 2 === 1],
    ["priority=high&status=working&due=overdue", (index: number) => index % 4 === 2 && index % 3 === 0 && false],
  ])("%s finds the same Work as an independent filter", (query, matches) => {
    const expected = range(400)
      .filter((index) => matches(index))
      .map((index) => `w${index}`)
    expect(all(query).toSorted()).toEqual(expected.toSorted())
    expect(page(query).total).toBe(expected.length)
  })

  it("group puts the groups one after the other, with their counts", () => {
    const { groups, total } = page("group=colleague&limit=500")
    expect(groups).toEqual(range(4).map((index) => ({ key: `colleague-${index}`, count: 100 })))
    expect(total).toBe(400)
    expect(page("group=priority").groups?.map(({ key }) => key)).toEqual(["urgent", "high", "normal", "low"])
    expect(page("group=due").groups?.map(({ key }) => key)).toEqual(["overdue", "week", "later", "none"])
  })

  it.each([
    "sort=oldest",
    "limit=0",
    "limit=501",
    "limit=1e1",
    "cursor=x",
    "due=today",
    "status=open",
    "sort=due&sort=due",
  ])("%s is refused with the name of the parameter", (query) => refuses(query, query.split("=")[0] ?? ""))

  it("a cursor is valid only for its order, and unknown parameters are ignored", () => {
    const { nextCursor = "" } = page("sort=due&limit=7")
    for (const other of ["sort=updated", "sort=due&group=due"]) {
      refuses(`${other}&cursor=${nextCursor}`, "cursor")
    }
    expect(page(`sort=due&limit=7&cursor=${nextCursor}&_=1&_=2`).works).toHaveLength(7)
  })
})

type FakeRow = { createdAt: number; updatedAt: number; dueAt: number | undefined; priority: string }
const RANK = ["urgent", "high", "normal", "low"]
