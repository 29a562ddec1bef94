/** The requests of one check of a Work: the Work itself where it may have changed, its approvals, and its clarifications if it has a current one. */
import { addressOfWork } from "../../platform/http/path-match.ts"
import type { Answer } from "../../platform/http/send.ts"
import type { DoneWorkReads } from "./done-work-reads.ts"
import type { WorkClass } from "./reading-order.ts"
import type { MonotonicTime } from "./request-pace.ts"
import {
  InvalidAnswerError,
  readApprovals,
  readClarifications,
  readOneWork,
  type ListedApproval,
  type ListedItem,
} from "./read-resources.ts"
import type { WatchState } from "./watch-state.ts"
import { type Check, type CheckStep, itemsOf, mayBeUnread, type WatchedWork } from "./watched-work.ts"

/** Where each step reads, below the Work. */
const STEPS = {
  work: { operation: "getWork", path: "" },
  approvals: { operation: "listWorkApprovals", path: "/approvals" },
  clarifications: { operation: "listWorkAttention", path: "/attention" },
} as const

/** One request of a check. */
export type CheckRead = {
  readonly kind: "check"
  readonly operation: (typeof STEPS)[CheckStep]["operation"]
  readonly target: string
  readonly watched: WatchedWork
  readonly check: Check
  readonly step: CheckStep
}

/** Whether an item is resolved. `storedAt` is when the desk last stored something about the item, in milliseconds since 1970. */
export type IsResolved = (itemId: string, storedAt: number) => boolean

/** How much the clocks of two desks may differ. What another desk stored later may be about an item that this check has not read. */
const CLOCKS_DIFFER_MS = 60_000
/** How long the list is believed that a Work has no clarification. */
const SEEN_WITHIN_MS = 30_000

/** Who gets what is read. */
export type ReadListeners = {
  /** Left out: no done Work is read. */
  readonly done?: DoneWorkReads | undefined
  /** Called with all approvals of a Work, pending and resolved. `doneVersion` is the Work's version where the Work is done. */
  readonly onApprovals?: (workId: string, approvals: readonly ListedApproval[], doneVersion?: string) => void
  /** Called when the items of a Work that `isResolved` accepts are resolved. If a Work is done or no longer exists, all its items are. */
  readonly onResolved?: (workId: string, isResolved: IsResolved) => void
}

/** Begins a check, or continues it, and returns its next request. `readsWork`: the Work may have changed since it was listed. */
export function nextStep(
  watched: WatchedWork,
  readClass: WorkClass,
  readsWork: boolean,
  now: MonotonicTime,
): CheckRead {
  const { work } = watched
  if (watched.check === undefined) {
    const items: CheckStep[] = work.clarificationId === undefined ? ["approvals"] : ["approvals", "clarifications"]
    // The answer about the Work says whether the Work has a clarification (`applyStep`).
    const steps: CheckStep[] = readsWork ? ["work", "approvals"] : items
    watched.check = { readClass, steps, isReading: false, isWhole: true, beganAt: Date.now(), version: work.version }
    watched.readAt = now
    watched.hintedAt = undefined
  }
  const { check } = watched
  const [step = "approvals"] = check.steps
  check.isReading = true
  if (step === "approvals") check.version = work.version
  const { operation, path } = STEPS[step]
  const target = `${addressOfWork(work.id)}${path}`
  return { kind: "check", operation, target, watched, check, step }
}

/** Applies an answer with 200, 403 or 404. @throws InvalidAnswerError */
export function applyStep(
  state: WatchState,
  listeners: ReadListeners,
  { watched, check, step, number }: CheckRead & { readonly number: number },
  { status, body }: Answer,
  now: MonotonicTime,
): void {
  // The Work has been removed.
  if (state.works.get(watched.work.id) !== watched) return
  // After 403 and 404, what was known stays. The next round of the list decides whether a Work no longer exists (`ListRounds`).
  if (status === 200) applyBody(state, listeners, watched, step, String(body), number, now)
  else if (status === 404 && step === "work") watched.goneAfter = number
  if (status !== 200) check.isWhole = false
  state.heal(watched)
  check.isReading = false
  check.steps.shift()
  if (step === "work" && watched.work.clarificationId !== undefined) check.steps.push("clarifications")
  if (check.steps.length > 0) return
  watched.check = undefined
  state.endCheck(watched, check.version, now)
  const isStillOpen = state.works.get(watched.work.id) === watched
  if (check.isWhole && isStillOpen && now - watched.seenAt <= SEEN_WITHIN_MS)
    listeners.onResolved?.(watched.work.id, isUnlisted(watched, check))
}

/** The items that a check has not found. A clarification that was answered elsewhere is in no list of the service. */
function isUnlisted(watched: WatchedWork, check: Check): IsResolved {
  const waiting = new Set(itemsOf(watched).map(({ id }) => id))
  const isListed = (id: string) => waiting.has(id) || mayBeUnread(watched, id)
  return (itemId, storedAt) => storedAt < check.beganAt - CLOCKS_DIFFER_MS && !isListed(itemId)
}

/** Applies what a step has read. */
function applyBody(
  state: WatchState,
  { done, onApprovals, onResolved }: ReadListeners,
  watched: WatchedWork,
  step: CheckStep,
  body: string,
  request: number,
  now: MonotonicTime,
): void {
  const { id } = watched.work
  if (step === "work") {
    const work = readOneWork(body)
    if (work.id !== id) throw new InvalidAnswerError("the response is for another Work")
    if (work.status === "done") {
      done?.addEnded(work, Date.now())
      onResolved?.(id, () => true)
    }
    state.applyWork(work, request, now)
  } else if (step === "clarifications") {
    const { items: clarifications, unread } = readClarifications(body)
    state.applyClarifications(watched, clarifications, request, unread)
    onResolved?.(id, isOneOf(clarifications.filter(({ status }) => status !== "open")))
  } else {
    const { items: approvals, unread } = readApprovals(body)
    state.applyApprovals(watched, approvals, request, unread)
    onApprovals?.(id, approvals)
    onResolved?.(id, isOneOf(approvals.filter(({ status }) => status !== "pending")))
  }
}

const isOneOf = (items: readonly ListedItem[]) => (itemId: string) => items.some(({ id }) => id === itemId)
