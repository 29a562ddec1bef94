/** What the watcher has read: the open Works, the pending items of each Work, and the failures. Nothing is read here. */
import { backOff, type MonotonicTime } from "./request-pace.ts"
import type { ListedApproval, ListedClarification, ListedItem, ListedWork } from "./read-resources.ts"
import { DecidedItems } from "./decided-items.ts"
import { type KnownList, WholeList } from "./known-list.ts"
import {
  areSameItems,
  type Failure,
  isChecked,
  itemsOf,
  keepUnread,
  newWatchedWork,
  UNCHECKED,
  unreadItemsOf,
  type WatchedWork,
} from "./watched-work.ts"

/** How many open Works are watched at most: the newest. */
const WATCHED_MAX = 10_000

/** The pause before a failed check is tried again. The pause doubles with each failure (`backOff`). */
const RETRY_FIRST_MS = 1_000

/**
 * What may have changed in the answer of `GET /desk/waiting`:
 *
 * - `action`: a person did something.
 * - `presence`: people look at other items.
 * - `visibility`: other people see a Work. It came or went, or has another scope, colleague, approval or creator.
 * - `news`: anything else.
 */
export type Change = "action" | "visibility" | "news" | "presence"

export class WatchState {
  readonly works = new Map<string, WatchedWork>()
  /** The failure of the list, while the list cannot be read. */
  listFailure: Failure | undefined
  /** How many open Works are not watched. */
  unwatched = 0
  /** How many open Works of the list can't be read at all: they have no id, or are too large even as the only Work of a page. */
  unnamed = 0
  /** Rises with every change. What is made of this state, of the claims and of the people of Works is kept until then. */
  version = 0
  /** The version of the last change of who sees a Work. */
  visibilityVersion = 0
  /** How many Works have come since the process began. */
  addedWorks = 0
  #known: KnownList = { level: "unknown" }
  #wholeRounds = 0
  #onChange: (change: Change) => void = () => undefined
  /** The oldest watched Work, which a newer Work may replace. Undefined until it is searched for. */
  #oldest: WatchedWork | undefined
  readonly #decided = new DecidedItems()

  /** Calls `listener` at each change. At that moment the change itself may not be made yet. */
  onChange(listener: (change: Change) => void): void {
    this.#onChange = listener
  }

  /** Notes a change. */
  change(change: Change): void {
    this.version++
    if (change === "visibility") this.visibilityVersion = this.version
    this.#onChange(change)
  }

  /** Begins again after a rest: every Work counts as unchecked. The items of a Work stay until it is read again. */
  reset(): void {
    this.change("visibility")
    this.#known = { level: "unknown" }
    this.#wholeRounds = 0
    this.unwatched = 0
    this.unnamed = 0
    this.listFailure = undefined
    for (const watched of this.works.values()) Object.assign(watched, UNCHECKED, { seenInList: false })
  }

  /** What is known of the list of open Work: `whole` only if its round began after request `since`, or (without `since`) after the watcher. */
  knownWhole(since = 0): KnownList {
    const known = this.#known
    return known.level === "whole" && known.lastRequestBefore < since
      ? { level: "partly", lastRequestBefore: known.lastRequestBefore }
      : known
  }

  /** Whether a 404 about one Work can be believed: not while the list fails, or was not read to its end. */
  get isListSound(): boolean {
    return this.#known.level === "whole" && this.listFailure === undefined
  }

  /** Applies a Work of an answer to listWork or getWork. Returns false when the Work is done, or too old to be watched among WATCHED_MAX. */
  applyWork(work: ListedWork, request: number, now: MonotonicTime, place = 0): boolean {
    const watched = this.works.get(work.id)
    if (work.status === "done") {
      // An answer that is older than another answer about the same Work does not remove the Work.
      if (watched !== undefined && request >= watched.seenByRequest) this.remove(work.id)
      return false
    }
    if (watched === undefined) return this.#watch(work, request, now, place)
    const isOutdated = request < watched.seenByRequest && work.version <= watched.work.version
    if (!isOutdated) this.#update(watched, work, request, now)
    return true
  }

