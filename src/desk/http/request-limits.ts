/** Limits the requests of each person, and of each client that has no session. */
import { isRefusal, type Refusal, refusal, signedOut } from "../../platform/http/refusals.ts"
import { limitedAddress } from "../../platform/http/client-address.ts"
import { Refused } from "../../platform/http/send.ts"
import { RecentlyUsed } from "../../platform/recently-used.ts"
import { type Taken, TokenBuckets } from "../../platform/http/token-buckets.ts"
import type { Session } from "../people/people-interface.ts"
import { type RequestContext, whenClosed } from "../../platform/http/request-context.ts"
import type { Limits } from "./desk-configuration.ts"
import { type ClientCost, type FreeCost, isFree, type PersonCost } from "./request-cost.ts"

// Mutations are rarer than reads: a person may send a fifth as many.
const MUTATION_DIVISOR = 5
// A person may use a quarter of what the upstream allows everybody.
const PERSON_DIVISOR = 4
/** A person's reads in a minute while the upstream has not named its quota. */
const PERSON_DEFAULT = 600
/** A person's requests in a minute that cost the upstream nothing. */
export const DESK_WRITES = 60
export const PRESENCE_REPORTS = 120
export const SEEN_REPORTS = 120
export const RECORD_REPORTS = 10
/** A tab opens four streams at most, so this is enough for 25 tabs. */
export const STREAMS_MAX = 100
const STREAMS_RETRY_SECONDS = 5
// Beyond this number, sessions that were not used lately are forgotten.
const SESSIONS_MAX = 10_000

/** The result of the limits for a request whose session is not known yet. */
export type Admitted = {
  /** The client has sent too many requests. */
  readonly refusal: Refusal | undefined
  /** Call this with the session, or the refusal, that the store answered. */
  readonly noteIdentified: (session: Session | Refusal) => void
}

/** Keeps one faulty page from using up everybody's quota at the upstream, and a client without a session from using up the desk's time. */
export class RequestLimits {
  readonly #reads: Budget
  readonly #budgets: Readonly<Record<Exclude<PersonCost, FreeCost | "decision">, Budget>>
  readonly #clients: Budget
  /** For requests with a session cookie. Requests without one can't lock out a person whose session the desk doesn't know yet. */
  readonly #clientsWithCookie: Budget
  readonly #providers: Budget
  /** The sessions that the store knew, by their ids. */
  readonly #known = new RecentlyUsed<Session>(SESSIONS_MAX)
  readonly #openStreams = new Map<string, number>()

