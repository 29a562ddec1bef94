/** Reads header fields whose rules several parts of the server share. */
import { parseList } from "structured-headers"

/** The media type of a Content-Type field in lower case, without parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
}

/** Whether a browser wants a page to show. */
export function acceptsPage(accept: string | undefined): boolean {
  return (accept ?? "").toLowerCase().includes("text/html")
}

/** Whether the client refuses an answer that was already under way or cached (`Cache-Control: no-cache`). */
export function hasNoCache(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && /(?:^|[\s,])no-cache(?:$|[\s,])/i.test(cacheControl)
}

/** Compares weakly. The field may be `*` or a list (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const opaque = withoutWeakness(etag)
  return ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || withoutWeakness(tag.trim()) === opaque)
}

const withoutWeakness = (tag: string) => tag.replace(/^W\//, "")

/**
 * Reads the weights of Accept-Encoding (RFC 9110, 12.5.3), 0 to 1. `identity` that isn't named weighs 0 here, even with `*`: it stays allowed, but
 * every coding that the client accepts is preferred.
 */
export function readAcceptEncoding(field: string | undefined): (coding: string) => number {
  const weights = new Map(
    (field ?? "").split(",").map((item) => {
      const [coding = "", ...parameters] = item
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      // A weight that is no number counts as 0.
      return [coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0] as const
    }),
  )
  return (coding) => weights.get(coding) ?? (coding === "identity" ? 0 : (weights.get("*") ?? 0))
}

/** A longer Retry-After counts as a year, so that the end of the pause is a date that can be written. */
const RETRY_AFTER_MAX_MS = 365 * 86_400_000

/** A date of HTTP begins with its day of the week. Date.parse also takes `1.5` for a date. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/** Reads Retry-After (RFC 9110, 10.2.3) as milliseconds. A date is compared with `date` of the same answer, because the clocks may differ. */
export function readRetryAfter(value = "", date = ""): number | undefined {
  if (value === "") return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, RETRY_AFTER_MAX_MS)
  const wait = HTTP_DATE.test(value) ? Date.parse(value) - (Date.parse(date) || Date.now()) : Number.NaN
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), RETRY_AFTER_MAX_MS)
}

/** The parameters of a quota: `q` requests in `w` seconds, of which `r` are left until the refill in `t` seconds. */
type QuotaParameters = Readonly<Partial<Record<"q" | "w" | "r" | "t", number>>>

/**
 * Reads RateLimit or RateLimit-Policy (IETF draft "RateLimit header fields for HTTP"; RFC 9651): the parameters of each quota by the quota's name.
 * Parameters that are no numbers from 0 are left out. Empty when the field is not valid.
 */
export function readQuotas(field = ""): ReadonlyMap<string, QuotaParameters> {
  try {
    return new Map(
      parseList(field).map(([name, parameters]) => {
        const numbers = [...parameters].filter(([, value]) => typeof value === "number" && value >= 0)
        return [String(name), Object.fromEntries(numbers)]
      }),
    )
  } catch {
    return new Map()
  }
}
