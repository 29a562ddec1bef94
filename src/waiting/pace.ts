/** Decides when the watcher may begin its next request: by the upstream's quota, by Retry-After, and after failures. */
import { parseList } from "structured-headers"

/** How many requests the watcher has in flight at most. */
export const IN_FLIGHT_MAX = 4

/** The pause after 401. */
const UNAUTHENTICATED_MS = 30_000
const FIRST_PAUSE_MS = 500
/** The next try must end within 10 s, and its request takes time too. */
const LONGEST_PAUSE_MS = 8_000

/** After this many failures in a row, the fault is the service's and not one Work's. */
const FAILURES_OF_SERVICE = 3

/** What is due now, or the moment at which to ask again. Infinity: an answer has to come first. */
export type Due<Thing> = { readonly due: Thing } | { readonly wakeAt: number }

type Headers = Readonly<Record<string, string | undefined>>

/** All times are milliseconds of one monotonic clock. */
export class Pace {
  /** The number of the last request. */
  lastNumber = 0
  #lastBeganAt = Number.NEGATIVE_INFINITY
  /** The time between two requests. The watcher leaves half of the quota to people, and spreads the other half until the refill. */
  #intervalMs = 0
  /** When less than half of the quota is left: the moment before which no request begins. */
  #refillAt = 0
  /** The end of the pause after a failure. */
  pausedUntil = 0
  #failures = 0
  /** Requests up to this number began before the last failure. */
  #begunAtFailure = 0
  /** After a pause, one request is sent. The others follow when it has succeeded. */
  #isProbing = false
  /** Whether the upstream names its quota. */
  hasQuota = false

  /** Counts a request that begins now. Gives its number, which is greater than every number before. */
  begin(now: number): number {
    this.#lastBeganAt = now
    return ++this.lastNumber
  }

  /** When the next request may begin while `inFlight` others are in flight. Infinity when one of them has to end first. */
  readyAt(inFlight: number): number {
    if (inFlight >= (this.#isProbing ? 1 : IN_FLIGHT_MAX)) return Number.POSITIVE_INFINITY
    return Math.max(this.#lastBeganAt + this.#intervalMs, this.#refillAt, this.pausedUntil)
  }

  /** How many requests a second the quota allows in the long run. Infinity when the upstream names no quota. */
  get requestsPerSecond(): number {
    return this.#intervalMs === 0 ? Number.POSITIVE_INFINITY : 1_000 / this.#intervalMs
  }

  /** A request got an answer, or a refusal of one Work (403, 404). */
  succeeded(request: number, headers: Headers, now: number): void {
    if (request > this.#begunAtFailure) {
      this.#failures = 0
      this.#isProbing = false
    }
    this.#takeQuota(headers, now)
  }

  /** A request failed with this status. */
  failed(request: number, status: number, headers: Headers, now: number): void {
    this.#isProbing = true
    if (request > this.#begunAtFailure) this.#failures++
    this.#begunAtFailure = this.lastNumber
    this.pausedUntil = Math.max(this.pausedUntil, now + this.#pauseAfter(status, headers["retry-after"]))
  }

  #pauseAfter(status: number, retryAfter: string | undefined): number {
    const asked = readRetryAfter(retryAfter)
    if (status === 401) return Math.max(asked ?? 0, UNAUTHENTICATED_MS)
    if (asked !== undefined) return Math.max(asked, FIRST_PAUSE_MS)
    // One Work that fails does not delay the others.
    const failuresOfService = this.#failures - FAILURES_OF_SERVICE + 1
    return failuresOfService < 1 ? 0 : backOff(failuresOfService, FIRST_PAUSE_MS)
  }

  #takeQuota(headers: Headers, now: number): void {
    const quota = readQuota(headers["ratelimit-policy"], headers["ratelimit"])
    this.hasQuota = quota !== undefined
    if (quota === undefined) return
    if (quota.spare < 1) {
      this.#refillAt = now + Math.max(quota.refillMs, 1_000)
      this.#intervalMs = 0
      this.#isProbing = true
    } else {
      this.#refillAt = 0
      this.#intervalMs = quota.refillMs / quota.spare
    }
  }
}

/** The pause in milliseconds after so many failures in a row. It doubles from `firstMs` up to 8 s. */
export function backOff(failures: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE_MS)
}

/** A longer Retry-After counts as a year. */
const RETRY_AFTER_MAX_MS = 365 * 86_400_000

/** Reads Retry-After (RFC 9110, 10.2.3): seconds or a date. Gives milliseconds from now, or undefined when the value is neither. */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const wait = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), RETRY_AFTER_MAX_MS)
}

type Quota = {
  /** How many requests are left above half of the quota. */
  readonly spare: number
  readonly refillMs: number
}

/** Reads `RateLimit-Policy: "read";q=600;w=60` and `RateLimit: "read";r=599;t=1`. Of several policies, the slowest counts. */
function readQuota(policyField: string | undefined, stateField: string | undefined): Quota | undefined {
  const policies = new Map(readItems(policyField).map(([name, parameters]) => [String(name), parameters]))
  const quotas = readItems(stateField).flatMap(([name, parameters]): Quota[] => {
    const policy = policies.get(String(name))
    const [quota, remainder] = [numberOf(policy?.get("q")), numberOf(parameters.get("r"))]
    if (quota === undefined || quota <= 0 || remainder === undefined) return []
    const seconds = numberOf(parameters.get("t")) ?? numberOf(policy?.get("w")) ?? 60
    return [{ spare: remainder - quota / 2, refillMs: seconds * 1_000 }]
  })
  const usedUp = quotas.filter(({ spare }) => spare < 1)
  const slowest = (of: Quota[], cost: (quota: Quota) => number) => of.toSorted((a, b) => cost(b) - cost(a))[0]
  return usedUp.length > 0
    ? slowest(usedUp, ({ refillMs }) => refillMs)
    : slowest(quotas, ({ refillMs, spare }) => refillMs / spare)
}

function readItems(field: string | undefined): ReturnType<typeof parseList> {
  try {
    return parseList(field ?? "")
  } catch {
    return []
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined
}
