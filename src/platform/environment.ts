/** Reads values of environment variables. Each error begins with the variable's name, and repeats no value. */
import { ConfigurationError } from "./configuration-error.ts"
import { isProtected } from "./protected-url.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** @throws ConfigurationError with the message, unless the condition holds */
export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ConfigurationError(message)
}

/** Reads a variable that `because`, another variable, needs. @throws ConfigurationError when it is missing or empty */
export function required(env: Environment, name: string, because: string): string {
  const value = env[name]
  demand(value !== undefined, `${name} is required with ${because}`)
  demand(value.trim() !== "", `${name} is empty`)
  return value
}

/** Reads a whole number. Undefined: the variable is not set, or empty. @throws ConfigurationError */
export function readNumber(env: Environment, name: string, least: number, most: number): number | undefined {
  const value = env[name]
  if (!value) return undefined
  const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN
  demand(number >= least && number <= most, `${name} must be a whole number from ${least} to ${most}`)
  return number
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }
const LONGEST_MS = 366 * 24 * 3_600_000

/** Reads a whole number with `s`, `m` or `h`, such as `30m`. Returns milliseconds; undefined for every other text and for more than a year. */
export function parseDuration(text: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(text) ?? []
  const milliseconds = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  return milliseconds <= LONGEST_MS ? milliseconds : undefined
}

/** Reads a duration in milliseconds. The default and the bounds are durations, too, such as `30m`. @throws ConfigurationError */
export function readDuration(env: Environment, name: string, preset: string, least: string, most: string): number {
  const [duration, shortest = 0, longest = 0] = [env[name] ?? preset, least, most].map(parseDuration)
  const isWithin = duration !== undefined && duration >= shortest && duration <= longest
  demand(isWithin, `${name} must be from ${least} to ${most}: a whole number with s, m or h, such as ${preset}`)
  return duration
}

const URL_PARTS = ["path", "query"] as const

type UrlPart = (typeof URL_PARTS)[number]

/** Reads an address that nobody on the network can listen to: https, or http to this machine. `allowed` may follow its host. @throws ConfigurationError */
export function readUrl(name: string, value: string, allowed: readonly UrlPart[]): URL {
  const url = parseUrl(value, allowed)
  const without = ["user", ...URL_PARTS.filter((part) => !allowed.includes(part))].join(", ")
  const expected = `an address that begins with https:// (or http:// on this machine), without ${without} and fragment`
  demand(url !== undefined, `${name} must be ${expected}`)
  return url
}

/** The address that `readUrl` reads, or undefined. The parser of URLs alone would accept `https:/host` and `https:\\host`. */
export function parseUrl(value: string, allowed: readonly UrlPart[]): URL | undefined {
  const match = /^https?:\/\/[^@/?#\\\s]+(\/[^?#\\\s]*)?(\?[^#\\\s]*)?$/i.exec(value)
  const [, path = "/", query] = match ?? []
  const isShaped = (allowed.includes("path") || path === "/") && (allowed.includes("query") || query === undefined)
  const url = match !== null && isShaped ? URL.parse(value) : null
  return url !== null && isProtected(url) ? url : undefined
}
