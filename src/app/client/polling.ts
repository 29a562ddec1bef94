/** How often the app reads again: what is polled, what has failed, and how much of the quota is left. */
import type { Query } from "@tanstack/react-query"
import { LONGEST_TIMER_MS, steadyNow } from "./clock.ts"
import { DeskError } from "./desk-error.ts"

/** How often a query is read again, in milliseconds: `fast` after a change, `slow` when nothing happens. */
export type Pace = { readonly fast: number; readonly slow: number }

/** At rest the list is read at least once a minute. */
export const LIST_PACE: Pace = { fast: 5_000, slow: 45_000 }
/** An item that was resolved elsewhere shows within 30 s. */
export const ITEM_PACE: Pace = { fast: 10_000, slow: 25_000 }

/** The pause after a failure without a `Retry-After`. */
const PAUSE_MS = 5_000
/** The pause after a refused read, which is tried again because a credential or a permission may be renewed without a reload. */
const REFUSED_MS = 30_000

type AnyQuery = Pick<Query, "state">

/** Whether a read that failed without a `Retry-After` may succeed when it is tried again soon. */
const mayPass = ({ retryable, outcomeUnknown }: DeskError): boolean => retryable || outcomeUnknown

/** When a read that failed is tried again, for a countdown, as a moment of `steadyNow`; undefined where only the person tries again. */
export function retriesAt(error: DeskError): number | undefined {
  return error.retryAt ?? (mayPass(error) ? error.at + PAUSE_MS : undefined)
}

/** The milliseconds from `now` until a read that failed is tried again; undefined where another try changes nothing (other 4xx). */
export function pauseAfter(error: DeskError, now = steadyNow()): number | undefined {
  // A timer may end a little early.
  if (error.retryAt !== undefined) return Math.max(error.retryAt - now, 0) + 50
  if (error.failure === "unauthenticated" || error.failure === "forbidden") return REFUSED_MS
  return mayPass(error) ? PAUSE_MS : undefined
}

/** The refetch interval of every query that is not polled. Such a query is read again only after a failure. */
export function retryInterval({ state: { status, error } }: AnyQuery): number | false {
  const pause = status === "error" && error instanceof DeskError ? pauseAfter(error) : undefined
  return pause === undefined ? false : Math.min(pause, LONGEST_TIMER_MS)
}

/** When each answer first came. Equal data keep their identity (structural sharing), so a new object is a change. */
const firstCame = new WeakMap<object, number>()

/**
 * The refetch interval of a polled query in milliseconds: a tenth of the time for which its data had not changed at the last read, within the
 * bounds of the pace. The interval grows as the quota runs low, up to `slow`. It is counted from the last answer and not from now, because
 * TanStack Query starts its timer again whenever a render gives another number.
 */
export function pollInterval({ fast, slow }: Pace): (query: AnyQuery) => number | false {
  return (query) => {
    const { status, data, dataUpdatedAt } = query.state
    if (status === "error") return retryInterval(query)
    if (typeof data !== "object" || data === null) return fast
    const cameAt = firstCame.get(data) ?? Date.now()
    firstCame.set(data, cameAt)
    return Math.min(Math.max((dataUpdatedAt - cameAt) / 10, fast) * rateLimitFactor(), slow)
  }
}

/** The quota for reading that the service reported last: `remaining` of `quota`. */
let reported = { remaining: 1, quota: 1 }

/**
 * Reads `RateLimit` and `RateLimit-Policy` (IETF draft, structured fields: `"read";r=599;t=30`, `"read";q=600;w=60`). The service may
 * name several quotas as it likes, so the lowest value counts. A header that cannot be read is ignored, because
 * the header would only slow the polling.
 */
export function readRateLimit(headers: Headers): void {
  const remaining = readParameter(headers.get("ratelimit"), "r")
  const quota = readParameter(headers.get("ratelimit-policy"), "q")
  if (remaining !== undefined && quota !== undefined && quota > 0) reported = { remaining, quota }
}

/** The whole factor by which polling slows down: 1 with at least half of the quota left, 4 with nothing left. */
export function rateLimitFactor(): number {
  const left = reported.remaining / reported.quota
  return left >= 0.5 ? 1 : Math.ceil(1 + 3 * (1 - left * 2))
}

function readParameter(field: string | null, name: string): number | undefined {
  const values = [...(field ?? "").matchAll(new RegExp(`;\\s*${name}=(\\d+)`, "g"))].map((match) => Number(match[1]))
  return values.length === 0 ? undefined : Math.min(...values)
}
