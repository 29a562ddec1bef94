import type { Query } from "@tanstack/react-query"
import { DeskError } from "./desk-error.ts"
import { rateLimitFactor } from "./rate-limit.ts"

/** How often a query is read again, in milliseconds: `fast` after a change, `slow` when nothing happens. */
export type Pace = { readonly fast: number; readonly slow: number }

/** At rest the list is read at least once a minute; an item resolved elsewhere shows within 30 s (design, "What is fixed"). */
export const LIST_PACE: Pace = { fast: 5_000, slow: 45_000 }
const INBOX_PACE: Pace = { fast: 10_000, slow: 25_000 }

const HIDDEN_MS = 15_000
const UNREACHABLE_MS = 5_000

type AnyQuery = Pick<Query, "state">

/**
 * The time until a failed query is asked again by itself: at its `Retry-After`, or a little later when nobody answered.
 * False where asking again would change nothing (4xx). The default for every query.
 */
export function retryInterval(query: AnyQuery): number | false {
  const { error, status } = query.state
  if (status !== "error" || !(error instanceof DeskError)) return false
  if (error.retryAt !== undefined) return Math.max(error.retryAt - Date.now(), 0) + 50
  return error.retryable || error.outcomeUnknown ? UNREACHABLE_MS : false
}

/**
 * The refetch interval of a polled query: a tenth of the time since its data last changed, between the pace's bounds,
 * stretched as the quota runs down, never under 15 s in a hidden tab. The jitter keeps a browser's tabs apart, so that the
 * first to ask answers for all (shared-reads): hidden ones by far, for browsers wake them all in the same second.
 *
 * @param changedAt when the data last changed, ms since the epoch
 */
export function pollInterval(pace: Pace, changedAt: (query: AnyQuery) => number = whenUpdated) {
  const chance = Math.random()
  return (query: AnyQuery): number | false => {
    const failed = query.state.status === "error" ? retryInterval(query) : undefined
    if (failed === false) return false
    const least = document.hidden ? HIDDEN_MS : 0
    if (failed !== undefined) return Math.max(failed, least)
    const quiet = (Date.now() - changedAt(query)) / 10
    const wanted = Math.max(Math.min(Math.max(quiet, pace.fast) * rateLimitFactor(), pace.slow), least)
    return wanted * (1 + (document.hidden ? chance : chance / 10))
  }
}

function whenUpdated(query: AnyQuery): number {
  return query.state.dataUpdatedAt
}

/**
 * A credential or a scope may be renewed at any time, and nobody should have to reload the page then; nor may the refusal of one
 * Work end the gathering of all.
 */
const UNAUTHENTICATED_MS = 30_000

const orAfterRenewal = (interval: (query: AnyQuery) => number | false) => (query: AnyQuery) => {
  const { error } = query.state
  const isUnauthenticated = error instanceof DeskError && error.status === 401
  return (isUnauthenticated ? false : interval(query)) || UNAUTHENTICATED_MS
}

/** For what is gathered across Work: soon after an item came or went, slower when nothing moves. */
export const inboxInterval = orAfterRenewal(
  pollInterval(INBOX_PACE, ({ state: { data } }) =>
    typeof data === "object" && data !== null && "changedAt" in data ? Number(data.changedAt) : 0,
  ),
)

/** For the clarifications or approvals of one Work that is shown. */
export const itemInterval = orAfterRenewal(pollInterval(INBOX_PACE))
