import { serializeList } from "structured-headers"
import type { Limits, LiveConfiguration } from "../configuration.ts"

/** The budget of a request: a credential's reads or writes, or an address's requests without a valid credential. */
export type RateClass = "read" | "write" | "unauthenticated"

export type Admission = {
  readonly admitted: boolean
  /** Seconds until the next request is admitted; 0 when this one is. */
  readonly retryAfter: number
  readonly headers: Readonly<Record<string, string>>
}

type Bucket = { tokens: number; at: number; quota: number }

const QUOTA: Readonly<Record<RateClass, keyof Limits>> = {
  read: "readPerMinute",
  write: "writePerMinute",
  unauthenticated: "unauthenticatedPerMinute",
}

const WINDOW_SECONDS = 60
const MANY_BUCKETS = 10_000

/** Token buckets: a minute's quota may be used at once and refills evenly. */
export class RateLimiter {
  readonly #configuration: LiveConfiguration
  readonly #buckets = new Map<string, Bucket>()

  constructor(configuration: LiveConfiguration) {
    this.#configuration = configuration
  }

  /** Takes one request of `who` (a credential's id or an address) from its budget, if it holds one. */
  take(rateClass: RateClass, who: string): Admission {
    const quota = this.#configuration.current.limits[QUOTA[rateClass]]
    const bucket = this.#refill(`${rateClass} ${who}`, quota)
    const admitted = bucket.tokens >= 1
    if (admitted) bucket.tokens -= 1
    const perSecond = quota / WINDOW_SECONDS
    return {
      admitted,
      retryAfter: admitted ? 0 : wholeSeconds(1 - bucket.tokens, perSecond),
      headers: describe(rateClass, quota, bucket.tokens, perSecond),
    }
  }

  #refill(key: string, quota: number): Bucket {
    const now = performance.now()
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) {
      if (this.#buckets.size >= MANY_BUCKETS) this.#forget(now)
      bucket = { tokens: quota, at: now, quota }
      this.#buckets.set(key, bucket)
    }
    const refilled = ((now - bucket.at) / 1000) * (quota / WINDOW_SECONDS)
    // A raised quota can be used at once, because a change of the configuration is in force within a second.
    const added = Math.max(0, quota - bucket.quota)
    bucket.tokens = Math.min(quota, bucket.tokens + refilled + added)
    bucket.at = now
    bucket.quota = quota
    return bucket
  }

  /** Removes the buckets that are full again. A new bucket is full too. */
  #forget(now: number): void {
    for (const [key, { at }] of this.#buckets) if (now - at > WINDOW_SECONDS * 1000) this.#buckets.delete(key)
  }
}

/** The IETF draft's fields, for instance `"read";q=600;w=60` and `"read";r=599;t=1`: `t` is the time until the quota is full. */
function describe(rateClass: RateClass, quota: number, tokens: number, perSecond: number): Record<string, string> {
  const refill = wholeSeconds(quota - tokens, perSecond)
  const policy = new Map([
    ["q", quota],
    ["w", WINDOW_SECONDS],
  ])
  const state = new Map([
    ["r", Math.floor(tokens)],
    ["t", refill],
  ])
  return { "RateLimit-Policy": serializeList([[rateClass, policy]]), RateLimit: serializeList([[rateClass, state]]) }
}

function wholeSeconds(tokens: number, perSecond: number): number {
  if (tokens <= 0) return 0
  return perSecond === 0 ? WINDOW_SECONDS : Math.max(1, Math.ceil(tokens / perSecond))
}
