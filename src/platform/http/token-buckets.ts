/** Limits requests with token buckets: the quota of a minute may be used at once, and refills evenly. */
import type { HeaderFields } from "./refusals.ts"

export type Taken = {
  readonly isAdmitted: boolean
  /** Seconds. 0 when this request is admitted. */
  readonly retryAfter: number
  /** The fields of the IETF draft "RateLimit header fields for HTTP": `"read";q=600;w=60`, and `"read";r=599;t=1` with the seconds until the bucket is full. */
  readonly headers: HeaderFields
}

/** `refilledTicks` is a time of `performance.now()`. `quota` is the quota of that time. */
type Bucket = { tokens: number; refilledTicks: number; quota: number }

const WINDOW_SECONDS = 60
// Beyond this number, the bucket that was unused for longest is forgotten, so that many clients do not fill the memory.
const BUCKETS_MAX = 10_000

/** A bucket for each client: an address, a credential or a person. */
export class TokenBuckets {
  readonly #name: string
  readonly #quota: () => number
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>()

  /** `name` is that of the quota in the headers, and `quota` gives the requests a minute as they are now. */
  constructor(name: string, quota: () => number) {
    this.#name = name
    this.#quota = quota
  }

  /** Takes the token of one request, if there is one. */
  take(client: string): Taken {
    const quota = this.#quota()
    const bucket = this.#refill(client, quota)
    const isAdmitted = bucket.tokens >= 1
    if (isAdmitted) bucket.tokens -= 1
    const seconds = (tokens: number) =>
      quota === 0 ? WINDOW_SECONDS : Math.max(1, Math.ceil((tokens * WINDOW_SECONDS) / quota))
    const missing = quota - bucket.tokens
    return {
      isAdmitted,
      retryAfter: isAdmitted ? 0 : seconds(1 - bucket.tokens),
      headers: {
        "RateLimit-Policy": `"${this.#name}";q=${quota};w=${WINDOW_SECONDS}`,
        RateLimit: `"${this.#name}";r=${Math.floor(bucket.tokens)};t=${missing <= 0 ? 0 : seconds(missing)}`,
      },
    }
  }

  /** Takes a token even if there is none. Requests then wait until the bucket has filled up from below zero. */
  drain(client: string): void {
    this.#refill(client, this.#quota()).tokens -= 1
  }

  /** Gives back the token of one request. */
  giveBack(client: string): void {
    const bucket = this.#buckets.get(client)
    if (bucket !== undefined) bucket.tokens = Math.min(this.#quota(), bucket.tokens + 1)
  }

  #refill(client: string, quota: number): Bucket {
    const now = performance.now()
    const before = this.#buckets.get(client) ?? { tokens: quota, refilledTicks: now, quota }
    const refilled = (((now - before.refilledTicks) / 1_000) * quota) / WINDOW_SECONDS
    // The additional tokens of a raised quota are there at once.
    const added = Math.max(0, quota - before.quota)
    const bucket = { tokens: Math.min(quota, before.tokens + refilled + added), refilledTicks: now, quota }
    this.#buckets.delete(client)
    this.#buckets.set(client, bucket)
    const [longestUnused] = this.#buckets.keys()
    if (this.#buckets.size > BUCKETS_MAX && longestUnused !== undefined) this.#buckets.delete(longestUnused)
    return bucket
  }
}
