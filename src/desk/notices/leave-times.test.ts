import { expect, test } from "vitest"
import { isQuiet, isSlotDue, quietEnd } from "./leave-times.ts"

const choice = { mail: "hourly", quiet_from: null, quiet_until: null, time_zone: "Europe/Berlin" } as const
const at = (text: string) => Date.parse(text)

/** Every moment between two at which a mail leaves, when the desk looks each minute. */
function leaves(of: Parameters<typeof isSlotDue>[0], from: string, until: string): string[] {
  const found: string[] = []
  for (let moment = at(from) + 60_000; moment <= at(until); moment += 60_000) {
    if (isSlotDue(of, moment - 60_000, moment)) found.push(new Date(moment).toISOString().slice(5, 16))
  }
  return found
}

test("hourly leaves at each full hour of the zone, also where the offset has half an hour", () => {
  expect(leaves(choice, "2026-03-28T09:10:00Z", "2026-03-28T11:00:00Z")).toEqual(["03-28T10:00", "03-28T11:00"])
  const kolkata = { ...choice, time_zone: "Asia/Kolkata" }
  expect(leaves(kolkata, "2026-03-28T09:10:00Z", "2026-03-28T11:00:00Z")).toEqual(["03-28T09:30", "03-28T10:30"])
})

test("daily leaves at 8:00, before and after the change to summer time", () => {
  const daily = { ...choice, mail: "daily" } as const
  expect(leaves(daily, "2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z")).toEqual([
    "03-28T07:00",
    "03-29T06:00",
    "03-30T06:00",
  ])
  expect(leaves(daily, "2026-10-23T12:00:00Z", "2026-10-26T12:00:00Z")).toEqual([
    "10-24T06:00",
    "10-25T07:00",
    "10-26T07:00",
  ])
})

test("what falls into quiet hours leaves at their end, over midnight and over the change to summer time", () => {
  const quiet = { ...choice, quiet_from: "22:30", quiet_until: "07:15" }
  expect(leaves(quiet, "2026-03-28T20:30:00Z", "2026-03-29T06:10:00Z")).toEqual([
    "03-28T21:00",
    "03-29T05:15",
    "03-29T06:00",
  ])
  expect(isQuiet(quiet, at("2026-03-28T21:30:00Z"))).toBe(true)
  expect(isQuiet(quiet, at("2026-03-29T05:15:00Z"))).toBe(false)
  expect(new Date(quietEnd(quiet, at("2026-03-28T23:00:00Z"))).toISOString()).toBe("2026-03-29T05:15:00.000Z")
  expect(quietEnd(quiet, at("2026-03-28T12:00:00Z"))).toBe(at("2026-03-28T12:00:00Z"))
})

test("a daily mail at 8:00 within quiet hours leaves once, at their end", () => {
  const quiet = { ...choice, mail: "daily", quiet_from: "07:00", quiet_until: "09:30" } as const
  expect(leaves(quiet, "2026-06-01T00:00:00Z", "2026-06-02T23:00:00Z")).toEqual(["06-01T07:30", "06-02T07:30"])
})

test("quiet hours that end in the hour that summer time skips end all the same", () => {
  const quiet = { ...choice, quiet_from: "01:00", quiet_until: "02:30" }
  expect(leaves(quiet, "2026-03-29T00:10:00Z", "2026-03-29T02:00:00Z")).toEqual(["03-29T01:00", "03-29T02:00"])
})

test("a desk that was down over the full hour sends as soon as it looks again", () => {
  expect(isSlotDue(choice, at("2026-06-01T09:50:00Z"), at("2026-06-01T10:20:00Z"))).toBe(true)
  expect(isSlotDue(choice, at("2026-06-01T10:05:00Z"), at("2026-06-01T10:20:00Z"))).toBe(false)
})

test.each(["America/New_York", "America/Havana", "Europe/Berlin"])(
  "in the hour that %s has twice, quiet hours end once, and a mail in them is not due before their end",
  (time_zone) => {
    for (const [quiet_from, quiet_until] of [
      ["22:00", "00:30"],
      ["22:00", "01:30"],
      ["22:00", "02:30"],
      ["00:15", "00:45"],
      ["01:15", "01:45"],
      ["02:15", "02:45"],
    ] as const) {
      const quiet = { ...choice, time_zone, quiet_from, quiet_until }
      const ends = new Set<number>()
      for (const day of ["2026-10-24", "2026-10-31"]) {
        for (let moment = at(`${day}T18:00:00Z`); moment < at(`${day}T18:00:00Z`) + 18 * 3_600_000; moment += 60_000) {
          if (!isQuiet(quiet, moment)) continue
          const end = quietEnd(quiet, moment)
          expect(end - moment, new Date(moment).toISOString()).toBeGreaterThanOrEqual(60_000)
          expect(isQuiet(quiet, end)).toBe(false)
          ends.add(end)
        }
      }
      // Quiet hours over midnight end once each night, and the two windows begin and end within a night.
      expect(ends.size, `${quiet_from} ${quiet_until}`).toBeLessThanOrEqual(2)
    }
  },
)
