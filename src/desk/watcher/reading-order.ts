/** Chooses what the watcher reads next. It is a pure function. `docs/architecture.md`, "The watcher's queue", has the classes as a table. */
import type { MonotonicTime } from "./request-pace.ts"
import { isChanged, itemsOf, type WatchedWork } from "./watched-work.ts"

/**
 * The classes of reads in reading order, and the share of each: of so many requests at least one goes to the class while the class has a read that
 * may begin. The shares add up to less than one, so no class waits forever.
 *
 * - `hinted`: Work of which an event or a mutation was relayed, the first hint first.
 * - `list`: the next page of the list of open Work.
 * - `changed`: Work that is new or has a new version, the newest first.
 * - `late`: Work that has waited too long in `changed` or in `turn`, the one that has waited longest first.
 * - `turn`: all other open Work, in passes: first the Works with a pending item, then the rest, and of each the one that was read longest ago. It
 *   needs no share, because it becomes `late`.
 * - `failed`: Work whose last check failed.
 * - `done`: done Work.
 */
const SHARES = { hinted: 10, list: 5, changed: 10, late: 10, turn: Number.POSITIVE_INFINITY, failed: 10, done: 10 }

export type WorkClass = "hinted" | "changed" | "late" | "turn" | "failed"
export type ReadClass = WorkClass | "list" | "done"

const READING_ORDER: readonly ReadClass[] = ["hinted", "list", "changed", "late", "turn", "failed", "done"]

/** Work that is new or has changed is late after this time. */
const LATE_MS = 30_000

/** A Work is not checked more often than this, even when its version changes all the time. */
const CHECK_AGAIN_MS = 1_500

/** What to read next. A Work is read for one class of reads. */
export type Choice =
  | { readonly readClass: "list" | "done" }
  | { readonly readClass: WorkClass; readonly watched: WatchedWork }

/** What to read now, or when to ask again. Infinity: there is nothing to read before an answer or a hint comes. */
export type NextChoice = { readonly choice: Choice } | { readonly wakeAt: MonotonicTime }

/** When reads may begin that don't depend on only one Work. */
export type Starts = {
  readonly list: MonotonicTime
  readonly done: MonotonicTime
  /** When the next Work may have its turn. */
  readonly turn: MonotonicTime
  /** When the present pass of turns began. A pass ends when every Work was read. */
  readonly pass: MonotonicTime
  /** When the next Work may be tried again. Works that fail get no more reads than Works that do not fail, so that a success shows a well service. */
  readonly failed: MonotonicTime
  /** How long a pass takes. Work that was read this long ago has missed its turn. */
  readonly passMs: number
}

/** How many requests have begun since the last one of a class. */
export type RequestsSinceLast = (readClass: ReadClass) => number

/** Chooses the next read: a check that has begun, then a class that has used less than its share, then the classes in reading order. */
export function chooseNext(
  works: Iterable<WatchedWork>,
  now: MonotonicTime,
  starts: Starts,
  requestsSinceLast: RequestsSinceLast,
): NextChoice {
  const firsts = new Map<ReadClass, { readonly place: number; readonly choice: Choice }>()
  let wakeAt = Number.POSITIVE_INFINITY
  for (const watched of works) {
    const { check, isAddressable } = watched
    if (check !== undefined && !check.isReading) return { choice: { readClass: check.readClass, watched } }
    if (check !== undefined || !isAddressable) continue
    const start = mayBeginAt(watched, starts)
    if (start > now) {
      wakeAt = Math.min(wakeAt, start)
      continue
    }
    const readClass = classOf(watched, now, starts)
    const first = firsts.get(readClass)
    const place = placeIn(readClass, watched, starts)
    if (first === undefined || place < first.place) firsts.set(readClass, { place, choice: { readClass, watched } })
  }
  for (const readClass of ["list", "done"] as const) {
    if (starts[readClass] > now) wakeAt = Math.min(wakeAt, starts[readClass])
    else firsts.set(readClass, { place: 0, choice: { readClass } })
  }
  const choices = [...firsts.values()].map(({ choice }) => choice)
  const [next] = choices.sort((one, other) => compare(one.readClass, other.readClass, requestsSinceLast))
  return next === undefined ? { wakeAt } : { choice: next }
}

/** Negative when `one` is read before `other`: it lacks more requests of its share, or both lack the same and it is earlier in reading order. */
function compare(one: ReadClass, other: ReadClass, requestsSinceLast: RequestsSinceLast): number {
  const owed = (readClass: ReadClass) => Math.max(0, requestsSinceLast(readClass) - SHARES[readClass] + 1)
  return owed(other) - owed(one) || READING_ORDER.indexOf(one) - READING_ORDER.indexOf(other)
}

/** The class of the next check of a Work that is not being checked. */
function classOf(watched: WatchedWork, now: MonotonicTime, starts: Starts): WorkClass {
  if (watched.hintedAt !== undefined) return "hinted"
  if (watched.failing !== undefined) return "failed"
  if (lateAt(watched, starts) <= now) return "late"
  return isChanged(watched) ? "changed" : "turn"
}

/** When a Work has waited too long in `changed` or in `turn`. */
function lateAt(watched: WatchedWork, { passMs }: Starts): MonotonicTime {
  return isChanged(watched) ? watched.changedAt + LATE_MS : watched.readAt + passMs
}

/** Orders the Works of a class: the least place is read first. */
function placeIn(readClass: WorkClass, watched: WatchedWork, starts: Starts): number {
  switch (readClass) {
    case "hinted":
      return watched.hintedAt ?? 0
    case "changed":
      return -watched.work.createdAt
    case "late":
      return lateAt(watched, starts)
    case "turn": {
      // A Work with an item that was not read in this pass comes before all others: its place is negative, and no moment of the clock is.
      const isFirstInPass = watched.readAt < starts.pass && itemsOf(watched).length > 0
      return isFirstInPass ? watched.readAt - starts.pass : watched.readAt
    }
    case "failed":
      return watched.failing?.retryAt ?? 0
  }
}

/** The earliest moment for a check of a Work that is not being checked. */
function mayBeginAt(watched: WatchedWork, { turn, failed }: Starts): MonotonicTime {
  const { readAt, failing, hintedAt } = watched
  const own = Math.max(readAt + CHECK_AGAIN_MS, failing?.retryAt ?? 0)
  if (hintedAt !== undefined) return own
  if (failing !== undefined) return Math.max(own, failed)
  return isChanged(watched) ? own : Math.max(own, turn)
}

/** In this time all Works have had their turn, unless the least gap makes it longer. 5 s of the 30 s are left for the reads. */
const PASS_LONGEST_MS = 25_000
const PASS_SHORTEST_MS = 10_000
/** How much each Work adds to that time. */
const PASS_EACH_MS = 250
/** The least time between two turns, when the upstream names its quota and when it does not. */
const GAP_WITH_QUOTA_MS = 50
const GAP_WITHOUT_QUOTA_MS = 200

/** The time between two turns. Up to 100 Works are each read again within 30 s. */
export function gapOfTurns(works: number, hasQuota: boolean): number {
  const passMs = Math.min(Math.max(works * PASS_EACH_MS, PASS_SHORTEST_MS), PASS_LONGEST_MS)
  return Math.max(passMs / works, hasQuota ? GAP_WITH_QUOTA_MS : GAP_WITHOUT_QUOTA_MS)
}
