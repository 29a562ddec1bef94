import { expect, test } from "vitest"
import { formatAge, formatWait } from "./duration-words.ts"

test.each([
  [0, "0 s"],
  [11_500, "12 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [90 * 60_000, "90 min"],
  [3 * 3_600_000, "3 hours"],
  [3_000_000_000, "35 days"],
])("says a wait of %d ms as %s", (wait, words) => {
  expect(formatWait(wait)).toBe(words)
})

test.each([
  [-5, "0 s"],
  [119_999, "119 s"],
  [121_000, "2 min"],
  [49 * 3_600_000, "2 days"],
])("says an age of %d ms as %s: only whole units count", (age, words) => {
  expect(formatAge(age)).toBe(words)
})
