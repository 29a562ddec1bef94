import { EXECUTION_LIMIT_MAX_SECONDS } from "../../contract/limits.ts"
import { plural } from "./read-input-file.ts"

const PART = /(\d+(?:[.,]\d+)?)\s*(h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)?(?![a-z\d])/gi
const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 }

/** A time limit in seconds, or what is wrong with the text. */
export type TimeLimit = { readonly seconds: number } | { readonly problem: string }

/**
 * Reads a time limit as people write it: `45` (minutes), `1 h 30 min`, `1:30`, `1.5 hours`, `90 s`. A limit is a whole number of seconds, from
 * 1 s to 24 h (openapi.yaml, createWork). An empty text is no limit.
 */
export function readTimeLimit(text: string): TimeLimit | undefined {
  if (text.trim() === "") return undefined
  const seconds = secondsOf(text.trim())
  if (seconds === undefined) return { problem: "Write minutes and hours, such as 45 min or 1 h 30 min." }
  if (!Number.isInteger(seconds) || seconds < 1) return { problem: "At least one second, and whole seconds." }
  const over = seconds - EXECUTION_LIMIT_MAX_SECONDS
  return over > 0 ? { problem: `${formatDuration(over)} too long: at most 24 hours.` } : { seconds }
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
  for (const [, amount = "", unit] of parts) {
    // A number without a unit is minutes, if it stands alone.
    if (unit === undefined && parts.length > 1) return undefined
    total += Number(amount.replace(",", ".")) * (UNIT_SECONDS[unit?.[0]?.toLowerCase() ?? "m"] ?? 60)
  }
  // 1.1 h is 3960 s, not 3960.0000000000005.
  return Math.round(total * 1000) / 1000
}
