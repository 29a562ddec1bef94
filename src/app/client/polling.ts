import type { Query } from "@tanstack/react-query"
import { steadyNow } from "./clock.ts"
import { DeskError } from "./desk-error.ts"
import { rateLimitFactor } from "./rate-limit.ts"

/** How often a query is read again, in milliseconds: `fast` after a change, `slow` when nothing happens. */
export type Pace = { readonly fast: number; readonly slow: number }

/** At rest the list is read at least once a minute. */
export const LIST_PACE: Pace = { fast: 5_000, slow: 45_000 }
/** An item that was resolved elsewhere shows within 30 s. */
export const ITEM_PACE: Pace = { fast: 10_000, slow: 25_000 }

const HIDDEN_MS = 15_000
const UNREACHABLE_MS = 5_000
/** A credential or a permission may be renewed at any time, and nobody should have to reload the page then. */
const REFUSED_MS = 30_000
/** Browsers keep the delay of a timer in 31 bits; a longer one would end at once. */
const LONGEST_MS = 60 * 60_000

type AnyQuery = Pick<Query, "state">

/**
 * The time until a failed query is asked again by itself: at its `Retry-After`, a little later when nobody answered, and after a while
 * where the credential was refused. False where asking again would change nothing (other 4xx). The default for every query.
 */
export function retryInterval(query: AnyQuery): number | false {
  const { error, status } = query.state
  if (status !== "error" || !(error instanceof DeskError)) return false
  if (error.retryAt !== undefined) return Math.min(Math.max(error.retryAt - steadyNow(), 0) + 50, LONGEST_MS)
  if (error.failure === "unauthenticated" || error.failure === "forbidden") return REFUSED_MS
  return error.retryable || error.outcomeUnknown ? UNREACHABLE_MS : false
}

/** When each answer was first seen: equal data keep their identity (structural sharing), so a new object is a change. */
const firstSeen = new WeakMap<object, number>()

function unchangedMs({ state: { data } }: AnyQuery): number {
  if (typeof data !== "object" || data === null) return 0
  const seenAt = firstSeen.get(data) ?? steadyNow()
  firstSeen.set(data, seenAt)
  return steadyNow() - seenAt
}

/**
 * The refetch interval of a polled query: a tenth of the time since its data last changed, between the pace's bounds,
 * stretched as the quota runs down, never under 15 s in a hidden tab. The jitter keeps a browser's tabs apart, so that the
 * first to ask answers for all (shared-reads): hidden ones by far, for browsers wake them all in the same second.
 *
 * The interval is chosen once for each answer: TanStack Query begins to wait anew whenever a render gives another number.
 */
export function pollInterval(pace: Pace): (query: AnyQuery) => number | false {
  const chance = Math.random()
  const chosen = new WeakMap<AnyQuery, { readonly forAnswer: string; readonly interval: number }>()
  return (query) => {
    const least = document.hidden ? HIDDEN_MS : 0
    if (query.state.status === "error") {
      const again = retryInterval(query)
      return again === false ? false : Math.max(again, least)
    }
    const forAnswer = `${String(query.state.dataUpdatedAt)} ${String(document.hidden)}`
    const before = chosen.get(query)
    if (before?.forAnswer === forAnswer) return before.interval
    const wanted = Math.min(Math.max(unchangedMs(query) / 10, pace.fast) * rateLimitFactor(), pace.slow)
    const interval = Math.max(wanted, least) * (1 + (document.hidden ? chance : chance / 10))
    chosen.set(query, { forAnswer, interval })
    return interval
  }
}
