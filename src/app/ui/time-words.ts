/** The reader's own kind of English (en-GB, en-IN …), because the words of the page are English. */
export const locale = globalThis.navigator?.languages?.find((language) => /^en\b/i.test(language)) ?? "en"

/** Makes a value at the first call. A browser takes up to a millisecond to make a format, and the first page needs one or two of them. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

const ago = once(() => new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" }))
const dates = (options: Intl.DateTimeFormatOptions) => once(() => new Intl.DateTimeFormat(locale, options))
const exact = dates({ dateStyle: "medium", timeStyle: "long" })
const day = dates({ month: "short", day: "numeric" })
const dayAndYear = dates({ dateStyle: "medium" })
const units = (unit: string) => once(() => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }))
const minutes = units("minute")
const hours = units("hour")

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
  return moment === undefined ? iso : exact().format(moment)
}

/** The calendar day, with the year where it is not the year of `now`. Both are in milliseconds since 1970. */
export function formatDay(moment: number, now: number): string {
  return (new Date(moment).getFullYear() === new Date(now).getFullYear() ? day : dayAndYear)().format(moment)
}

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
  if (duration < 2 * DAY) return `${round(duration / HOUR)} hours`
  return `${round(duration / DAY)} days`
}

const midnight = (moment: number): number => new Date(moment).setHours(0, 0, 0, 0)

/**
 * The moment relative to `now` (both in milliseconds): "4 min ago", "in 2 hr.", "yesterday", then the date. `bare` leaves out "ago", for a
 * column of ages.
 */
export function formatRelative(moment: number, now: number, bare = false): string {
  const difference = moment - now
  const size = Math.abs(difference)
  if (size < MINUTE) return "now"
  if (size < HOUR)
    return difference < 0 && bare
      ? minutes().format(Math.trunc(size / MINUTE))
      : ago().format(Math.trunc(difference / MINUTE), "minute")
  const days = Math.round((midnight(moment) - midnight(now)) / DAY)
  // For half a day Work of last night is "8 hr. ago", because "yesterday" says less.
  if (size < 12 * HOUR || days === 0)
    return difference < 0 && bare
      ? hours().format(Math.trunc(size / HOUR))
      : ago().format(Math.trunc(difference / HOUR), "hour")
  if (Math.abs(days) <= 1) return ago().format(days, "day")
  if (Math.abs(days) < 7 && !bare) return ago().format(days, "day")
  return formatDay(moment, now)
}
