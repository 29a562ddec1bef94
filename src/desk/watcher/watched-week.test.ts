/** The watcher before an upstream whose Works and faults change at random, in simulated time. `watched-week.long.test.ts` has longer weeks. */
import { expect, it } from "vitest"
import { runBrokenWeek, runWeek, type Week } from "./testing/random-week.ts"

const HOUR = 3_600_000

const weeks: readonly Omit<Week, "seed">[] = [
  { open: 10, done: 120, quota: 60, lasts: 6 * HOUR },
  { open: 120, done: 20, quota: 300, lasts: HOUR / 2 },
  { open: 30, done: 250, quota: Number.POSITIVE_INFINITY, lasts: HOUR / 2 },
  { open: 40, done: 20, quota: Number.POSITIVE_INFINITY, lasts: HOUR / 2, malformed: 0.2, pageMaxBytes: 10_000 },
]

it.each(weeks)("%j: everything is found within its time, and nothing is called complete that is not", (week) => {
  expect(runWeek({ ...week, seed: 1 })).toEqual([])
})

it("while the upstream answers only every second minute, each such minute finds everything, and only ended items end", () => {
  const hour = { open: 20, done: 30, quota: Number.POSITIVE_INFINITY, lasts: HOUR, upAndDownMs: HOUR / 60 }
  expect(runWeek({ ...hour, seed: 31 })).toEqual([])
})

it.each([0.05, 0.3, 0.7])("while %d of all answers are broken, no item that waits is taken for ended", (broken) => {
  expect(runBrokenWeek(2, broken)).toEqual([])
})
