import { expect, test } from "vitest"
import { chooseMarkSize, countBetweenTicks, placeMarks, waitPosition } from "./mark-places.ts"

test("waits stand on a logarithmic axis, and what lies outside at its ends", () => {
  expect([0, 30, 60].map(waitPosition)).toEqual([0, 0, 0])
  expect(waitPosition(5 * 7 * 86_400)).toBe(1)
  expect(waitPosition(1e12)).toBe(1)
  const hour = waitPosition(3_600)
  expect(waitPosition(36_000) - hour).toBeCloseTo(waitPosition(360_000) - waitPosition(36_000))
})

test("marks that would stand on one another are stacked, within the height", () => {
  const { placed, height } = placeMarks([1, 2, 30, 1], (x) => x, 10, 100)
  expect(placed.map(({ y }) => y)).toEqual([25, 15, 5, 25])
  expect(height).toBe(30)
  const many = placeMarks(
    Array.from({ length: 500 }, () => 1),
    (x) => x,
    10,
    100,
  )
  expect(many.height).toBe(100)
  expect(Math.min(...many.placed.map(({ y }) => y))).toBeGreaterThanOrEqual(5)
})

test("marks are smaller where their stacks would be higher than the plot", () => {
  const sizeOf = (count: number) =>
    chooseMarkSize(
      Array.from({ length: count }, () => 1),
      (x) => x,
      120,
    )
  expect([0, 10, 11, 20, 30, 1_000].map(sizeOf)).toEqual([12, 12, 10, 6, 4, 4])
})

test("waits are counted between the ticks, and what lies outside at its end", () => {
  expect(countBetweenTicks([0, 59, 599, 600, 86_399, 86_400, 1e12])).toEqual([3, 1, 0, 1, 1, 0, 1])
  expect(countBetweenTicks([])).toEqual([0, 0, 0, 0, 0, 0, 0])
})
