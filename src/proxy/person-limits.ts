import type { Refusal } from "../contract/refusal.ts"

const MINUTE_SECONDS = 60
// Mutations are rarer than reads: a person may send a fifth as many.
const MUTATION_SHARE = 5
// Beyond this number, persons whose quota is full again are forgotten.
const REMEMBERED_PERSONS = 1_000

type Bucket = { tokens: number; filledAt: number }

/**
 * Limits the requests of each person (PERSON_REQUESTS_PER_MINUTE), so that one faulty page does not use up the credential's quota for
 * everybody.
 */
export class PersonLimits {
  readonly #reads: Buckets
  readonly #mutations: Buckets

  constructor(requestsPerMinute: number) {
    this.#reads = new Buckets("person-read", requestsPerMinute)
    this.#mutations = new Buckets("person-write", Math.max(1, Math.floor(requestsPerMinute / MUTATION_SHARE)))
  }

  /** Counts one request. Gives a refusal (429) when the person has sent too many. */
  count(personId: string, method: string | undefined): Refusal | undefined {
    const buckets = method === "GET" || method === "HEAD" ? this.#reads : this.#mutations
    return buckets.count(personId, performance.now() / 1_000)
  }
}

/** A token bucket for each person. Its tokens for one minute may be used at once, and they refill evenly. */
class Buckets {
  readonly #name: string
  readonly #quota: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(name: string, quota: number) {
    this.#name = name
    this.#quota = quota
  }

  count(personId: string, now: number): Refusal | undefined {
    const bucket = this.#fill(personId, now)
    if (bucket.tokens < 1) return this.#refuse(bucket)
    bucket.tokens--
    return undefined
  }

  #fill(personId: string, now: number): Bucket {
    const bucket = this.#buckets.get(personId)
    if (bucket === undefined) {
      if (this.#buckets.size >= REMEMBERED_PERSONS) this.#forgetFull(now)
      const added = { tokens: this.#quota, filledAt: now }
      this.#buckets.set(personId, added)
      return added
    }
    bucket.tokens = Math.min(this.#quota, bucket.tokens + ((now - bucket.filledAt) * this.#quota) / MINUTE_SECONDS)
    bucket.filledAt = now
    return bucket
  }

  #forgetFull(now: number): void {
    for (const [id, { filledAt }] of this.#buckets) if (now - filledAt >= MINUTE_SECONDS) this.#buckets.delete(id)
  }

  #refuse({ tokens }: Bucket): Refusal {
    const seconds = Math.ceil(((1 - tokens) * MINUTE_SECONDS) / this.#quota)
    return {
      code: "PROXY_PERSON_LIMIT",
      status: 429,
      title: "Too many requests",
      detail: `You have sent more than ${this.#quota} requests of this kind within a minute, from all your tabs together.`,
      retryable: true,
      retryAfterSeconds: seconds,
      headers: [
        "RateLimit-Policy",
        `"${this.#name}";q=${this.#quota};w=${MINUTE_SECONDS}`,
        "RateLimit",
        `"${this.#name}";r=0;t=${seconds}`,
      ],
    }
  }
}
