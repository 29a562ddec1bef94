/** Calendar days in a time zone. Moments are milliseconds since 1970. */

/** The canonical name of a time zone. Undefined when Node does not know the name. */
export function readZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const DAY_MS = 86_400_000

const CLOCK = {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const

/** Consecutive days. `dates` are such as `2026-11-21`. */
export class Days {
  readonly dates: readonly string[]
  /** When each day begins, and when the last day ends. */
  readonly #starts: readonly number[]

  /** The days from `first` to `last`, where 0 is the day of `now` in the zone. */
  constructor(now: number, zone: string, first: number, last: number) {
    const clock = new Intl.DateTimeFormat("en", { timeZone: zone, ...CLOCK })
    const today = Math.floor(wallTime(clock, now) / DAY_MS)
    const days = Array.from({ length: last - first + 2 }, (_, index) => (today + first + index) * DAY_MS)
    this.dates = days.slice(0, -1).map((day) => new Date(day).toISOString().slice(0, "2026-11-21".length))
    this.#starts = days.map((day) => midnight(clock, day))
  }

  /** The index of a moment's day: -1 before the first day, `dates.length` after the last day. */
  indexOf(moment: number): number {
    let [low, high] = [0, this.#starts.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#starts[middle] ?? Number.POSITIVE_INFINITY) <= moment) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** The time on the zone's clocks at a moment, read as if it were UTC. (Node 24 does not have Temporal, which would do this.) */
function wallTime(clock: Intl.DateTimeFormat, moment: number): number {
  const parts = new Map(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
}

/** The moment at which a day begins in the zone. The second step corrects a change of the offset between the two moments. */
function midnight(clock: Intl.DateTimeFormat, day: number): number {
  const guess = day - (wallTime(clock, day) - day)
  return guess + day - wallTime(clock, guess)
}
