/** Which read comes next, by calls of `chooseNext` with single Works. `read-plan.test.ts` has the same with an upstream. */
import { describe, expect, test } from "vitest"
import { upstreamInvalid, toProblem } from "../../platform/http/refusals.ts"
import { readApprovalList, readOneWork } from "./read-resources.ts"
import { chooseNext, gapOfTurns, type ReadClass, type Starts } from "./reading-order.ts"
import { fakeApproval, fakeWork, workJson } from "./testing/simulation.ts"
import { newWatchedWork, type WatchedWork } from "./watched-work.ts"

const NOW = 1_000_000

/** Every Work may have its turn, no Work is late, and nothing but Work may be read. */
const STARTS: Starts = { list: Infinity, done: Infinity, turn: 0, pass: 0, failed: 0, passMs: 60_000 }

/** A Work that was checked 10 s ago and has not changed since. */
function watch(id: string, members: Partial<WatchedWork> = {}): WatchedWork {
  const work = readOneWork(JSON.stringify(workJson(fakeWork(id, 0))))
  const watched = newWatchedWork(work, { request: 1, place: 0, now: NOW - 20_000 })
  const readAt = NOW - 10_000
  return Object.assign(watched, { readAt, checkedAt: readAt, checkedVersion: work.version }, members)
}

const hinted = (id: string, hintedAt: number) => watch(id, { hintedAt })

/** A Work that was listed and never read. */
const unread = (id: string, created: number, changedAt = NOW - 20_000) => {
  const work = readOneWork(JSON.stringify(workJson(fakeWork(id, created))))
  return newWatchedWork(work, { request: 1, place: 0, now: changedAt })
}

const failing = (id: string, retryAt: number, members: Partial<WatchedWork> = {}) => {
  const problem = toProblem(upstreamInvalid, "request")
  return watch(id, { failing: { problem, json: "", cause: undefined, times: 1, retryAt }, ...members })
}

const approvals = readApprovalList(JSON.stringify({ data: [fakeApproval("a")] }))

/** The reads in the order in which they are chosen while each choice takes its Work away: class and id. */
function orderOf(works: readonly WatchedWork[], starts: Partial<Starts> = {}, now = NOW): string[] {
  const left = new Set(works)
  const chosen: string[] = []
  for (;;) {
    const next = chooseNext(left, now, { ...STARTS, ...starts }, () => 0)
    if (!("choice" in next)) return chosen
    if (!("watched" in next.choice)) return [...chosen, next.choice.readClass]
    left.delete(next.choice.watched)
    chosen.push(`${next.choice.readClass} ${next.choice.watched.work.id}`)
  }
}

describe("the classes", () => {
  test("are read in their order", () => {
    const works = [
      failing("f", NOW),
      watch("t"),
      watch("l", { readAt: NOW - 60_000 }),
      unread("c", 0),
      hinted("h", NOW),
    ]
    expect(orderOf(works)).toEqual(["hinted h", "changed c", "late l", "turn t", "failed f"])
    expect(orderOf(works, { list: NOW })).toEqual(["hinted h", "list"])
    expect(orderOf([], { list: NOW + 1, done: NOW })).toEqual(["done"])
    expect(orderOf([failing("f", NOW)], { done: NOW })).toEqual(["failed f", "done"])
  })

  test("each read their first Work first", () => {
    const changed = (id: string, at: number) => unread(id, 0, at)
    expect(orderOf([hinted("2", NOW - 1), hinted("1", NOW - 2), hinted("3", NOW)])).toEqual([
      "hinted 1",
      "hinted 2",
      "hinted 3",
    ])
    expect(orderOf([unread("2", 20), unread("1", 30), unread("3", 10)])).toEqual([
      "changed 1",
      "changed 2",
      "changed 3",
    ])
    expect(orderOf([failing("2", 5), failing("1", 4), failing("3", 6)])).toEqual(["failed 1", "failed 2", "failed 3"])
    const late = [changed("2", NOW - 30_000), watch("1", { readAt: NOW - 60_001 }), changed("0", NOW - 29_999)]
    expect(orderOf(late)).toEqual(["changed 0", "late 1", "late 2"])
  })

  test("give the first turns of a pass to Work with an item", () => {
    const pass = NOW - 20_000
    const works = [
      watch("4", { readAt: pass, approvals }),
      watch("3", { readAt: pass - 2 }),
      watch("2", { readAt: pass - 1, approvals }),
      watch("1", { readAt: pass - 2, approvals }),
      watch("5", { readAt: pass + 1 }),
    ]
    expect(orderOf(works, { pass })).toEqual(["turn 1", "turn 2", "turn 3", "turn 4", "turn 5"])
  })

  test("do not have a Work that is being read, or that no address can hold", () => {
    const check = { steps: [], isWhole: true, beganAt: 0, version: 1n }
    const reading = watch("r", { check: { ...check, readClass: "changed", isReading: true } })
    expect(orderOf([reading, unread("..", 0)])).toEqual([])
    const begun = watch("b", { check: { ...check, readClass: "turn", isReading: false } })
    expect(orderOf([hinted("h", NOW), begun])).toEqual(["turn b", "hinted h"])
  })
})

