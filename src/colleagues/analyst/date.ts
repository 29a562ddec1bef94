/**
 * The possible readings of a date, in milliseconds since 1970 UTC. `4/5/2024` can have the month or the day first, so it has both readings.
 * `dateOrder` decides for the whole column: a single `13/5/2024` shows that the day comes first.
 */
export type DateReading = { readonly monthFirst: number | undefined; readonly dayFirst: number | undefined }

const TIME = String.raw`(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?`
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/])(\d{1,2})\2(\d{1,2})${TIME}$`)
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})${TIME}$`)
const MONTH_NAME = /^([a-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})$/i
const DAY_MONTH_NAME = /^(\d{1,2})[\s-]([a-z]{3,9})\.?[\s-](\d{4})$/i

const MONTHS = ["january", "february", "march", "april", "may", "june", "july"].concat([
  "august",
  "september",
  "october",
  "november",
  "december",
])

/** Reads a date with or without a time. Undefined for a text that is no date, and for a day that does not exist. */
export function readDate(text: string): DateReading | undefined {
  // Most cells are no dates. This check is fast and refuses most of them.
  if (text.length < 8 || text.length > 40 || !/^[\da-z]/i.test(text)) return undefined
  const yearFirst = YEAR_FIRST.exec(text)
  if (yearFirst) {
    const [, year, , month, day, ...time] = yearFirst
    return certain(moment(year, Number(month), day, time))
  }
  const yearLast = YEAR_LAST.exec(text)
  if (yearLast) {
    const [, first, separator, second, year, ...time] = yearLast
    const monthFirst = separator === "." ? undefined : moment(year, Number(first), second, time)
    const dayFirst = moment(year, Number(second), first, time)
    return monthFirst === undefined && dayFirst === undefined ? undefined : { monthFirst, dayFirst }
  }
  const named = MONTH_NAME.exec(text)
  if (named) return certain(moment(named[3], monthOf(named[1]), named[2], []))
  const dayNamed = DAY_MONTH_NAME.exec(text)
  if (dayNamed) return certain(moment(dayNamed[3], monthOf(dayNamed[2]), dayNamed[1], []))
  return undefined
}

/** The order of day and month that fits all dates of a column. If both orders fit, the month comes first. Undefined: no order fits. */
export function dateOrder(
  readings: readonly DateReading[],
): { order: keyof DateReading; ambiguous: boolean } | undefined {
  const monthFirst = readings.every((reading) => reading.monthFirst !== undefined)
  const dayFirst = readings.every((reading) => reading.dayFirst !== undefined)
  if (!monthFirst && !dayFirst) return undefined
  const differ = readings.some((reading) => reading.monthFirst !== reading.dayFirst)
  return { order: monthFirst ? "monthFirst" : "dayFirst", ambiguous: monthFirst && dayFirst && differ }
}

function certain(value: number | undefined): DateReading | undefined {
  return value === undefined ? undefined : { monthFirst: value, dayFirst: value }
}

function monthOf(name: string | undefined): number {
  const lower = (name ?? "").toLowerCase()
  return (
    MONTHS.findIndex(
      (month) => month === lower || month.slice(0, 3) === lower || (lower === "sept" && month.startsWith(lower)),
    ) + 1
  )
}

/** Milliseconds since 1970 UTC. A time without a zone is read as UTC, so that a file gives the same figures on every machine. */
function moment(
  year: string | undefined,
  month: number,
  day: string | undefined,
  time: readonly (string | undefined)[],
) {
  const [hour = "0", minute = "0", second = "0", zone] = time
  if (month < 1 || month > 12 || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), month - 1, Number(day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== Number(day)) return undefined
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  return date.getTime() - offset(zone)
}

function offset(zone: string | undefined): number {
  if (zone === undefined || zone === "Z") return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000
}
