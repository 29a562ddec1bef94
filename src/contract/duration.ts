const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }
const LONGEST_MS = 366 * 24 * 3_600_000

/** Reads a whole number with `s`, `m` or `h`, such as `30m`. Gives milliseconds; undefined for every other text and for more than a year. */
export function parseDuration(text: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(text) ?? []
  const milliseconds = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  return milliseconds <= LONGEST_MS ? milliseconds : undefined
}
