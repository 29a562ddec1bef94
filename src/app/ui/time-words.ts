/** The one formatter of times, dates, ages and waits on the screen. */
import { countOf } from "../../contract/plural.ts"

/** The reader's own kind of English (en-GB, en-IN …), because the words of the page are English. */
const locale = globalThis.navigator?.languages?.find((language) => /^en\b/i.test(language)) ?? "en"

/** Makes a format at the first use, because the first format of a page makes a browser load its data of languages, for 25 ms. */
function dates(options: Intl.DateTimeFormatOptions): { format: (moment: number) => string } {
  let made: Intl.DateTimeFormat | undefined
  return { format: (moment) => (made ??= new Intl.DateTimeFormat(locale, options)).format(moment) }
}

const exact = dates({ dateStyle: "medium", timeStyle: "long" })
const day = dates({ month: "short", day: "numeric" })
const dayAndYear = dates({ dateStyle: "medium" })
const longDay = dates({ month: "long", day: "numeric" })
const longDayAndYear = dates({ dateStyle: "long" })
const clock = dates({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
const dayOfWeek = dates({ weekday: "long" })
const weekday = dates({ weekday: "long", day: "numeric", month: "long" })
const weekdayAndYear = dates({ dateStyle: "full" })

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The moment of an ISO 8601 text in milliseconds since 1970; undefined where the text is no moment. */
export const momentOf = (iso: string): number | undefined => {
  const moment = Date.parse(iso)
  return Number.isNaN(moment) ? undefined : moment
}

/** The moment to the second, with the name of the reader's zone. A text that is no moment is returned as it is. */
export function formatExact(iso: string): string {
  const moment = momentOf(iso)
  return moment === undefined ? iso : exact.format(moment)
}

/** The calendar day, with the year where it is not the year of `now`. Both are in milliseconds since 1970. */
export function formatDay(moment: number, now: number): string {
  return (isSameYear(moment, now) ? day : dayAndYear).format(moment)
}

/** As `formatDay`, with the whole name of the month, for a sentence: "since 20 November". */
export function formatLongDay(moment: number, now: number): string {
  return (isSameYear(moment, now) ? longDay : longDayAndYear).format(moment)
}

/** The time of the day, with the calendar day where that is not the day of `now`: "14:30", "24 Nov, 09:00". Both are in ms since 1970. */
export function formatClock(moment: number, now: number): string {
  const time = clock.format(moment)
  return midnight(moment) === midnight(now) ? time : `${formatDay(moment, now)}, ${time}`
}

/** The calendar day with its weekday, and the year where it is not the year of `now`. Both are in milliseconds since 1970. */
export function formatWeekday(moment: number, now: number): string {
  return (isSameYear(moment, now) ? weekday : weekdayAndYear).format(moment)
}

/** An end in a sentence, after "until": "14:30" of the same day, "Monday" within a week, "7 December" later. Both are in ms since 1970. */
export function formatEnd(moment: number, now: number): string {
  const days = Math.round((midnight(moment) - midnight(now)) / DAY)
  if (days === 0) return clock.format(moment)
  return days > 0 && days < 7 ? dayOfWeek.format(moment) : formatLongDay(moment, now)
}

const isSameYear = (one: number, other: number): boolean =>
  new Date(one).getFullYear() === new Date(other).getFullYear()

/** A wait in milliseconds as words, rounded up, in the largest unit of which there are at least two: "12 s", "5 min", "3 hours", "35 days". */
export function formatWait(wait: number): string {
  return formatDuration(wait, Math.ceil)
}

/** An age in milliseconds as words, like `formatWait`, but rounded down. */
export function formatAge(age: number): string {
  return formatDuration(age, Math.floor)
}

function formatDuration(duration: number, round: (units: number) => number): string {
  const seconds = Math.max(0, round(duration / 1000))
  if (seconds < 120) return `${seconds} s`
  if (duration < 2 * HOUR) return `${round(duration / MINUTE)} min`
  if (duration < 2 * DAY) return countOf(round(duration / HOUR), "hour")
  return countOf(round(duration / DAY), "day")
}

const midnight = (moment: number): number => new Date(moment).setHours(0, 0, 0, 0)

/**
 * The moment relative to `now` (both in milliseconds): "4 min ago", "in 2 hr", "yesterday", "3 days ago", and from a week on the date. `bare`, for
 * a column of ages, leaves out "ago" and gives the date from the second day on.
 */
export function formatRelative(moment: number, now: number, bare = false): string {
  const difference = moment - now
  const size = Math.abs(difference)
  const inUnits = (count: number, unit: string): string => {
    if (difference > 0) return `in ${count} ${unit}`
    return bare ? `${count} ${unit}` : `${count} ${unit} ago`
  }
  if (size < MINUTE) return "now"
  if (size < HOUR) return inUnits(Math.trunc(size / MINUTE), "min")
  const days = Math.round((midnight(moment) - midnight(now)) / DAY)
  // Up to twelve hours, hours are said also across midnight: "8 hr ago" says more than "yesterday".
  if (size < 12 * HOUR || days === 0) return inUnits(Math.trunc(size / HOUR), "hr")
  if (days === -1) return "yesterday"
  if (days === 1) return "tomorrow"
  if (Math.abs(days) < 7 && !bare) return inUnits(Math.abs(days), "days")
  return formatDay(moment, now)
}
