/** Calendar days in a time zone, as moments. */

/** The zone where the name is one that this program knows; undefined for any other. */
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

/** Consecutive days. `starts` has one moment more than `dates`: the end of the last day. */
export class Days {
  readonly dates: readonly string[]
  readonly #starts: readonly number[]

  /** The days from `first` to `last`, counted from today (0); `now` is in milliseconds since 1970. */
  constructor(now: number, zone: string, first: number, last: number) {
    const clock = new Intl.DateTimeFormat("en", { timeZone: zone, ...CLOCK })
    const today = Math.floor(wallTime(clock, now) / DAY_MS)
    const days = Array.from({ length: last - first + 2 }, (_, index) => (today + first + index) * DAY_MS)
    this.dates = days.slice(0, -1).map((day) => new Date(day).toISOString().slice(0, "2026-11-21".length))
    this.#starts = days.map((day) => midnight(clock, day))
  }

  /** The day of a moment: -1 before the first, `dates.length` after the last. */
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

/** What the zone's clocks show at a moment, as if they showed UTC. (Temporal would tell, but Node 24 does not have it.) */
function wallTime(clock: Intl.DateTimeFormat, moment: number): number {
  const parts = new Map(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
}

/** The moment at which the zone's clocks show the beginning of a day. Looks twice, because the offset may change in between. */
function midnight(clock: Intl.DateTimeFormat, day: number): number {
  const guess = day - (wallTime(clock, day) - day)
  return guess + day - wallTime(clock, guess)
}
