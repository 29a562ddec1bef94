/** What the watcher has read: the open Works, the waiting items of each Work, and the failures. Nothing is read here. */
import type { Refusal } from "../contract/refusal.ts"
import type { Problem } from "../contract/resources.ts"
import { backOff } from "./request-pace.ts"
import type { ListedApproval, ListedClarification, ListedItem, ListedWork } from "./resources.ts"

/** How many open Works are watched at most: the newest. */
const WATCHED_MAX = 10_000

/** The pause before a failed read is tried again. It doubles with each failure (`backOff`). */
const RETRY_FIRST_MS = 1_000

/** An open Work and the result of its last check. Moments are milliseconds of the watcher's monotonic clock. */
export type WatchedWork = {
  work: ListedWork
  /** The number of the request whose answer had `work`. */
  toldByRequest: number
  /** Orders Works with equal times as the service lists them. The newest Work has the greatest place. */
  readonly place: number
  /** When the upstream last told the Work. */
  toldAt: number
  /** When the upstream first told the Work, in milliseconds since 1970. */
  readonly knownOn: number
  /** Whether the upstream told the Work since the watcher began. If not, the scope may have changed meanwhile and shows the Work to nobody. */
  isTold: boolean
  /** When the Work became due for a check: when it was first listed, or got a new version after its last check. */
  dueSince: number
  /** When the last check since the watcher began has ended. */
  checkedAt: number | undefined
  /** When the last check has ended, in milliseconds since 1970. It may be before the watcher's last rest. */
  checkedOn: number | undefined
  /** The version at the beginning of the last check. */
  checkedVersion: bigint | undefined
  /** When the last check began. */
  lastReadAt: number
  /** How many complete rounds of the list in a row did not have the Work. Any answer that shows the Work as open sets this to 0. */
  missed: number
  approvals: readonly ListedApproval[]
  clarifications: readonly ListedClarification[]
}

/** A failed read. `json` is the Problem as text. `cause` is undefined when the upstream itself answered with a Problem. */
export type Failure = { readonly problem: Problem; readonly json: string; readonly cause: Refusal["cause"] }

export class WatchState {
  readonly works = new Map<string, WatchedWork>()
  /** Whether the list was read to its end since the watcher began. */
  isListed = false
  /** When the last round of the list was read to its end. */
  listedAt = Number.NEGATIVE_INFINITY
  /** How many open Works are not watched. */
  unwatched = 0
  /** Grows with every item that comes, goes or has a new version, and with every failure that begins or ends. */
  itemChanges = 0
  /** Grows with every other change of the answer of `GET /desk/waiting`. */
  otherChanges = 0
  /** Grows with every Work that is new or has a new version. */
  workChanges = 0
  /** Grows with every change that may decide who sees a Work: a Work that comes or goes, its scope, its colleague, its approvals. */
  sightChanges = 0
  /** The oldest watched Work, which a newer Work may replace. Undefined until it is searched for. */
  #oldest: WatchedWork | undefined
  /** The reads that fail at present: of a Work (by its id) or of the list (`LIST`). */
  readonly #failures = new Map<string, Failure & { readonly retryAt: number; readonly times: number }>()
  /** For each decided item: the number of the last request that began before the decision was answered. */
  readonly #decided = new Map<string, number>()

  /** Begins again after a rest: every Work counts as unchecked. The items of a Work stay until it is read again. */
  reset(): void {
    this.otherChanges++
    this.workChanges++
    this.sightChanges++
    this.isListed = false
    this.unwatched = 0
    this.#failures.clear()
    for (const watched of this.works.values()) {
      watched.checkedAt = undefined
      watched.isTold = false
      watched.missed = 0
    }
  }

  /** Takes in a Work of an answer to listWork or getWork. Gives false when the Work is done, or too old to be watched among WATCHED_MAX. */
  takeWork(work: ListedWork, request: number, now: number, place = 0): boolean {
    const watched = this.works.get(work.id)
    if (work.status === "done") {
      // An answer that is older than another answer about the same Work does not remove the Work.
      if (watched !== undefined && request >= watched.toldByRequest) this.remove(work.id)
      return false
    }
    if (watched === undefined) return this.#watch(work, request, now, place)
    watched.missed = 0
    const isOutdated = request < watched.toldByRequest && work.version <= watched.work.version
    if (!isOutdated) this.#update(watched, work, request, now)
    return true
  }

