/** An open Work that the watcher reads: what is known of the Work, and what decides when the Work is read again. */
import type { Refusal } from "../../platform/http/refusals.ts"
import type { Problem } from "../../contract/resources.ts"
import type { WorkClass } from "./reading-order.ts"
import { isAddressable } from "../../platform/http/path-match.ts"
import type { MonotonicTime } from "./request-pace.ts"
import type { ListedApproval, ListedClarification, ListedItem, ListedWork } from "./read-resources.ts"

/** A failed read. `json` is the Problem as text. `cause` is undefined when the upstream itself answered with a Problem. */
export type Failure = { readonly problem: Problem; readonly json: string; readonly cause: Refusal["cause"] }

export type CheckStep = "work" | "approvals" | "clarifications"

/** A check of a Work that has begun and not ended. */
export type Check = {
  /** The class of reads that the check was begun for. */
  readonly readClass: WorkClass
  /** The remaining steps, the next one first. */
  readonly steps: CheckStep[]
  /** Whether a request of the check is in flight. Otherwise the next request can be sent. */
  isReading: boolean
  /** Whether every answer so far was a success. */
  isWhole: boolean
  /** When the check began, in milliseconds since 1970. */
  readonly beganAt: number
  /** The Work's version when the check began to read the items. */
  version: bigint
}

export type WatchedWork = {
  work: ListedWork
  /** The number of the request whose answer had `work`. */
  seenByRequest: number
  /** Orders Works with equal times as the service lists them. The newest Work has the greatest place. */
  readonly place: number
  /** When the upstream last showed the Work. */
  seenAt: MonotonicTime
  /** When the upstream first showed the Work. */
  readonly firstSeenAt: number
  /** Whether the upstream showed the Work since the watcher began. If not, its scope may have changed since, so nobody sees the Work by its scope. */
  seenInList: boolean
  /** The number of the last request that the service answered as if there were no such Work (404). A round of the list decides whether that is so. */
  goneAfter: number | undefined
  /** Whether the approvals were read since the watcher began, and the clarifications. If not, a missing item may still be pending. */
  areApprovalsKnown: boolean
  areClarificationsKnown: boolean
  /** Whether an address can hold the id, so that the Work can be checked. */
  readonly isAddressable: boolean
  /** When the Work was first listed, or got a new version after its last check. */
  changedAt: MonotonicTime
  /** When somebody asked for a check. Undefined when the last check began later. */
  hintedAt: MonotonicTime | undefined
  /** When the last check began. */
  readAt: MonotonicTime
  check: Check | undefined
  /** The failure of the last check. */
  failing: (Failure & { readonly retryAt: MonotonicTime; readonly times: number }) | undefined
  /** When the last check since the watcher began has ended. */
  checkedAt: MonotonicTime | undefined
  /** When the last check has ended. It may be before the watcher's last rest. */
  checkedWallTime: number | undefined
  /** The version at the beginning of the last check. */
  checkedVersion: bigint | undefined
  approvals: readonly ListedApproval[]
  clarifications: readonly ListedClarification[]
  /** The ids of the items that could not be read. Undefined for an item whose id could not be read either. */
  unreadApprovals: readonly (string | undefined)[]
  unreadClarifications: readonly (string | undefined)[]
}

/** Whether the Work was checked since the watcher began. A Work that no address can hold counts as checked. */
export function isChecked({ checkedAt, isAddressable: canBeChecked }: WatchedWork): boolean {
  return checkedAt !== undefined || !canBeChecked
}

/** Whether the Work was not checked since the watcher began, or has changed since its check. */
export function isChanged(watched: WatchedWork): boolean {
  return !isChecked(watched) || watched.checkedVersion !== watched.work.version
}

/** When the oldest of the last checks of all Works ended. Undefined without a check. */
export function oldestCheckOf(works: Iterable<WatchedWork>): number | undefined {
  const checks = [...works].flatMap(({ checkedWallTime }) => checkedWallTime ?? [])
  return checks.length === 0 ? undefined : checks.reduce((oldest, other) => Math.min(oldest, other))
}

/** All waiting items of a Work. */
export function itemsOf({ approvals, clarifications }: WatchedWork): readonly ListedItem[] {
  return [...clarifications, ...approvals]
}

/** The ids of all items of a Work that could not be read. */
export function unreadItemsOf({ unreadApprovals, unreadClarifications }: WatchedWork): readonly (string | undefined)[] {
  return [...unreadClarifications, ...unreadApprovals]
}

/** Whether the item may be one that couldn't be read, so that it may still be pending. */
export const mayBeUnread = (watched: WatchedWork, itemId: string): boolean =>
  unreadItemsOf(watched).some((id) => id === undefined || id === itemId)

/** Whether the Work was checked, or its check has failed. */
export const wasTried = (watched: WatchedWork): boolean => isChecked(watched) || watched.failing !== undefined

/** Whether a check of the Work has begun since a moment, and has ended. */
export const wasCheckedSince = ({ readAt, checkedAt }: WatchedWork, moment: MonotonicTime): boolean =>
  readAt >= moment && (checkedAt ?? 0) >= readAt

/** A Work's checks before the first one. */
export const UNCHECKED = {
  hintedAt: undefined,
  check: undefined,
  failing: undefined,
  checkedAt: undefined,
  goneAfter: undefined,
  areApprovalsKnown: false,
  areClarificationsKnown: false,
}

/** A Work that the upstream has shown for the first time, in the answer to the request with this number. */
export function newWatchedWork(
  work: ListedWork,
  { request, place, now }: { readonly request: number; readonly place: number; readonly now: MonotonicTime },
): WatchedWork {
  return {
    ...UNCHECKED,
    work,
    seenByRequest: request,
    place,
    seenAt: now,
    firstSeenAt: Date.now(),
    seenInList: true,
    areClarificationsKnown: work.clarificationId === undefined,
    isAddressable: isAddressable(work.id),
    changedAt: now,
    readAt: Number.NEGATIVE_INFINITY,
    checkedWallTime: undefined,
    checkedVersion: undefined,
    approvals: [],
    clarifications: [],
    unreadApprovals: [],
    unreadClarifications: [],
  }
}

/** The items known before that were not read now, but may be among the unread ones. */
export function keepUnread<Item extends ListedItem>(
  before: readonly Item[],
  read: readonly Item[],
  unread: readonly (string | undefined)[],
): readonly Item[] {
  const mayBe = (item: Item) => unread.some((id) => id === undefined || id === item.id)
  return before.filter((item) => mayBe(item) && read.every(({ id }) => id !== item.id))
}

/** Whether two lists of items are equal in everything that the upstream wrote. */
export function areSameItems(before: readonly ListedItem[], after: readonly ListedItem[]): boolean {
  return before.length === after.length && before.every(({ json }, index) => json === after[index]?.json)
}
