/** The filter `Created` of the list of Work: its values in the address, and the instants that they mean in the reader's time zone. */
import { deskNow } from "../client/clock.ts"
import { formatDay } from "../ui/time-words.ts"

const CREATED_WORDS = {
  today: "Today",
  yesterday: "Yesterday",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
} as const

type Named = keyof typeof CREATED_WORDS

const isNamed = (text: string): text is Named => Object.hasOwn(CREATED_WORDS, text)

/** The choices of the filter, in their order. Any other value is a day: `2026-11-27`. */
const createdChoices = Object.entries(CREATED_WORDS)

/** Whether the value is a day of the calendar. */
export const isDay = (created: string | undefined): created is string => created !== undefined && !isNamed(created)

/** The choices of the filter, with the day in the address. */
export function createdChoicesOf(created: string | undefined): readonly (readonly [value: string, words: string])[] {
  if (!isDay(created)) return createdChoices
  const { createdFrom = 0 } = createdRange(created, deskNow())
  return [...createdChoices, [created, formatDay(createdFrom, deskNow())]]
}

/** Reads the value of an address. Undefined if it is neither a name nor a day of the calendar. */
export function parseCreated(text: string | null): string | undefined {
  if (text === null || isNamed(text)) return text ?? undefined
  return dayOf(text) === undefined ? undefined : text
}

/** The range of creation times that match, in ms since 1970. A day begins at the reader's midnight, and may have 23 or 25 hours. */
export function createdRange(
  created: string | undefined,
  now: number,
): { createdFrom?: number; createdBefore?: number } {
  if (created === undefined) return {}
  const today = new Date(now)
  switch (created) {
    case "today":
      return { createdFrom: midnight(today, 0), createdBefore: midnight(today, 1) }
    case "yesterday":
      return { createdFrom: midnight(today, -1), createdBefore: midnight(today, 0) }
    case "7d":
      return { createdFrom: midnight(today, -6) }
    case "30d":
      return { createdFrom: midnight(today, -29) }
    default: {
      const day = dayOf(created)
      return day === undefined ? {} : { createdFrom: midnight(day, 0), createdBefore: midnight(day, 1) }
    }
  }
}

const midnight = (day: Date, days: number): number =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).getTime()

/** Parses a text like `2026-11-27` as a day in the reader's time zone. */
function dayOf(text: string): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year === undefined) return undefined
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  // Date turns February 30 into another day, and a year below 100 into another year.
  const isSame = date.getFullYear() === Number(year) && date.getMonth() === Number(month) - 1
  return isSame && date.getDate() === Number(day) ? date : undefined
}
