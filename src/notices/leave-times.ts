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
  return quietHours(choice, moment) !== undefined
}

/** When the quiet hours around a moment end. The moment itself when it is not within quiet hours. */
export function quietEnd(choice: Choice, moment: number): number {
  return quietHours(choice, moment)?.end ?? moment
}

/** Whether a full hour (hourly) or 8:00 (daily) lies after `before` and not after `now`. A slot in quiet hours counts from the end of these hours. */
export function isSlotDue(choice: Choice, before: number, now: number): boolean {
  if (isQuiet(choice, now)) return false
  return nextSlot(choice, quietHours(choice, before)?.lastBefore ?? before) <= now
}

/** The first full hour (hourly) or 8:00 (daily) after a moment. */
function nextSlot({ mail, time_zone }: Choice, after: number): number {
  const clock = clockOf(time_zone)
  const wall = clock.wallTimeAt(after)
  if (mail === "hourly") return after - (after % 1_000) + HOUR_MS - (wall % HOUR_MS)
  const today = wall - (wall % DAY_MS) + DAILY_AT_MS
  return clock.momentOf(today > wall ? today : today + DAY_MS)
}

/** The quiet hours that a moment is within: the last moment before them, and their end. */
function quietHours(
  { quiet_from, quiet_until, time_zone }: Choice,
  moment: number,
): { readonly lastBefore: number; readonly end: number } | undefined {
  if (quiet_from === null || quiet_until === null) return undefined
  const clock = clockOf(time_zone)
  const now = clock.wallTimeAt(moment)
  const midnight = now - (now % DAY_MS)
  const [from, until] = [midnight + timeOfDay(quiet_from), midnight + timeOfDay(quiet_until)]
  const isWithin = from < until ? now >= from && now < until : now >= from || now < until
  if (!isWithin) return undefined
  return {
    lastBefore: clock.momentOf(from > now ? from - DAY_MS : from) - 1,
    // A change to summer time may skip the end. Then `momentOf` may give a moment that is not after `moment`.
    end: Math.max(clock.momentOf(until > now ? until : until + DAY_MS), moment + 1),
  }
}

/** Milliseconds since midnight of `HH:MM`. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number)
  return hours * HOUR_MS + minutes * MINUTE_MS
}
