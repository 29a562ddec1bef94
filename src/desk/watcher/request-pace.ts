/** Decides when the watcher may begin its next request: by the upstream's quota, by Retry-After, and after failures. */
import { readQuotas, readRetryAfter } from "../../platform/http/http-fields.ts"

/** How many requests the watcher has in flight at most. */
export const IN_FLIGHT_MAX = 4

/** The pause after 401, because the desk's credential is wrong until somebody changes it. */
const UNAUTHENTICATED_MS = 30_000
const FIRST_PAUSE_MS = 500
/** The next try must follow a failure within 10 s. This leaves 2 s for the request itself. */
const LONGEST_PAUSE_MS = 8_000

/** After this many failures in a row, the service is at fault, and all reads pause. Fewer may be the fault of one Work. */
const FAILURES_OF_SERVICE = 3

/** A moment of `performance.now()`, in milliseconds. A moment of the type `number` is in milliseconds since 1970. */
export type MonotonicTime = number

type Headers = Readonly<Record<string, string | undefined>>

/**
 * When the next request may begin:
 *
 * | state                 | begins with                              | the next request                            | ends with                                 |
 * | --------------------- | ---------------------------------------- | ------------------------------------------- | ----------------------------------------- |
 * | free                  |                                          | at once, or one interval of the quota later |                                           |
 * | used up (`#refillAt`) | an answer with less than half a quota    | at the refill, then one at a time           | an answer with more                       |
 * | paused                | a failure with a pause (`#pauseAfter`)   | after the pause, then one at a time         | the pause's end                           |
 * | probing               | any failure, or a quota that is used up  | one at a time                               | the success of a request that began later |
 */
export class RequestPace {
  #lastNumber = 0
  #lastBeganAt = Number.NEGATIVE_INFINITY
  #intervalMs = 0
  /** No request begins before this moment: the refill of a quota with only people's half left. */
  #refillAt: MonotonicTime = 0
  #pausedUntil: MonotonicTime = 0
  #failures = 0
  /**
   * The number of the last request that had begun when the last failure came. An answer to this request or one before shows the service before the
   * failure: a success does not end the failure, and another failure is the same one.
   */
  #lastNumberAtFailure = 0
  /** After a failure or a used-up quota only one request may be in flight, until a request that began later has succeeded. */
  #isProbing = false

  /** The number of the last request. */
  get lastNumber(): number {
    return this.#lastNumber
  }

  /**
   * The time between two requests. The watcher leaves half of the quota to people, and spreads the other half until the refill. 0 while the upstream
   * names no quota, and after the watcher's half is used up: then all requests wait for the refill.
   */
  get intervalMs(): number {
    return this.#intervalMs
  }

  /** The end of the pause after a failure. */
  get pausedUntil(): MonotonicTime {
    return this.#pausedUntil
  }

  /** Counts a request that begins now. Returns its number, which is greater than every number before. */
  begin(now: MonotonicTime): number {
    this.#lastBeganAt = now
    return ++this.#lastNumber
  }

  /** When the next request may begin while `inFlight` others are in flight. Infinity when one of them has to end first. */
  readyAt(inFlight: number): MonotonicTime {
    if (inFlight >= (this.#isProbing ? 1 : IN_FLIGHT_MAX)) return Number.POSITIVE_INFINITY
    return Math.max(this.#lastBeganAt + this.#intervalMs, this.#refillAt, this.#pausedUntil)
  }

  /** A request got an answer, or a refusal of one Work (403, 404). */
  succeeded(request: number, headers: Headers, now: MonotonicTime): void {
    if (request > this.#lastNumberAtFailure) {
      this.#failures = 0
      this.#isProbing = false
    }
    this.#applyQuotas(headers, now)
  }

  /** A request failed with this status. */
  failed(request: number, status: number, headers: Headers, now: MonotonicTime): void {
    this.#isProbing = true
    if (request > this.#lastNumberAtFailure) this.#failures++
    this.#lastNumberAtFailure = this.#lastNumber
    this.#pausedUntil = Math.max(this.#pausedUntil, now + this.#pauseAfter(status, headers))
  }

  #pauseAfter(status: number, headers: Headers): number {
    const asked = readRetryAfter(headers["Retry-After"])
    if (status === 401) return Math.max(asked ?? 0, UNAUTHENTICATED_MS)
    if (asked !== undefined) return Math.max(asked, FIRST_PAUSE_MS)
    const failuresOfService = this.#failures - FAILURES_OF_SERVICE + 1
    return failuresOfService < 1 ? 0 : backOff(failuresOfService, FIRST_PAUSE_MS)
  }

  /** If there are several quotas, the strictest one counts. */
  #applyQuotas(headers: Headers, now: MonotonicTime): void {
    const policies = readQuotas(headers["RateLimit-Policy"])
    const quotas = [...readQuotas(headers["RateLimit"])].flatMap(([name, { r, t }]) => {
      const { q = 0, w = 60 } = policies.get(name) ?? {}
      // Half of the quota is reserved for people.
      return q === 0 || r === undefined ? [] : [{ spare: r - q / 2, refillMs: (t ?? w) * 1_000 }]
    })
    if (quotas.length === 0) return
    const usedUp = quotas.filter(({ spare }) => spare < 1)
    if (usedUp.length > 0) {
      this.#refillAt = now + Math.max(1_000, ...usedUp.map(({ refillMs }) => refillMs))
      this.#intervalMs = 0
      this.#isProbing = true
    } else {
      this.#refillAt = 0
      this.#intervalMs = Math.max(...quotas.map(({ refillMs, spare }) => refillMs / spare))
    }
  }
}

/** The pause in milliseconds after so many failures in a row. It doubles from `firstMs` up to 8 s. */
export function backOff(failures: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE_MS)
}
