/** Parses and formats the time limit of new Work. */
import { EXECUTION_LIMIT_MAX_SECONDS } from "../../contract/limits.ts"
import { plural } from "../../contract/plural.ts"

const PART = /(\d+(?:[.,]\d+)?)\s*(h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)?(?![a-z\d])/gi
/** By the first letter of a unit. */
const SECONDS_OF: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 }

/** A longer text is no time limit. The time of `PART` grows with the square of a row of digits. */
const TEXT_MAX = 200

type TimeLimit = { readonly seconds: number } | { readonly problem: string }

/**
 * Reads a time limit as people write it: `45` (minutes), `1 h 30 min`, `1:30`, `1.5 hours`, `90 s`. A limit is a whole number of seconds, from
 * 1 s to 24 h (openapi.yaml, createWork). An empty text is no limit.
 */
export function readTimeLimit(text: string): TimeLimit | undefined {
  if (text.trim() === "") return undefined
  const seconds = text.length > TEXT_MAX ? undefined : secondsOf(text.trim())
  if (seconds === undefined) return { problem: "Enter a time such as 45 min or 1 h 30 min." }
  if (!Number.isInteger(seconds) || seconds < 1) return { problem: "Enter a whole number of seconds, at least 1 s." }
  const over = seconds - EXECUTION_LIMIT_MAX_SECONDS
  return over > 0
    ? { problem: `${formatDuration(over)} too long: at most ${formatDuration(EXECUTION_LIMIT_MAX_SECONDS)}.` }
    : { seconds }
}

/** Seconds in words: "1 hour 30 minutes". */
export function formatDuration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), "hour"],
    [Math.floor((seconds % 3600) / 60), "minute"],
    [seconds % 60, "second"],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => plural(count, unit))
    .join(" ")
}

function secondsOf(text: string): number | undefined {
  const clock = /^(\d+):([0-5]\d)$/.exec(text)
  if (clock !== null) return Number(clock[1]) * 3600 + Number(clock[2]) * 60
  const parts = [...text.matchAll(PART)]
  const notUnderstood = text.replaceAll(PART, "").replaceAll(/\s|,|and/gi, "")
  if (parts.length === 0 || notUnderstood !== "") return undefined
  let total = 0
  for (const [, amount = "", named] of parts) {
    // A number without a unit is minutes, if it stands alone.
    if (named === undefined && parts.length > 1) return undefined
    const unit = named ?? "minutes"
    const seconds = SECONDS_OF[unit.charAt(0).toLowerCase()]
    if (seconds === undefined) return undefined
    total += Number(amount.replace(",", ".")) * seconds
  }
  // 1.1 h is 3960 s, not 3960.0000000000005.
  return Math.round(total * 1000) / 1000
}
