/** When a mail may leave, by a person's choice, in the person's time zone. Moments are milliseconds since 1970. */
import type { NoticeChoice } from "../contract/desk-people.ts"
import { clockOf } from "../overview/days.ts"

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
const DAILY_AT_MS = 8 * HOUR_MS

type Choice = Pick<NoticeChoice, "mail" | "quiet_from" | "quiet_until" | "time_zone">

/** Whether a moment is within the person's quiet hours. The end itself is not. */
export function isQuiet(choice: Choice, moment: number): boolean {
  const hours = quietHours(choice)
  if (hours === undefined) return false
  const time = clockOf(choice.time_zone).wallTimeAt(moment) % DAY_MS
  const { from, until } = hours
  return from < until ? time >= from && time < until : time >= from || time < until
}

/** When the quiet hours end that a moment is within. The moment itself when it is not quiet. */
export function quietEnd(choice: Choice, moment: number): number {
  const hours = quietHours(choice)
  if (hours === undefined || !isQuiet(choice, moment)) return moment
  const clock = clockOf(choice.time_zone)
  const now = clock.wallTimeAt(moment)
  const today = now - (now % DAY_MS) + hours.until
  // A change to summer time may skip the end, so that the clock's answer is not later.
  return Math.max(clock.momentOf(today > now ? today : today + DAY_MS), moment + 1)
}

/** Whether a full hour (hourly) or 8:00 (daily) has passed between `before` and `now`. What became due in quiet hours is due at their end. */
export function isSlotDue(choice: Choice, before: number, now: number): boolean {
  if (isQuiet(choice, now)) return false
  return nextSlot(choice, quietBeginOr(choice, before)) <= now
}

/** The first full hour (hourly) or 8:00 (daily) after a moment. */
function nextSlot({ mail, time_zone }: Choice, after: number): number {
  const clock = clockOf(time_zone)
  const wall = clock.wallTimeAt(after)
  if (mail === "hourly") return after - (after % 1_000) + HOUR_MS - (wall % HOUR_MS)
  const today = wall - (wall % DAY_MS) + DAILY_AT_MS
  return clock.momentOf(today > wall ? today : today + DAY_MS)
}

/** The last moment before the quiet hours that a moment is within, or the moment itself. */
function quietBeginOr(choice: Choice, moment: number): number {
  const hours = quietHours(choice)
  if (hours === undefined || !isQuiet(choice, moment)) return moment
  const clock = clockOf(choice.time_zone)
  const now = clock.wallTimeAt(moment)
  const today = now - (now % DAY_MS) + hours.from
  return clock.momentOf(today > now ? today - DAY_MS : today) - 1
}

function quietHours({
  quiet_from,
  quiet_until,
}: Choice): { readonly from: number; readonly until: number } | undefined {
  if (quiet_from === null || quiet_until === null) return undefined
  return { from: timeOfDay(quiet_from), until: timeOfDay(quiet_until) }
}

/** Milliseconds since midnight of `HH:MM`. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number)
  return hours * HOUR_MS + minutes * MINUTE_MS
}
