/**
 * The times that hold a notice back: NOTICE_BATCH, the use of the desk, quiet hours, and the full hours and 8:00 of hourly and daily mails. `toDueNotices`
 * of `due-notices.ts` and `findOwnDeliveries` of `own-work.ts` decide by them. Moments are milliseconds since 1970.
 */
import type { NoticeChoice } from "../../contract/desk-people.ts"
import { clockOf } from "../insight/days.ts"
import { type Environment, readDuration } from "../../platform/environment.ts"

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
const DAILY_AT_MS = 8 * HOUR_MS
const IN_USE_MS = 2 * MINUTE_MS

/** Reads NOTICE_BATCH: how long a first item waits for more, in milliseconds. @throws ConfigurationError */
export const readBatch = (env: Environment) => readDuration(env, "NOTICE_BATCH", "2m", "0s", "15m")

/** Whether a person uses the desk. Notices "at once" and reminders wait while the person does. Nothing else waits. */
export const isInUse = ({ usedAt }: { readonly usedAt: number }, now: number) => now - usedAt < IN_USE_MS

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

/** The quiet hours around a moment: the last moment before, and their end. In an hour that the clocks show twice, they begin and end the first time. */
function quietHours(
  { quiet_from, quiet_until, time_zone }: Choice,
  moment: number,
): { readonly lastBefore: number; readonly end: number } | undefined {
  if (quiet_from === null || quiet_until === null) return undefined
  const clock = clockOf(time_zone)
  const now = clock.wallTimeAt(moment)
  const today = now - (now % DAY_MS)
  const [from, until] = [timeOfDay(quiet_from), timeOfDay(quiet_until)]
  const length = from < until ? until - from : until - from + DAY_MS
  // They began today, or yesterday and go on over midnight.
  for (const begin of [today + from, today - DAY_MS + from]) {
    const [start, end] = [clock.momentOf(begin), clock.momentOf(begin + length)]
    if (start <= moment && moment < end) return { lastBefore: start - 1, end }
  }
  return undefined
}

/** Milliseconds since midnight of `HH:MM`. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number)
  return hours * HOUR_MS + minutes * MINUTE_MS
}
