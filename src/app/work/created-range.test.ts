import { afterEach, expect, test } from "vitest"
import { createdRange, parseCreated } from "./created-range.ts"

const zone = process.env["TZ"]
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"]
  else process.env["TZ"] = zone
})

/** The range as instants, for a reader in `zone` at `now`. */
function rangeIn(zone: string, created: string, now: string) {
  process.env["TZ"] = zone
  const { createdFrom, createdBefore } = createdRange(created, Date.parse(now))
  const write = (moment?: number) => (moment === undefined ? undefined : new Date(moment).toISOString())
  return [write(createdFrom), write(createdBefore)]
}

test.each([
  // A second before and at midnight in Oslo.
  ["Europe/Oslo", "yesterday", "2026-11-28T22:59:59Z", "2026-11-26T23:00:00.000Z", "2026-11-27T23:00:00.000Z"],
  ["Europe/Oslo", "yesterday", "2026-11-28T23:00:00Z", "2026-11-27T23:00:00.000Z", "2026-11-28T23:00:00.000Z"],
  ["Asia/Kolkata", "today", "2026-11-28T18:30:00Z", "2026-11-28T18:30:00.000Z", "2026-11-29T18:30:00.000Z"],
  ["America/Los_Angeles", "today", "2026-11-28T07:59:59Z", "2026-11-27T08:00:00.000Z", "2026-11-28T08:00:00.000Z"],
  // A day has 23 or 25 hours when daylight saving time begins or ends.
  ["Europe/Oslo", "yesterday", "2026-03-30T10:00:00Z", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"],
  ["Europe/Oslo", "2026-10-25", "2026-11-28T10:00:00Z", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
  ["Pacific/Auckland", "2026-11-28", "2026-11-28T10:00:00Z", "2026-11-27T11:00:00.000Z", "2026-11-28T11:00:00.000Z"],
  ["UTC", "7d", "2026-03-03T10:00:00Z", "2026-02-25T00:00:00.000Z", undefined],
  ["UTC", "30d", "2026-03-03T10:00:00Z", "2026-02-02T00:00:00.000Z", undefined],
])("in %s, %s at %s begins at %s and ends before %s", (zone, created, now, from, before) => {
  expect(rangeIn(zone, created, now)).toEqual([from, before])
})

test("a value that is neither a name nor a day of the calendar is ignored", () => {
  for (const text of ["today", "7d", "2026-02-28", "2024-02-29"]) expect(parseCreated(text)).toBe(text)
  for (const text of [null, "", "tomorrow", "constructor", "2026-02-29", "2026-13-01", "2026-1-1", "0050-01-01"])
    expect(parseCreated(text)).toBeUndefined()
})
