import { expect, test } from "vitest"
import { whyNotAbsent } from "./absence-section.tsx"

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 26)

test.each([
  [-DAY, DAY, undefined],
  [DAY, 91 * DAY, undefined],
  [-DAY, 0, "Choose a time in the future."],
  [DAY, DAY, "Choose a time after the start."],
  [DAY, 91 * DAY + 1, "Choose a time within 90 days of the start."],
])("a person can be away from %d until %d", (from, until, reason) => {
  expect(whyNotAbsent(NOW + from, NOW + until, NOW)).toBe(reason)
})
