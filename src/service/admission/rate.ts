import type { Limits, LiveConfiguration } from "../configuration.ts"

/** The budget that a request counts against: reads or writes of a credential, or requests of an IP address without a valid credential. */
export type RateClass = "read" | "write" | "unauthenticated"

/** Whether a request is admitted. */
export type RateDecision = {
  readonly admitted: boolean
  /** Seconds until the next request is admitted. 0 when this request is admitted. */
  readonly retryAfter: number
  /** The headers `RateLimit` and `RateLimit-Policy`. */
  readonly headers: Readonly<Record<string, string>>
}

/** `refilledAt` is a time of `performance.now()`. `quota` is the quota of that time. */
type Bucket = { tokens: number; refilledAt: number; quota: number }

const QUOTA: Readonly<Record<RateClass, keyof Limits>> = {
  read: "readPerMinute",
  write: "writePerMinute",
  unauthenticated: "unauthenticatedPerMinute",
}

const WINDOW_SECONDS = 60
// With this number of buckets, a further client first removes the full buckets. So memory does not grow with each new IP address.
const MANY_BUCKETS = 10_000

/** Limits requests with token buckets: the quota of a minute may be used at once, and refills evenly. */
export class RateLimiter {
  readonly #configuration: LiveConfiguration
  readonly #buckets = new Map<string, Bucket>()

  constructor(configuration: LiveConfiguration) {
    this.#configuration = configuration
  }

  /** Takes a token for one request out of a bucket, if there is one. `client` is a credential's id or an IP address. */
  take(rateClass: RateClass, client: string): RateDecision {
    const quota = this.#configuration.current.limits[QUOTA[rateClass]]
    const bucket = this.#refill(`${rateClass} ${client}`, quota)
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
      if (this.#buckets.size >= MANY_BUCKETS) this.#removeFull(now)
      bucket = { tokens: quota, refilledAt: now, quota }
      this.#buckets.set(key, bucket)
    }
    const refilled = ((now - bucket.refilledAt) / 1000) * (quota / WINDOW_SECONDS)
    // The additional tokens of a raised quota are available at once, because a change of the configuration takes effect within a second.
    const added = Math.max(0, quota - bucket.quota)
    bucket.tokens = Math.min(quota, bucket.tokens + refilled + added)
    bucket.refilledAt = now
    bucket.quota = quota
    return bucket
  }

  /** Removes the buckets that nobody used for a minute. Each of them is full again, and a new bucket is full, too. */
  #removeFull(now: number): void {
    for (const [key, { refilledAt }] of this.#buckets)
      if (now - refilledAt > WINDOW_SECONDS * 1000) this.#buckets.delete(key)
  }
}

/**
 * The fields of the IETF draft "RateLimit header fields for HTTP", for instance `"read";q=600;w=60` and `"read";r=599;t=1`. `t` is the
 * number of seconds until the bucket is full.
 */
function describe(rateClass: RateClass, quota: number, tokens: number, perSecond: number): Record<string, string> {
  const refill = wholeSeconds(quota - tokens, perSecond)
  return {
    "RateLimit-Policy": `"${rateClass}";q=${quota};w=${WINDOW_SECONDS}`,
    RateLimit: `"${rateClass}";r=${Math.floor(tokens)};t=${refill}`,
  }
}

function wholeSeconds(tokens: number, perSecond: number): number {
  if (tokens <= 0) return 0
  return perSecond === 0 ? WINDOW_SECONDS : Math.max(1, Math.ceil(tokens / perSecond))
}