describe("a class that has used less than its share", () => {
  const works = [hinted("h", NOW), unread("c", 0), failing("f", NOW)]
  const chosen = (requestsSinceLast: Partial<Record<ReadClass, number>>, starts: Partial<Starts> = {}) => {
    const next = chooseNext(works, NOW, { ...STARTS, ...starts }, (readClass) => requestsSinceLast[readClass] ?? 0)
    return "choice" in next ? next.choice.readClass : undefined
  }

  test.each([
    ["failed", 10],
    ["changed", 10],
  ] as const)("goes first: %s after %i requests", (readClass, requests) => {
    expect(chosen({ [readClass]: requests - 1 })).toBe("hinted")
    expect(chosen({ [readClass]: requests })).toBe(readClass)
  })

  test("goes first: the list after five requests", () => {
    expect(chosen({ list: 4 }, { list: NOW })).toBe("hinted")
    expect(chosen({ list: 5 }, { list: NOW })).toBe("list")
  })

  test("goes behind a class that lacks more of its share, and before a class that lacks as much", () => {
    expect(chosen({ changed: 11, failed: 12 })).toBe("failed")
    expect(chosen({ changed: 12, failed: 12 })).toBe("changed")
    expect(chosen({ hinted: 12, failed: 12 })).toBe("hinted")
  })
})

describe("a check may begin", () => {
  test.each<readonly [string, WatchedWork, Partial<Starts>, number]>([
    ["1.5 s after the last one", hinted("w", 0), { turn: NOW + 9_000, failed: NOW + 9_000 }, NOW - 8_500],
    ["after a failure, for a hint", failing("w", NOW + 700, { hintedAt: 0 }), { failed: NOW + 9_000 }, NOW + 700],
    ["after a failure", failing("w", NOW + 700), { failed: NOW, turn: NOW + 9_000 }, NOW + 700],
    ["when failed Work may be tried", failing("w", NOW + 700), { failed: NOW + 800, turn: NOW + 9_000 }, NOW + 800],
    ["at once for new Work", unread("w", 0), { turn: NOW + 9_000, failed: NOW + 9_000 }, 0],
    ["when Work may have its turn", watch("w"), { turn: NOW + 600, failed: NOW + 9_000 }, NOW + 600],
    ["1.5 s after the last one, in its turn", watch("w"), { turn: 0 }, NOW - 8_500],
  ])("%s", (_, watched, starts, beginsAt) => {
    const choose = (now: number) => chooseNext([watched], now, { ...STARTS, ...starts }, () => 0)
    expect(choose(beginsAt - 1)).toEqual({ wakeAt: beginsAt })
    expect(choose(beginsAt)).toMatchObject({ choice: { watched } })
  })

  test("when the first of several may", () => {
    const choose = (starts: Partial<Starts>) =>
      chooseNext([failing("f", NOW + 30), hinted("h", 0)], NOW - 9_000, { ...STARTS, ...starts }, () => 0)
    expect(choose({})).toEqual({ wakeAt: NOW - 8_500 })
    expect(choose({ list: NOW - 8_600, done: NOW })).toEqual({ wakeAt: NOW - 8_600 })
    expect(choose({ list: NOW, done: NOW - 8_700 })).toEqual({ wakeAt: NOW - 8_700 })
  })
})

test.each([
  [1, 10_000, 10_000],
  [10, 1_000, 1_000],
  [40, 250, 250],
  [100, 250, 250],
  [200, 125, 200],
  [500, 50, 200],
  [1_000, 50, 200],
])("the gap between the turns of %i Works is %i ms, and %i ms without a quota", (works, withQuota, withoutQuota) => {
  expect([gapOfTurns(works, true), gapOfTurns(works, false)]).toEqual([withQuota, withoutQuota])
})
