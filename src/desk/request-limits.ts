/** Limits the requests of each person, and of each client that has no session. */
import { hash } from "node:crypto"
import { isRefusal, type Refusal, refusal, signedOut } from "../http/refusals.ts"
import { limitedAddress } from "../http/client-address.ts"
import { Refused } from "../http/send.ts"
import { type Taken, TokenBuckets } from "../http/token-buckets.ts"
import type { Session } from "../people/people.ts"
import type { Limits } from "./desk-configuration.ts"

// Mutations are rarer than reads: a person may send a fifth as many.
const MUTATION_DIVISOR = 5
// A person may use a quarter of what the upstream allows everybody.
const PERSON_DIVISOR = 4
/** A person's reads in a minute while the upstream has not named its quota. */
const PERSON_DEFAULT = 600
// Beyond this number, the session that was unused for longest is forgotten.
const SESSIONS_MAX = 10_000

/** One faulty page must not use up everybody's quota at the upstream, and a client without a session not the desk's time. */
export class RequestLimits {
  readonly #reads: Budget
  readonly #mutations: Budget
  readonly #clients: Budget
  readonly #providers: Budget
  /** The hashes of the Cookie headers that had a session, in the order of their last use. */
  readonly #withSession = new Set<string>()

  /** `upstreamReads` gives the reads that the upstream allows in a minute: undefined until the upstream has named them. */
  constructor({ personRequestsPerMinute, clientRequestsPerMinute }: Limits, upstreamReads: () => number | undefined) {
    const readsPerMinute = () => personRequestsPerMinute ?? shareOf(upstreamReads())
    const detail = (quota: number) =>
      `You have sent more than ${quota} requests of this kind within a minute, from all your tabs together.`
    const code = "PROXY_PERSON_LIMIT"
    const mutationsPerMinute = () => atLeastOne(readsPerMinute() / MUTATION_DIVISOR)
    this.#reads = new Budget(code, "person-read", readsPerMinute, detail)
    this.#mutations = new Budget(code, "person-write", mutationsPerMinute, detail)
    const ofClient = () =>
      new Budget(
        "PROXY_CLIENT_LIMIT",
        "client",
        () => clientRequestsPerMinute,
        (quota) => `More than ${quota} requests without a session came from your address within a minute.`,
      )
    this.#clients = ofClient()
    this.#providers = ofClient()
  }

  /** Counts one request of a person. @throws Refused (429) when the person has sent too many */
  countPerson(personId: string, method: string | undefined): void {
    const limited = (method === "GET" || method === "HEAD" ? this.#reads : this.#mutations).count(personId)
    if (limited !== undefined) throw new Refused(limited)
  }

  /** Counts one request without a session. Gives a refusal (429) when its client has sent too many. */
  countClient(client: string): Refusal | undefined {
    return this.#clients.count(limitedAddress(client))
  }

  /**
   * Counts one request of the identity provider. Apart from the other requests of its address: browsers behind that address must not keep the
   * provider from ending a session.
   * @throws Refused (429)
   */
  countProvider(client: string): void {
    const limited = this.#providers.count(limitedAddress(client))
    if (limited !== undefined) throw new Refused(limited)
  }

  /** Counts a request before the store is asked for its session, so that invented cookies cost no reads. A session that was found before is free. */
  countUnidentified(client: string, cookies: string | undefined): Refusal | undefined {
    return this.#withSession.has(hashOf(cookies)) ? undefined : this.countClient(client)
  }

  /** Notes what the store said about the session of a request that `countUnidentified` let pass. */
  noteIdentified(client: string, cookies: string | undefined, session: Session | Refusal): void {
    const key = hashOf(cookies)
    const wasFree = this.#withSession.has(key)
    if (session === signedOut) {
      this.#withSession.delete(key)
      if (wasFree) this.countClient(client)
      return
    }
    // Another refusal, such as that of a store that is away, says nothing about the session: the request costs nothing.
    if (!wasFree) this.#clients.uncount(limitedAddress(client))
    if (!isRefusal(session)) this.#rememberSession(key)
  }

  #rememberSession(key: string): void {
    this.#withSession.delete(key)
    this.#withSession.add(key)
    const [longestUnused] = this.#withSession
    if (this.#withSession.size > SESSIONS_MAX && longestUnused !== undefined) this.#withSession.delete(longestUnused)
  }
}

const hashOf = (cookies = "") => hash("sha256", cookies)

const shareOf = (upstreamReads: number | undefined) =>
  upstreamReads === undefined ? PERSON_DEFAULT : atLeastOne(upstreamReads / PERSON_DIVISOR)

const atLeastOne = (quota: number) => Math.max(1, Math.floor(quota))

/** Token buckets whose end is a refusal. */
class Budget {
  readonly #buckets: TokenBuckets
  readonly #refuse: (taken: Taken) => Refusal

  /** `quota` gives requests a minute, `detail` the sentence of the refusal. */
  constructor(code: Refusal["code"], name: string, quota: () => number, detail: (quota: number) => string) {
    this.#buckets = new TokenBuckets(name, quota)
    this.#refuse = ({ retryAfter, headers }) => ({
      ...refusal(429, code, detail(quota()), { title: "Too many requests", retryable: true }),
      retryAfterSeconds: retryAfter,
      // A page may ask again as soon as there is one token.
      headers: { ...headers, RateLimit: `"${name}";r=0;t=${retryAfter}` },
    })
  }

  count(key: string): Refusal | undefined {
    const taken = this.#buckets.take(key)
    return taken.isAdmitted ? undefined : this.#refuse(taken)
  }

  uncount(key: string): void {
    this.#buckets.giveBack(key)
  }
}
