/** The rate limits of the API. */
import { type Taken, TokenBuckets } from "../../platform/http/token-buckets.ts"
import type { Limits, LiveConfiguration } from "../configuration.ts"

/** The budget that a request counts against: reads or writes of a credential, or requests of an IP address without a valid credential. */
export type RateClass = "read" | "write" | "unauthenticated"

/** Limits the requests of each credential, and of each address without one. */
export class RateLimiter {
  readonly #budgets: Readonly<Record<RateClass, TokenBuckets>>

  constructor(configuration: LiveConfiguration) {
    const budget = (name: RateClass, limit: keyof Limits) =>
      new TokenBuckets(name, () => configuration.current.limits[limit])
    this.#budgets = {
      read: budget("read", "readPerMinute"),
      write: budget("write", "writePerMinute"),
      unauthenticated: budget("unauthenticated", "unauthenticatedPerMinute"),
    }
  }

  /** Takes a token for one request out of a bucket, if there is one. `client` is a credential's id or an IP address. */
  take(rateClass: RateClass, client: string): Taken {
    return this.#budgets[rateClass].take(client)
  }
}
