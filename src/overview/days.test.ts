import { expect, test } from "vitest"
import { Days } from "./days.ts"

const NOW = Date.parse("2026-11-21T12:00:00Z")

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