  /** Begins to watch a Work. Gives false when WATCHED_MAX newer Works are watched. */
  #watch(work: ListedWork, request: number, now: number, place: number): boolean {
    if (this.works.size >= WATCHED_MAX && !this.#makeRoomFor(work)) return false
    this.works.set(work.id, {
      work,
      toldByRequest: request,
      place,
      toldAt: now,
      knownOn: Date.now(),
      isTold: true,
      dueSince: now,
      checkedAt: undefined,
      checkedOn: undefined,
      checkedVersion: undefined,
      lastReadAt: Number.NEGATIVE_INFINITY,
      missed: 0,
      approvals: [],
      clarifications: [],
    })
    this.otherChanges++
    this.workChanges++
    this.sightChanges++
    return true
  }

  /** Takes in a newer answer about a watched Work, and counts what has changed. */
  #update(watched: WatchedWork, work: ListedWork, request: number, now: number): void {
    const before = watched.work
    if (work.version !== before.version) {
      this.workChanges++
      if (isChecked(watched)) watched.dueSince = now
    }
    if (!watched.isTold || work.scope !== before.scope || work.colleague !== before.colleague) {
      this.sightChanges++
      this.otherChanges++
    }
    if (work.json !== before.json && hasItems(watched)) this.otherChanges++
    watched.work = work
    watched.toldByRequest = request
    watched.toldAt = now
    watched.isTold = true
    if (work.clarificationId === undefined) this.#setItems(watched, { clarifications: [] })
  }

  /** Removes a Work that is done or gone. */
  remove(id: string): void {
    const watched = this.works.get(id)
    if (watched === undefined) return
    this.otherChanges++
    this.sightChanges++
    if (hasItems(watched)) this.itemChanges++
    if (watched === this.#oldest) this.#oldest = undefined
    this.works.delete(id)
    this.heal(id)
  }

  /** Takes in the approvals of a Work. Keeps those that are pending, but none that was decided after the request began. */
  takeApprovals(watched: WatchedWork, approvals: readonly ListedApproval[], request: number): void {
    const waiting = approvals.filter((item) => item.status === "pending" && !this.#isDecided(watched, item, request))
    this.#setItems(watched, { approvals: waiting })
  }

  /** Takes in the clarifications of a Work, as `takeApprovals` does. */
  takeClarifications(watched: WatchedWork, clarifications: readonly ListedClarification[], request: number): void {
    const waiting = clarifications.filter((item) => item.status === "open" && !this.#isDecided(watched, item, request))
    this.#setItems(watched, { clarifications: waiting })
  }

  #isDecided({ work }: WatchedWork, { kind, id }: ListedItem, request: number): boolean {
    const lastBegun = this.#decided.get(keyOf(kind, work.id, id))
    return lastBegun !== undefined && request <= lastBegun
  }

  /** A check of the Work has ended. `version` is the Work's version when the requests for its items began. */
  endCheck(watched: WatchedWork, version: bigint, now: number): void {
    if (!isChecked(watched)) this.otherChanges++
    watched.checkedAt = now
    watched.checkedOn = Date.now()
    watched.checkedVersion = version
  }

  /** Removes a decided item. No request with a number up to `lastBegun` brings the item back. */
  decide(kind: ListedItem["kind"], workId: string, itemId: string, lastBegun: number): void {
    this.#decided.set(keyOf(kind, workId, itemId), lastBegun)
    const watched = this.works.get(workId)
    if (watched === undefined) return
    const others = (item: ListedItem) => item.kind !== kind || item.id !== itemId
    this.#setItems(watched, {
      approvals: watched.approvals.filter(others),
      clarifications: watched.clarifications.filter(others),
    })
  }

  #setItems(watched: WatchedWork, items: Partial<Pick<WatchedWork, "approvals" | "clarifications">>): void {
    const { approvals = watched.approvals, clarifications = watched.clarifications } = items
    if (isSame(watched.approvals, approvals) && isSame(watched.clarifications, clarifications)) return
    this.itemChanges++
    this.sightChanges++
    watched.approvals = approvals
    watched.clarifications = clarifications
  }

  /** Forgets the decisions that no request in flight can contradict, because every such request began later. */
  forgetDecided(oldestUnderWay: number): void {
    for (const [key, lastBegun] of this.#decided) if (lastBegun < oldestUnderWay) this.#decided.delete(key)
  }

  /** Notes a failed read of a Work (by its id) or of the list (`LIST`). A failure that repeats keeps its first Problem, so that answers stay equal. */
  fail(what: string, failure: Failure, now: number): void {
    const before = this.#failures.get(what)
    const isSameProblem =
      before?.problem.status === failure.problem.status && before.problem.code === failure.problem.code
    if (!isSameProblem) this.itemChanges++
    const times = (before?.times ?? 0) + 1
    const retryAt = now + backOff(times, RETRY_FIRST_MS)
    this.#failures.set(what, { ...(isSameProblem ? before : failure), times, retryAt })
  }

  /** Forgets the failure of a Work or of the list, because a read has succeeded. */
  heal(what: string): void {
    if (this.#failures.delete(what)) this.itemChanges++
  }

  /** Whether the last check of a Work failed. */
  hasFailed(workId: string): boolean {
    return this.#failures.has(workId)
  }

  /** When a Work or the list may be read again after a failure. 0 without a failure. */
  retryAt(what: string): number {
    return this.#failures.get(what)?.retryAt ?? 0
  }

  /** When each failed read is due again. */
  *retries(): Iterable<readonly [what: string, at: number]> {
    for (const [what, { retryAt }] of this.#failures) yield [what, retryAt]
  }

  /** Notes the end of a round of the list. `unwatched` is the number of its Works that are not watched. */
  takeListEnd(unwatched: number, now: number): void {
    if (!this.isListed || this.unwatched !== unwatched) this.otherChanges++
    this.isListed = true
    this.listedAt = now
    this.unwatched = unwatched
  }

  /** One of the present failures: that of the list, or else that of a Work whose id `sees` accepts. */
  failureFor(sees: (workId: string) => boolean): Failure | undefined {
    return this.listFailure ?? this.#failures.entries().find(([what]) => sees(what))?.[1]
  }

  /** The failure of the list, while the list cannot be read. */
  get listFailure(): Failure | undefined {
    return this.#failures.get(LIST)
  }

  /** How many open Works there are, as far as the list was read. */
  get total(): number {
    return this.works.size + this.unwatched
  }

  /** Removes the oldest watched Work if `work` is newer. Gives false if `work` is not newer. */
  #makeRoomFor(work: ListedWork): boolean {
    this.#oldest ??= this.works
      .values()
      .reduce((oldest, other) => (other.work.createdAt < oldest.work.createdAt ? other : oldest))
    if (this.#oldest.work.createdAt >= work.createdAt) return false
    this.remove(this.#oldest.work.id)
    return true
  }
}

/** The key of the list's failures. A Work's id is never empty. */
export const LIST = ""

/** Whether the Work was checked since the watcher began. A Work that no address can hold counts as checked. */
export function isChecked({ checkedAt, work }: WatchedWork): boolean {
  return checkedAt !== undefined || !isAddressable(work.id)
}

/** Whether an address can hold the id. `.` and `..` are parts of a path, and a lone surrogate has no UTF-8. */
export function isAddressable(id: string): boolean {
  return id !== "." && id !== ".." && id.isWellFormed()
}

/** When the oldest of the last checks of all Works ended, in milliseconds since 1970. Undefined without a check. */
export function oldestCheckOf(works: Iterable<WatchedWork>): number | undefined {
  const checks = [...works].flatMap(({ checkedOn }) => checkedOn ?? [])
  return checks.length === 0 ? undefined : checks.reduce((oldest, other) => Math.min(oldest, other))
}

/** All waiting items of a Work. */
export function itemsOf({ approvals, clarifications }: WatchedWork): readonly ListedItem[] {
  return [...clarifications, ...approvals]
}

const hasItems = ({ approvals, clarifications }: WatchedWork) => approvals.length + clarifications.length > 0

function isSame(before: readonly ListedItem[], after: readonly ListedItem[]): boolean {
  return before.length === after.length && before.every(({ json }, index) => json === after[index]?.json)
}

const keyOf = (kind: string, workId: string, itemId: string) => JSON.stringify([kind, workId, itemId])
