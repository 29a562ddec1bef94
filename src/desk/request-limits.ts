/** Limits the requests of each person, and of each client that has no session. */
import { hash } from "node:crypto"
import type { Refusal } from "../http/refusal.ts"
import { limitedAddress } from "../http/client-address.ts"
import type { Limits } from "./desk-configuration.ts"

const MINUTE_SECONDS = 60
// Mutations are rarer than reads: a person may send a fifth as many.
const MUTATION_DIVISOR = 5
// A person may use a quarter of what the upstream allows everybody.
const PERSON_DIVISOR = 4
/** A person's reads in a minute while the upstream has not named its quota. */
const PERSON_DEFAULT = 600
// Beyond this number, the bucket that was unused for longest is forgotten, so that many clients do not fill the memory.
const BUCKETS_MAX = 10_000

/** One faulty page must not use up everybody's quota at the upstream. A client without a session must not use up the desk's time. */
export class RequestLimits {
  readonly #reads: Buckets
  readonly #mutations: Buckets
  readonly #clients: Buckets
  /** The hashes of the Cookie headers that had a session, in the order of their last use. */
  readonly #withSession = new Set<string>()

  /** `upstreamReads` gives the reads that the upstream allows in a minute: undefined until the upstream has named them. */
  constructor({ personRequestsPerMinute, clientRequestsPerMinute }: Limits, upstreamReads: () => number | undefined) {
    const readsPerMinute = () => personRequestsPerMinute ?? shareOf(upstreamReads())
    const detail = (quota: number) =>
      `You have sent more than ${quota} requests of this kind within a minute, from all your tabs together.`
    const code = "PROXY_PERSON_LIMIT"
    const mutationsPerMinute = () => atLeastOne(readsPerMinute() / MUTATION_DIVISOR)
    this.#reads = new Buckets({ code, name: "person-read", quota: readsPerMinute, detail })
    this.#mutations = new Buckets({ code, name: "person-write", quota: mutationsPerMinute, detail })
    this.#clients = new Buckets({
      code: "PROXY_CLIENT_LIMIT",
      name: "client",
      quota: () => clientRequestsPerMinute,
      detail: (quota) => `More than ${quota} requests without a session came from your address within a minute.`,
    })
  }

  /** Counts one request of a person. Gives a refusal (429) when the person has sent too many. */
  countPerson(personId: string, method: string | undefined): Refusal | undefined {
    return (method === "GET" || method === "HEAD" ? this.#reads : this.#mutations).count(personId)
  }

  /** Counts one request without a session. Gives a refusal (429) when its client has sent too many. */
  countClient(client: string): Refusal | undefined {
    return this.#clients.count(limitedAddress(client))
  }

  /** Takes back the count of a request that had a session after all. */
  uncountClient(client: string): void {
    this.#clients.uncount(limitedAddress(client))
  }

  /** Counts a request before the store is asked for its session, so that invented cookies cost no reads. A session that was found before is free. */
  countUnidentified(client: string, cookies: string | undefined): Refusal | undefined {
    return this.#withSession.has(hashOf(cookies)) ? undefined : this.countClient(client)
  }

  /** Notes what the store said about the session of a request that `countUnidentified` let pass. */
  noteIdentified(client: string, cookies: string | undefined, answer: "session" | "signed out" | "unknown"): void {
    const key = hashOf(cookies)
    const wasKnown = this.#withSession.delete(key)
    if (answer === "signed out") {
      if (wasKnown) this.countClient(client)
      return
    }
    if (!wasKnown) this.uncountClient(client)
    if (answer === "session" || wasKnown) this.#withSession.add(key)
    const [longestUnused] = this.#withSession
    if (this.#withSession.size > BUCKETS_MAX && longestUnused !== undefined) this.#withSession.delete(longestUnused)
  }
}

const hashOf = (cookies = "") => hash("sha256", cookies)

/** A person's share of the reads that the upstream allows in a minute. */
const shareOf = (upstreamReads: number | undefined) =>
  upstreamReads === undefined ? PERSON_DEFAULT : atLeastOne(upstreamReads / PERSON_DIVISOR)

const atLeastOne = (quota: number) => Math.max(1, Math.floor(quota))

type Policy = {
  readonly code: Refusal["code"]
  /** Of the quota in the RateLimit headers. */
  readonly name: string
  /** Requests a minute. */
  readonly quota: () => number
  /** The detail of a refusal. */
  readonly detail: (quota: number) => string
}

type Bucket = { tokens: number; filledAt: number }

/** A token bucket for each key. Its tokens for one minute may be used at once, and they refill evenly. */
class Buckets {
  readonly #policy: Policy
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(policy: Policy) {
    this.#policy = policy
  }

  count(key: string): Refusal | undefined {
    const now = performance.now() / 1_000
    const quota = this.#policy.quota()
    const { tokens, filledAt } = this.#buckets.get(key) ?? { tokens: quota, filledAt: now }
    const filled = Math.min(quota, tokens + ((now - filledAt) * quota) / MINUTE_SECONDS)
    this.#buckets.delete(key)
    const isUsedUp = filled < 1
    this.#buckets.set(key, { tokens: isUsedUp ? filled : filled - 1, filledAt: now })
    const [longestUnused] = this.#buckets.keys()
    if (this.#buckets.size > BUCKETS_MAX && longestUnused !== undefined) this.#buckets.delete(longestUnused)
    return isUsedUp ? this.#refuse(filled, quota) : undefined
  }

  /** Gives back the token of one request. */
  uncount(key: string): void {
    const bucket = this.#buckets.get(key)
    if (bucket !== undefined) bucket.tokens = Math.min(this.#policy.quota(), bucket.tokens + 1)
  }

  #refuse(tokens: number, quota: number): Refusal {
    const { code, name, detail } = this.#policy
    const seconds = Math.ceil(((1 - tokens) * MINUTE_SECONDS) / quota)
    return {
      code,
      status: 429,
      title: "Too many requests",
      detail: detail(quota),
      retryable: true,
      retryAfterSeconds: seconds,
      headers: {
        "RateLimit-Policy": `"${name}";q=${quota};w=${MINUTE_SECONDS}`,
        RateLimit: `"${name}";r=0;t=${seconds}`,
      },
    }
  }
}
