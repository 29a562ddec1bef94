/** The quota for reading that the service reported last: `remaining` of `quota`, full again in `resetSeconds`. */
export type RateLimit = { readonly remaining: number; readonly quota: number; readonly resetSeconds: number }

let last: RateLimit | undefined

/**
 * Reads `RateLimit` and `RateLimit-Policy` (IETF draft, structured fields: `"read";r=599;t=30`, `"read";q=600;w=60`). The service chooses
 * the names, so the lowest value counts. A header that cannot be read is ignored: it would only slow the polling.
 */
export function readRateLimit(headers: Headers): void {
  const remaining = readParameter(headers.get("ratelimit"), "r")
  const quota = readParameter(headers.get("ratelimit-policy"), "q")
  if (remaining === undefined || quota === undefined || quota === 0) return
  last = { remaining, quota, resetSeconds: readParameter(headers.get("ratelimit"), "t") ?? 60 }
}

/** The factor by which polling slows down, 1 to 4. With half of the quota left it is 1. */
export function rateLimitFactor(limit = last): number {
  if (limit === undefined) return 1
  const left = limit.remaining / limit.quota
  return left >= 0.5 ? 1 : 1 + 3 * (1 - left * 2)
}

function readParameter(field: string | null, name: string): number | undefined {
  const values = [...(field ?? "").matchAll(new RegExp(`;\\s*${name}=(\\d+)`, "g"))].map((match) => Number(match[1]))
  return values.length === 0 ? undefined : Math.min(...values)
}
