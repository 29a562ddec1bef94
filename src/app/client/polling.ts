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

/** The least interval of the requests while the tab is hidden. */
export const HIDDEN_MS = 15_000
export const UNREACHABLE_MS = 5_000
/** A refused read is tried again so often, because a credential or a permission may be renewed without a reload. */
export const REFUSED_MS = 30_000
/** The longest timer. Browsers keep a delay in 31 bits, so a longer timer ends at once. */
const LONGEST_MS = 60 * 60_000

type AnyQuery = Pick<Query, "state">

/**
 * The time in milliseconds until a failed query is read again: its `Retry-After`, else a few seconds where there was no answer, or longer
 * where the credential was refused. False where reading again changes nothing (other 4xx). This is the default of every query.
 */
export function retryInterval(query: AnyQuery): number | false {
  const { error, status } = query.state
  if (status !== "error" || !(error instanceof DeskError)) return false
  if (error.retryAt !== undefined) return Math.min(Math.max(error.retryAt - steadyNow(), 0) + 50, LONGEST_MS)
  if (error.failure === "unauthenticated" || error.failure === "forbidden") return REFUSED_MS
  return error.retryable || error.outcomeUnknown ? UNREACHABLE_MS : false
}

/** When each answer first came. Equal data keep their identity (structural sharing), so a new object is a change. */
const firstSeen = new WeakMap<object, number>()

function unchangedMs({ state: { data } }: AnyQuery): number {
  if (typeof data !== "object" || data === null) return 0
  const seenAt = firstSeen.get(data) ?? steadyNow()
  firstSeen.set(data, seenAt)
  return steadyNow() - seenAt
}

/**
 * The refetch interval of a polled query in milliseconds: a tenth of the time since its data changed last, within the bounds of the pace. It
 * grows as the quota runs low, and is at least 15 s in a hidden tab. The jitter keeps the tabs of a browser apart, so that the tab that reads
 * first answers for all (shared-reads.ts). Hidden tabs get more jitter, because browsers wake all of them in the same second.
 *
 * The interval is chosen once for each answer: TanStack Query starts its timer again whenever a render gives another number.
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
