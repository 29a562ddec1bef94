/** Limits requests with token buckets: the quota of a minute may be used at once, and refills evenly. */
import { RecentlyUsed } from "../recently-used.ts"
import type { HeaderFields } from "./refusals.ts"

export type Taken = {
  readonly isAdmitted: boolean
  /** Seconds. 0 when this request is admitted. */
  readonly retryAfter: number
  /** The fields of the IETF draft "RateLimit header fields for HTTP": `"read";q=600;w=60`, and `"read";r=599;t=1` with the seconds until the bucket is full. */
  readonly headers: () => HeaderFields
}

/** `refilledAt` is a time of `performance.now()`. `quota` is the quota of that time. */
type Bucket = { tokens: number; refilledAt: number; quota: number }

const WINDOW_SECONDS = 60
// Beyond this number, buckets that were not used lately are forgotten, so that many clients do not fill the memory.
const BUCKETS_MAX = 10_000

/** A bucket for each client: an address, a credential or a person. */
export class TokenBuckets {
  readonly #name: string
  readonly #quota: () => number
  readonly #buckets = new RecentlyUsed<Bucket>(BUCKETS_MAX)

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
    const seconds = (missed: number) =>
      quota === 0 ? WINDOW_SECONDS : Math.max(1, Math.ceil((missed * WINDOW_SECONDS) / quota))
    const { tokens } = bucket
    const missing = quota - tokens
    return {
      isAdmitted,
      retryAfter: isAdmitted ? 0 : seconds(1 - bucket.tokens),
      headers: () => ({
        "RateLimit-Policy": `"${this.#name}";q=${quota};w=${WINDOW_SECONDS}`,
        RateLimit: `"${this.#name}";r=${Math.floor(tokens)};t=${missing <= 0 ? 0 : seconds(missing)}`,
      }),
    }
  }

  /** Takes a token even if there is none. Requests then wait until the bucket has filled up from below zero. */
  overdraw(client: string): void {
    this.#refill(client, this.#quota()).tokens -= 1
  }

  /** Returns the token of one request to the bucket. */
  refund(client: string): void {
    const bucket = this.#buckets.get(client)
    if (bucket !== undefined) bucket.tokens = Math.min(this.#quota(), bucket.tokens + 1)
  }

  #refill(client: string, quota: number): Bucket {
    const now = performance.now()
    const bucket = this.#buckets.get(client)
    if (bucket === undefined) {
      const full = { tokens: quota, refilledAt: now, quota }
      this.#buckets.set(client, full)
      return full
    }
    const refilled = (((now - bucket.refilledAt) / 1_000) * quota) / WINDOW_SECONDS
    // The additional tokens of a raised quota are there at once.
    const added = Math.max(0, quota - bucket.quota)
    bucket.tokens = Math.min(quota, bucket.tokens + refilled + added)
    bucket.refilledAt = now
    bucket.quota = quota
    return bucket
  }
}