  /** `upstreamReads` gives the reads that the upstream allows in a minute: undefined until the upstream has named them. */
  constructor({ personRequestsPerMinute, clientRequestsPerMinute }: Limits, upstreamReads: () => number | undefined) {
    const readsPerMinute = () => personRequestsPerMinute ?? shareOf(upstreamReads())
    const ofPerson = (name: string, quota: () => number) =>
      new Budget("PROXY_PERSON_LIMIT", name, quota, tooManyOfPerson)
    const ofClient = () => new Budget("PROXY_CLIENT_LIMIT", "client", () => clientRequestsPerMinute, tooManyOfClient)
    this.#reads = ofPerson("person-read", readsPerMinute)
    this.#budgets = {
      read: this.#reads,
      "upstream reads": this.#reads,
      stream: this.#reads,
      write: ofPerson("person-write", () => atLeastOne(readsPerMinute() / MUTATION_DIVISOR)),
      "desk write": ofPerson("person-desk-write", () => DESK_WRITES),
      presence: ofPerson("person-presence", () => PRESENCE_REPORTS),
      seen: ofPerson("person-seen", () => SEEN_REPORTS),
      report: ofPerson("person-report", () => RECORD_REPORTS),
    }
    this.#clients = ofClient()
    this.#clientsWithCookie = ofClient()
    this.#providers = ofClient()
  }

  /** Charges a request of a person, and what it will read of the upstream. @throws Refused (429) when the person has sent too many */
  chargePerson(context: RequestContext, personId: string, cost: PersonCost): void {
    if (isFree(cost)) return
    const chargeWrite = () => this.#budgets.write.charge(personId)
    if (cost === "decision") return void (context.charges = { ...context.charges, decision: chargeWrite })
    if (cost === "stream") this.#countStream(context, personId)
    this.#budgets[cost].charge(personId)
    if (cost === "write") return
    // The charge of the request itself pays the first read.
    let isPaid = cost === "upstream reads" || cost === "stream"
    const upstreamRead = () => {
      if (!isPaid) this.#reads.chargeBelowZero(personId)
      isPaid = false
    }
    context.charges = { ...context.charges, upstreamRead }
  }

  /** @throws Refused (429) when the person has too many streams open */
  #countStream(context: RequestContext, personId: string): void {
    const open = this.#openStreams.get(personId) ?? 0
    if (open >= STREAMS_MAX) throw new Refused(tooManyStreams)
    this.#openStreams.set(personId, open + 1)
    whenClosed(context, () => {
      const left = (this.#openStreams.get(personId) ?? 1) - 1
      if (left > 0) this.#openStreams.set(personId, left)
      else this.#openStreams.delete(personId)
    })
  }

  /** Charges a request that needs no session. The provider is charged separately, so that browsers at its address can't block it. @throws Refused (429) */
  chargeClient(client: string, cost: ClientCost): void {
    if (!isFree(cost)) this.#providers.charge(limitedAddress(client))
  }

  /** Names the sender of a request for fair scheduling: the person of a known session, or else the client. An invented cookie isn't a sender. */
  nameSender(client: string, sessionId: string | undefined): string {
    const session = sessionId === undefined ? undefined : this.#known.get(sessionId)
    return session?.person.id ?? limitedAddress(client)
  }

  /** Counts a request before the store is asked for its session, so that invented cookies cost no reads. A session that was found before is free. */
  admit(client: string, sessionId: string | undefined): Admitted {
    const isKnown = sessionId !== undefined && this.#known.get(sessionId) !== undefined
    const address = limitedAddress(client)
    const budget = sessionId === undefined ? this.#clients : this.#clientsWithCookie
    const refusal = isKnown ? undefined : budget.count(address)
    const isCounted = !isKnown && refusal === undefined
    const noteIdentified = (session: Session | Refusal) => {
      if (session === signedOut) {
        if (sessionId !== undefined) this.#known.delete(sessionId)
        if (!isCounted) budget.count(address)
        return
      }
      // Any other refusal, such as 503 while the store is away, says nothing about the session, so the request is free.
      if (isCounted) budget.uncount(address)
      if (!isKnown && !isRefusal(session)) this.#known.set(session.id, session)
    }
    return { refusal, noteIdentified }
  }
}

const tooManyOfPerson = (quota: number) =>
  `All your tabs together sent more than ${quota} requests of this kind in a minute.`

const tooManyOfClient = (quota: number) =>
  `More than ${quota} requests without a session came from your address in a minute.`

const tooManyStreams = refusal(
  429,
  "PROXY_PERSON_LIMIT",
  `All your tabs together have ${STREAMS_MAX} live streams open. Close some tabs.`,
  { title: "Too many requests", retryable: true, retryAfterSeconds: STREAMS_RETRY_SECONDS },
)

const shareOf = (upstreamReads: number | undefined) =>
  upstreamReads === undefined ? PERSON_DEFAULT : atLeastOne(upstreamReads / PERSON_DIVISOR)

const atLeastOne = (quota: number) => Math.max(1, Math.floor(quota))

/** Token buckets, with the refusal of a request that finds no token. */
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
      headers: { ...headers(), RateLimit: `"${name}";r=0;t=${retryAfter}` },
    })
  }

  /** Takes the token of one request. @throws Refused (429) when there is none */
  charge(key: string): void {
    const limited = this.count(key)
    if (limited !== undefined) throw new Refused(limited)
  }

  /** Takes a token even if there is none: a request that was let in reads all that it needs. */
  chargeBelowZero(key: string): void {
    this.#buckets.overdraw(key)
  }

  /** Takes the token of one request. Returns the refusal when there is none. */
  count(key: string): Refusal | undefined {
    const taken = this.#buckets.take(key)
    return taken.isAdmitted ? undefined : this.#refuse(taken)
  }

  uncount(key: string): void {
    this.#buckets.refund(key)
  }
}