  /** Begins to watch a Work. Returns false when WATCHED_MAX newer Works are watched. */
  #watch(work: ListedWork, request: number, now: MonotonicTime, place: number): boolean {
    if (this.works.size >= WATCHED_MAX && !this.#makeRoomFor(work)) return false
    this.works.set(work.id, newWatchedWork(work, { request, place, now }))
    this.addedWorks++
    this.change("visibility")
    return true
  }

  /** Applies a newer answer about a watched Work. */
  #update(watched: WatchedWork, work: ListedWork, request: number, now: MonotonicTime): void {
    const before = watched.work
    if (work.version !== before.version && isChecked(watched)) watched.changedAt = now
    if (!watched.seenInList || work.scope !== before.scope || work.colleague !== before.colleague) {
      this.change("visibility")
    }
    if (work.json !== before.json && itemsOf(watched).length > 0) this.change("news")
    watched.work = work
    watched.seenByRequest = request
    watched.seenAt = now
    watched.seenInList = true
    watched.goneAfter = undefined
    if (work.clarificationId === undefined) this.#applyNoClarification(watched)
  }

  /** The Work itself says that no clarification of it is open. */
  #applyNoClarification(watched: WatchedWork): void {
    this.#setItems(watched, { clarifications: [], unreadClarifications: [] })
    watched.areClarificationsKnown = true
  }

  /** Removes a Work that is done or no longer exists. */
  remove(id: string): void {
    const watched = this.works.get(id)
    if (watched === undefined) return
    this.change("visibility")
    if (watched === this.#oldest) this.#oldest = undefined
    this.works.delete(id)
  }

  /**
   * Applies the approvals of a Work. Keeps those that are pending, but none that was decided after the request began. What was known of an approval
   * stays while the approval may be one that could not be read (`unread`, the ids).
   */
  applyApprovals(
    watched: WatchedWork,
    approvals: readonly ListedApproval[],
    request: number,
    unread: WatchedWork["unreadApprovals"] = [],
  ): void {
    const waiting = approvals.filter(
      (item) => item.status === "pending" && !this.#decided.has(item, watched.work.id, request),
    )
    const kept = keepUnread(watched.approvals, approvals, unread)
    this.#setItems(watched, { approvals: [...waiting, ...kept], unreadApprovals: unread })
    watched.areApprovalsKnown = true
  }

  /** Applies the clarifications of a Work, as `applyApprovals` does. */
  applyClarifications(
    watched: WatchedWork,
    clarifications: readonly ListedClarification[],
    request: number,
    unread: WatchedWork["unreadClarifications"] = [],
  ): void {
    const waiting = clarifications.filter(
      (item) => item.status === "open" && !this.#decided.has(item, watched.work.id, request),
    )
    const kept = keepUnread(watched.clarifications, clarifications, unread)
    this.#setItems(watched, { clarifications: [...waiting, ...kept], unreadClarifications: unread })
    watched.areClarificationsKnown = true
  }

  /** A check of the Work has ended. `version` is the Work's version when the requests for its items began. */
  endCheck(watched: WatchedWork, version: bigint, now: MonotonicTime): void {
    if (!isChecked(watched)) this.change("news")
    watched.checkedAt = now
    watched.checkedWallTime = Date.now()
    watched.checkedVersion = version
  }

  /** Removes a decided item. No request with a number up to `lastBegun` brings the item back. */
  decide(kind: ListedItem["kind"], workId: string, itemId: string, lastBegun: number): void {
    this.#decided.add({ kind, id: itemId }, workId, lastBegun)
    this.change("action")
    const watched = this.works.get(workId)
    if (watched === undefined) return
    const others = (item: ListedItem) => item.kind !== kind || item.id !== itemId
    this.#setItems(watched, {
      approvals: watched.approvals.filter(others),
      clarifications: watched.clarifications.filter(others),
    })
  }

  #setItems(watched: WatchedWork, items: Partial<Pick<WatchedWork, ItemMember>>): void {
    const { approvals = watched.approvals, clarifications = watched.clarifications } = items
    const unreadBefore = unreadItemsOf(watched).length
    watched.unreadApprovals = items.unreadApprovals ?? watched.unreadApprovals
    watched.unreadClarifications = items.unreadClarifications ?? watched.unreadClarifications
    if (unreadItemsOf(watched).length !== unreadBefore) this.change("news")
    if (areSameItems(watched.approvals, approvals) && areSameItems(watched.clarifications, clarifications)) return
    this.change("visibility")
    watched.approvals = approvals
    watched.clarifications = clarifications
  }

  /** Forgets the decisions that no request in flight can contradict, because every such request began later. */
  forgetDecided(oldestUnderWay: number): void {
    this.#decided.forget(oldestUnderWay)
  }

  /** Notes that a check of a Work failed. */
  fail(watched: WatchedWork, failure: Failure, now: MonotonicTime): void {
    if (this.works.get(watched.work.id) !== watched) return
    const before = watched.failing
    const times = (before?.times ?? 0) + 1
    watched.failing = { ...this.#firstOf(before, failure), times, retryAt: now + backOff(times, RETRY_FIRST_MS) }
  }

  /** Forgets the failure of a Work, because a read of it has succeeded. */
  heal(watched: WatchedWork): void {
    if (watched.failing === undefined) return
    watched.failing = undefined
    this.change("news")
  }

  /** Notes that a page of the list cannot be read, or (undefined) that all pages can be read again. */
  applyListFailure(failure: Failure | undefined): void {
    if (failure === undefined && this.listFailure === undefined) return
    if (failure === undefined) this.change("news")
    this.listFailure = failure && this.#firstOf(this.listFailure, failure)
  }

  /** A failure that repeats keeps its first Problem, so that answers stay equal. */
  #firstOf(before: Failure | undefined, failure: Failure): Failure {
    const isSame = before?.problem.status === failure.problem.status && before.problem.code === failure.problem.code
    if (isSame) return before
    this.change("news")
    return failure
  }

  /** Notes that the list cannot be read at present, so that new Work may be missing. */
  doubtList(): void {
    if (this.#known.level !== "whole") return
    this.#known = { level: "partly", lastRequestBefore: this.#known.lastRequestBefore }
    this.change("news")
  }

  /** Notes the end of a round of the list. `isWhole`: every page was read. `unwatched` and `unnamed` count the listed Works that are not watched. */
  applyListEnd({ isWhole, unwatched, unnamed = 0, lastRequestBefore }: ListEnd, now: MonotonicTime): void {
    const before = [this.#known.level, this.unwatched, this.unnamed]
    if (isWhole) this.#wholeRounds++
    this.#known = isWhole
      ? new WholeList(this, { lastRequestBefore, endedAt: now, rounds: this.#wholeRounds })
      : { level: "partly", lastRequestBefore }
    this.unwatched = isWhole ? unwatched : Math.max(this.unwatched, unwatched)
    this.unnamed = isWhole ? unnamed : Math.max(this.unnamed, unnamed)
    const after = [this.#known.level, this.unwatched, this.unnamed]
    if (after.some((value, index) => value !== before[index])) this.change("news")
  }

  /** One of the present failures: that of the list, or else that of a Work that `sees` accepts. */
  failureFor(sees: (watched: WatchedWork) => boolean): Failure | undefined {
    return this.listFailure ?? this.works.values().find((watched) => watched.failing && sees(watched))?.failing
  }

  /** Whether the list was read to its end, and each of these Works was checked. */
  isCompleteFor(works: Iterable<WatchedWork>): boolean {
    return this.knownWhole().level === "whole" && this.unwatched === 0 && Iterator.from(works).every(isChecked)
  }

  /** How many open Works there are, as far as the list was read. */
  get total(): number {
    return this.works.size + this.unwatched
  }

  /** Removes the oldest watched Work if `work` is newer. Returns false if `work` is not newer. */
  #makeRoomFor(work: ListedWork): boolean {
    this.#oldest ??= this.works
      .values()
      .reduce((oldest, other) => (other.work.createdAt < oldest.work.createdAt ? other : oldest))
    if (this.#oldest.work.createdAt >= work.createdAt) return false
    this.remove(this.#oldest.work.id)
    // The removed Work is still open.
    this.unwatched++
    return true
  }
}

/** How a round of the list has ended. */
type ListEnd = {
  readonly isWhole: boolean
  readonly unwatched: number
  readonly unnamed?: number
  readonly lastRequestBefore: number
}

type ItemMember = "approvals" | "clarifications" | "unreadApprovals" | "unreadClarifications"
