/** What every program's configuration shares: the error that ends a start, the rule for plain http, and durations. */
import { isIPv4 } from "node:net"

/** A wrong or missing value of the environment. The message names the variable and repeats no value, because a value may be a secret. */
export class ConfigurationError extends Error {}

/** Whether `host`, a name without brackets and port, is this machine itself, so that nothing sent to it leaves the machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))
}

/** Whether nobody on a network can read what is sent to `url`: the address is https, or http on this machine. */
export function isProtected(url: URL): boolean {
  if (url.protocol === "https:") return true
  return url.protocol === "http:" && isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"))
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }
const LONGEST_MS = 366 * 24 * 3_600_000

/** Reads a whole number with `s`, `m` or `h`, such as `30m`. Gives milliseconds; undefined for every other text and for more than a year. */
export function parseDuration(text: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(text) ?? []
  const milliseconds = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  return milliseconds <= LONGEST_MS ? milliseconds : undefined
}
