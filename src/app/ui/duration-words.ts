const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

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
  if (duration < 2 * HOUR_MS) return `${round(duration / MINUTE_MS)} min`
  if (duration < 2 * DAY_MS) return `${round(duration / HOUR_MS)} hours`
  return `${round(duration / DAY_MS)} days`
}
