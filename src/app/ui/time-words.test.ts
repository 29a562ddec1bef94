import { expect, test } from "vitest"
import { formatAge, formatEnd, formatExact, formatLongDay, formatRelative, formatWait, momentOf } from "./time-words.ts"

const now = new Date(2026, 10, 20, 15, 0, 0).getTime()
const at = (...parts: [number, number, number, number, number, number]) => new Date(...parts).getTime()

test.each([
  ["the same minute", at(2026, 10, 20, 14, 59, 30), "now", "now"],
  ["minutes", at(2026, 10, 20, 14, 56, 0), "4 min ago", "4 min"],
  ["hours", at(2026, 10, 20, 13, 0, 0), "2 hr ago", "2 hr"],
  ["last night", at(2026, 10, 19, 23, 0, 0), "16 hr ago|yesterday", "16 hr|yesterday"],
  ["yesterday", at(2026, 10, 19, 9, 0, 0), "yesterday", "yesterday"],
  ["days", at(2026, 10, 17, 9, 0, 0), "3 days ago", "Nov 17"],
  ["this year", at(2026, 8, 1, 9, 0, 0), "Sep 1", "Sep 1"],
  ["another year", at(2024, 8, 1, 9, 0, 0), "Sep 1, 2024", "Sep 1, 2024"],
  ["soon", at(2026, 10, 20, 15, 30, 0), "in 30 min", "in 30 min"],
  ["tomorrow", at(2026, 10, 21, 16, 0, 0), "tomorrow", "tomorrow"],
])("says %s", (_, moment, whole, bare) => {
  expect(whole.split("|")).toContain(formatRelative(moment, now))
  expect(bare.split("|")).toContain(formatRelative(moment, now, true))
})

test("says a day in a sentence with the whole name of its month", () => {
  expect(formatLongDay(at(2026, 8, 1, 9, 0, 0), now)).toBe("September 1")
  expect(formatLongDay(at(2024, 8, 1, 9, 0, 0), now)).toBe("September 1, 2024")
})

test.each([
  [at(2026, 10, 20, 17, 30, 0), "17:30"],
  [at(2026, 10, 23, 9, 0, 0), "Monday"],
  [at(2026, 10, 26, 0, 0, 0), "Thursday"],
  [at(2026, 10, 27, 9, 0, 0), "November 27"],
  [at(2027, 0, 4, 9, 0, 0), "January 4, 2027"],
])("says an end %#", (moment, words) => expect(formatEnd(moment, now)).toBe(words))

test("gives the exact moment with seconds and zone, and what is no moment as it is", () => {
  expect(formatExact("2026-11-20T09:08:07Z")).toMatch(/2026.*:08:07/)
  expect(formatExact("2026-11-20T09:08:07.123456789Z")).toMatch(/:08:07/)
  expect(formatExact("soon")).toBe("soon")
  expect(momentOf("soon")).toBeUndefined()
})

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
