/** Longer weeks than `watched-week.test.ts`. A page of the list costs the test most, so the weeks of many Works are shorter. */
import { expect, it } from "vitest"
import { runBrokenWeek, runWeek, type Week } from "./testing/random-week.ts"

const HOUR = 3_600_000

const weeks: readonly Week[] = [
  { seed: 11, open: 10, done: 20, quota: 60, lasts: 3 * 24 * HOUR },
  { seed: 12, open: 100, done: 120, quota: 60, lasts: 6 * HOUR },
  { seed: 13, open: 200, done: 250, quota: 600, lasts: HOUR },
  { seed: 14, open: 500, done: 20, quota: Number.POSITIVE_INFINITY, lasts: HOUR / 4 },
  { seed: 15, open: 1_000, done: 120, quota: 300, lasts: HOUR / 2 },
  { seed: 16, open: 5_000, done: 120, quota: 600, lasts: HOUR / 6 },
]

it.each(weeks)(
  "%j: everything is found within its time, and nothing is called complete that is not",
  { timeout: 300_000 },
  (week) => {
    expect(runWeek(week)).toEqual([])
  },
)

it.each([32, 33])(
  "seed %d: while the upstream answers only every second minute, each such minute finds everything, and only ended items end",
  { timeout: 300_000 },
  (seed) => {
    const hour = { open: 100, done: 30, quota: Number.POSITIVE_INFINITY, lasts: HOUR, upAndDownMs: HOUR / 60 }
    expect(runWeek({ ...hour, seed })).toEqual([])
  },
)

it.each([0.02, 0.1, 0.5, 0.9])(
  "while %d of all answers are broken, no item that waits is taken for ended",
  { timeout: 300_000 },
  (broken) => {
    for (const seed of [21, 22]) expect(runBrokenWeek(seed, broken)).toEqual([])
  },
)
