import { expect, test } from "vitest"
import { Days } from "./days.ts"

const NOW = Date.parse("2026-11-21T12:00:00Z")

test.each([
  ["America/Santiago", "2025-09-07", "2025-09-07T04:00:00Z"],
  ["America/Havana", "2025-03-09", "2025-03-09T05:00:00Z"],
  ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"],
  ["Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"],
])("a day of %s whose midnight the clocks jump over begins with the jump", (zone, date, begin) => {
  const days = new Days(Date.parse(begin) + 3_600_000, zone, -1, 0)
  expect(days.dates[1]).toBe(date)
  expect([-1, 0].map((after) => days.indexOf(Date.parse(begin) + after))).toEqual([0, 1])
})

test("days begin at midnight of the zone, also when its clocks change", () => {
  const oslo = new Days(Date.parse("2026-10-26T12:00:00Z"), "Europe/Oslo", -2, 0)
  expect(oslo.dates).toEqual(["2026-10-24", "2026-10-25", "2026-10-26"])
  const indexes = [
    "2026-10-23T21:59:59Z",
    "2026-10-23T22:00:00Z",
    "2026-10-24T22:00:00Z",
    "2026-10-25T22:59:59Z",
    "2026-10-25T23:00:00Z",
  ]
  expect(indexes.map((moment) => oslo.indexOf(Date.parse(moment)))).toEqual([-1, 0, 1, 1, 2])
  expect(new Days(NOW, "Pacific/Kiritimati", 0, 0).dates).toEqual(["2026-11-22"])
})
