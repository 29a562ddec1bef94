/** Says when the watcher may begin its next request: by the upstream's quota, by Retry-After, and after failures. Has no clock of its own. */
import { parseList } from "structured-headers"

export const AT_A_TIME = 4

const UNAUTHENTICATED_MS = 30_000
const FIRST_PAUSE_MS = 500
/** The request itself takes time, too: another try begins within 10 s. */
const LONGEST_PAUSE_MS = 8_000

/** After so many failures in a row the service is at fault, and not one Work. */
const FAILURES_OF_ALL = 3

type Headers = Readonly<Record<string, string | undefined>>

/** All times are milliseconds of one monotonic clock. */
export class Pace {
  #begun = 0
  #lastBeganAt = Number.NEGATIVE_INFINITY
  /** The time between two requests: the upper half of the quota lasts until the refill. */
  #intervalMs = 0
  /** Below half of the quota the watcher asks nothing before this moment. */
  #refillAt = 0
  #pausedUntil = 0
  #failures = 0
  /** Requests up to this number began before the last failure arrived. */
  #failureKnownAt = 0
  /** After a stop one request is sent. The others follow when that request has succeeded. */
  #isTrying = false
  #hasQuota = false

  /** The number of a request that begins now. A later request has a greater number. */
  begin(now: number): number {
    this.#lastBeganAt = now
    return ++this.#begun
  }

  /** The moment from which a request may begin while `inFlight` others are under way; Infinity where one of them has to end first. */
  readyAt(inFlight: number): number {
    if (inFlight >= (this.#isTrying ? 1 : AT_A_TIME)) return Number.POSITIVE_INFINITY
    return Math.max(this.#lastBeganAt + this.#intervalMs, this.#refillAt, this.#pausedUntil)
  }

  /** After a failure the watcher asks nothing before this moment. */
  get pausedUntil(): number {
    return this.#pausedUntil
  }

  /** The upstream names its quota. */
  get hasQuota(): boolean {
    return this.#hasQuota
  }

  /** How many requests a second the quota admits in the long run; Infinity where the upstream names no quota. */
  get requestsPerSecond(): number {
    return this.#intervalMs === 0 ? Number.POSITIVE_INFINITY : 1_000 / this.#intervalMs
  }

  /** The service answered, or refused one Work. */
  succeeded(request: number, headers: Headers, now: number): void {
    if (request > this.#failureKnownAt) {
      this.#failures = 0
      this.#isTrying = false
    }
    this.#takeQuota(headers, now)
  }

  failed(request: number, status: number, headers: Headers, now: number): void {
    this.#isTrying = true
    if (request > this.#failureKnownAt) this.#failures++
    this.#failureKnownAt = this.#begun
    this.#pausedUntil = Math.max(this.#pausedUntil, now + this.#pauseAfter(status, headers["retry-after"]))
  }

  #pauseAfter(status: number, retryAfter: string | undefined): number {
    const asked = readRetryAfter(retryAfter)
    if (status === 401) return Math.max(asked ?? 0, UNAUTHENTICATED_MS)
    if (asked !== undefined) return Math.max(asked, FIRST_PAUSE_MS)
    // A single Work that fails does not delay the others.
    return this.#failures < FAILURES_OF_ALL ? 0 : backOff(this.#failures - FAILURES_OF_ALL + 1, FIRST_PAUSE_MS)
  }

  #takeQuota(headers: Headers, now: number): void {
    const quota = readQuota(headers["ratelimit-policy"], headers["ratelimit"])
    this.#hasQuota = quota !== undefined
    if (quota === undefined) return
    if (quota.spare < 1) {
      this.#refillAt = now + Math.max(quota.refillMs, 1_000)
      this.#intervalMs = 0
      this.#isTrying = true
    } else {
      this.#refillAt = 0
      this.#intervalMs = quota.refillMs / quota.spare
    }
  }
}

/** The pause before the next try after so many failures in a row. */
export function backOff(failures: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE_MS)
}

/** No pause is longer than a year, whatever `Retry-After` says. */
const RETRY_AFTER_MAX_MS = 365 * 86_400_000

/** RFC 9110, 10.2.3: seconds, or a date. In milliseconds from now; undefined where it is neither. */
export function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const wait = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), RETRY_AFTER_MAX_MS)
}

type Quota = {
  /** How many requests are left above half of the quota. */
  readonly spare: number
  readonly refillMs: number
}

/**
 * Reads `RateLimit-Policy: "read";q=600;w=60` and `RateLimit: "read";r=599;t=1` (draft-ietf-httpapi-ratelimit-headers). Several
 * policies may hold for one request: the one that slows most counts. Undefined where nothing can be read.
 */
export function readQuota(policyField: string | undefined, stateField: string | undefined): Quota | undefined {
  const policies = new Map(readItems(policyField).map(([name, parameters]) => [String(name), parameters]))
  const quotas = readItems(stateField).flatMap(([name, parameters]): Quota[] => {
    const policy = policies.get(String(name))
    const [quota, remainder] = [numberOf(policy?.get("q")), numberOf(parameters.get("r"))]
    if (quota === undefined || quota <= 0 || remainder === undefined) return []
    const seconds = numberOf(parameters.get("t")) ?? numberOf(policy?.get("w")) ?? 60
    return [{ spare: remainder - quota / 2, refillMs: seconds * 1_000 }]
  })
  const closed = quotas.filter(({ spare }) => spare < 1)
  const slowest = (of: Quota[], cost: (quota: Quota) => number) => of.toSorted((a, b) => cost(b) - cost(a))[0]
  return closed.length > 0
    ? slowest(closed, ({ refillMs }) => refillMs)
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
