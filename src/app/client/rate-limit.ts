/** What the service said last about the credential's quota for reading. `remaining` of `quota`, full again in `resetSeconds`. */
export type RateLimit = { readonly remaining: number; readonly quota: number; readonly resetSeconds: number }

let last: RateLimit | undefined

/**
 * Takes in `RateLimit` and `RateLimit-Policy` (IETF draft, structured fields: `"read";r=599;t=30`, `"read";q=600;w=60`).
 * Names are the service's own, so the scarcest item counts. What cannot be read is ignored: it only slows the polling.
 */
export function readRateLimit(headers: Headers): void {
  const remaining = readParameter(headers.get("ratelimit"), "r")
  const quota = readParameter(headers.get("ratelimit-policy"), "q")
  if (remaining === undefined || quota === undefined || quota === 0) return
  last = { remaining, quota, resetSeconds: readParameter(headers.get("ratelimit"), "t") ?? 60 }
}

/** How much slower to poll, 1 to 4, from what is left of the quota: half of it left is plenty. */
export function rateLimitFactor(limit = last): number {
  if (limit === undefined) return 1
  const left = limit.remaining / limit.quota
  return left >= 0.5 ? 1 : 1 + 3 * (1 - left * 2)
}

function readParameter(field: string | null, name: string): number | undefined {
  const values = [...(field ?? "").matchAll(new RegExp(`;\\s*${name}=(\\d+)`, "g"))].map((match) => Number(match[1]))
  return values.length === 0 ? undefined : Math.min(...values)
}
