import { expect, test } from "vitest"
import { type Second, judge } from "./machine.ts"

const QUIET: Second = { lateMs: 100, stolen: 0.01, computedMs: 17, elapsedMs: 18 }

const seconds = (count: number, changes: Partial<Second> = {}) =>
  Array.from({ length: count }, () => ({ ...QUIET, ...changes }))

test.each<[string, readonly Second[], readonly Second[], boolean]>([
  ["that is quiet", seconds(6), seconds(240), false],
  ["whose tests wait for each other", seconds(6), seconds(240, { elapsedMs: 90, lateMs: 300 }), false],
  ["that is slow for two seconds", seconds(6), [...seconds(238), ...seconds(2, { computedMs: 34 })], false],
  ["that is slow for three seconds", seconds(6), [...seconds(237), ...seconds(3, { computedMs: 34 })], true],
  ["that is slow all the time", seconds(6, { computedMs: 34 }), seconds(240, { computedMs: 34 }), true],
  ["whose processor time is taken away", seconds(6), [...seconds(237), ...seconds(3, { stolen: 0.3 })], true],
  ["that stands still for three seconds", seconds(6), [...seconds(239), ...seconds(1, { lateMs: 3000 })], true],
  ["on which other programs compute", seconds(6, { elapsedMs: 40 }), seconds(240), true],
])("judges a machine %s", (_, idle, busy, isDisturbed) => {
  expect(judge(idle, busy).isDisturbed).toBe(isDisturbed)
})
