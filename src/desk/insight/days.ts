/** Calendar days in a time zone. Moments are milliseconds since 1970. */

/** Whether Node knows a time zone. Cheap for a zone that was asked for before. */
export function isZone(name: string): boolean {
  try {
    clockOf(name)
    return true
  } catch {
    return false
  }
}

const DAY_MS = 86_400_000

const clocks = new Map<string, ZoneClock>()
/** How many clocks are kept. A zone has several names, and each may be written in any letter case. */
const CLOCKS_MAX = 1_000
const MOMENTS_MAX = 1_000

/** The clock of a zone that `isZone` knows. Making one takes longer than reading it a hundred times. */
export function clockOf(zone: string): ZoneClock {
  const clock = clocks.get(zone) ?? new ZoneClock(zone)
  if (clocks.size >= CLOCKS_MAX) clocks.clear()
  clocks.set(zone, clock)
  return clock
}

/** What the clocks of a zone show. A wall time is what they show, read as if it were UTC. (Node 24, which a production install may run on, does not have Temporal, which would do this.) */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat
  /** The answers of `momentOf`. Notices ask for the same few wall times for everybody, each second. */
  readonly #moments = new Map<number, number>()

  constructor(timeZone: string) {
    // Swedish writes the time as ISO 8601 does.
    this.#format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
  }

  /** The wall time at a moment, in whole seconds. */
  wallTimeAt(moment: number): number {
    return Date.parse(`${this.#format.format(moment).replace(" ", "T")}Z`)
  }

  /** The first moment at which the clocks show a wall time or later, also where they show an hour twice or leave one out. */
  momentOf(wallTime: number): number {
    const moment = this.#moments.get(wallTime) ?? this.#findMoment(wallTime)
    if (this.#moments.size >= MOMENTS_MAX) this.#moments.clear()
    this.#moments.set(wallTime, moment)
    return moment
  }

  #findMoment(wallTime: number): number {
    // A moment is its wall time less the offset, so the greater offset gives the earlier moment. Where the clocks do not change, both are the same.
    const offsets = [this.#offsetAt(wallTime - DAY_MS), this.#offsetAt(wallTime + DAY_MS)]
    let early = wallTime - Math.max(...offsets)
    if (this.wallTimeAt(early) >= wallTime) return early
    let late = wallTime - Math.min(...offsets)
    while (late - early > 1_000) {
      const middle = early + Math.floor((late - early) / 2_000) * 1_000
      if (this.wallTimeAt(middle) >= wallTime) late = middle
      else early = middle
    }
    return late
  }

  /** By how much the clocks are ahead of UTC at a moment. */
  #offsetAt(moment: number): number {
    return this.wallTimeAt(moment) - moment
  }
}

/** Consecutive days in a time zone. */
export class Days {
  /** As `2026-11-21`. */
  readonly dates: readonly string[]
  /** When each day begins, and when the last day ends. */
  readonly #starts: readonly number[]

  /** The days from `first` to `last`, counted from the day of `now` in the zone: 0 is that day, -1 the day before. */
  constructor(now: number, zone: string, first: number, last: number) {
    const clock = clockOf(zone)
    const today = Math.floor(clock.wallTimeAt(now) / DAY_MS)
    const days = Array.from({ length: last - first + 2 }, (_, index) => (today + first + index) * DAY_MS)
    this.dates = days.slice(0, -1).map((day) => new Date(day).toISOString().slice(0, "2026-11-21".length))
    this.#starts = days.map((day) => clock.momentOf(day))
  }

  /** The index of a moment's day: -1 before the first day, `dates.length` after the last day. */
  indexOf(moment: number): number {
    return this.#starts.findLastIndex((start) => start <= moment)
  }

  /** How many of the moments each day has. */
  count(moments: readonly number[]): readonly number[] {
    const counts = this.dates.map(() => 0)
    for (const index of moments.map((moment) => this.indexOf(moment))) {
      if (counts[index] !== undefined) counts[index]++
    }
    return counts
  }
}
