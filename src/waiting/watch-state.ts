/** What the watcher has read: the open Works, the waiting items of each Work, and the failures. Nothing is read here. */
import type { Refusal } from "../contract/refusal.ts"
import type { Problem } from "../contract/resources.ts"
import type { ListedApproval, ListedClarification, ListedItem, ListedWork } from "./resources.ts"

/** The number of open Works that are watched at most. */
const WATCHED_MAX = 10_000

/** An open Work and the result of its last check. Moments are milliseconds of the watcher's monotonic clock. */
export type WatchedWork = {
  work: ListedWork
  /** The number of the request whose answer had `work`. */
  toldByRequest: number
  /** Orders Works of one moment as the service lists them: the newest has the greatest place. */
  place: number
  /** When the upstream last told the Work, and when it first did in milliseconds since 1970. */
  toldAt: number
  readonly knownOn: number
  /** Whether the upstream told the Work since the watcher began. If not, nobody sees the Work by a scope that may have changed. */
  isTold: boolean
  /** The value of `WatchState.stamp` at the last change of the Work, its items or its check. */
  stamp: number
  /** When the Work became due for a check: when it was first listed, or got a new version after its last check. */
  dueSince: number
  checkedAt: number | undefined
  /** The same moment in milliseconds since 1970. */
  checkedOn: number | undefined
  /** The version at the beginning of the last check. */
  checkedVersion: bigint | undefined
  /** Whether the last check was before the watcher's last rest, so that the items may be outdated. */
  isStale: boolean
  /** When its last check began. */
  lastReadAt: number
  /** How many complete rounds of the list in a row did not have the Work. */
  missed: number
  approvals: readonly ListedApproval[]
  clarifications: readonly ListedClarification[]
}

/** A failed read. `json` is the Problem as text. `cause` is undefined when the upstream itself answered with a Problem. */
type Failure = { readonly problem: Problem; readonly json: string; readonly cause: Refusal["cause"] }

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
  /** Grows with every change of a Work, its items or its check. */
  stamp = 0
  /** Grows with every Work that is new. */
  newWorks = 0
  /** Grows with every change that may decide who sees a Work: a Work that comes or goes, its scope, its colleague, its approvals. */
  sightChanges = 0
  #places = 0
  /** The oldest watched Work, which a newer Work may replace. Undefined until it is searched for. */
  #oldest: WatchedWork | undefined
  readonly #failures = new Map<string, Failure>()
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
      this.#touch(watched)
      watched.isStale = true
      watched.isTold = false
      watched.missed = 0
    }
  }

  /** Takes in a Work of an answer to listWork or getWork. Gives false when the Work is done, or too old to be watched among WATCHED_MAX. */
  takeWork(work: ListedWork, request: number, now: number): boolean {
    const watched = this.works.get(work.id)
    if (work.status === "done") {
      // An answer that is older than another answer about the same Work does not remove the Work.
      if (watched !== undefined && request >= watched.toldByRequest) this.remove(work.id)
      return false
    }
    if (watched === undefined) {
      if (this.works.size >= WATCHED_MAX && !this.#makeRoomFor(work)) return false
      this.works.set(work.id, {
        work,
        toldByRequest: request,
        place: ++this.#places,
        toldAt: now,
        knownOn: Date.now(),
        isTold: true,
        stamp: ++this.stamp,
        dueSince: now,
        checkedAt: undefined,
        checkedOn: undefined,
        checkedVersion: undefined,
        isStale: false,
        lastReadAt: Number.NEGATIVE_INFINITY,
        missed: 0,
        approvals: [],
        clarifications: [],
      })
      this.otherChanges++
      this.workChanges++
      this.sightChanges++
      this.newWorks++
      return true
    }
    watched.missed = 0
    if (request < watched.toldByRequest && work.version <= watched.work.version) return true
    if (work.version !== watched.work.version) {
      this.workChanges++
      if (isChecked(watched)) watched.dueSince = now
    }
    if (!watched.isTold || work.scope !== watched.work.scope || work.colleague !== watched.work.colleague) {
      this.sightChanges++
      this.otherChanges++
    }
    if (work.json !== watched.work.json) {
      this.#touch(watched)
      if (hasItems(watched)) this.otherChanges++
    }
    watched.work = work
    watched.toldByRequest = request
    watched.toldAt = now
    watched.isTold = true
    if (work.clarificationId === undefined) this.#setClarifications(watched, [])
    return true
  }

  /** Takes in the order of Works of one moment, the newest first, as a page of the list has them. */
  takeOrder(ids: readonly string[]): void {
    const works = ids.flatMap((id) => this.works.get(id) ?? [])
    const places = works.map(({ place }) => place).sort((one, other) => other - one)
    for (const [index, watched] of works.entries()) watched.place = places[index] ?? watched.place
  }

  /** Removes a Work that is done or gone. */
  remove(id: string): void {
    const watched = this.works.get(id)
    if (watched === undefined) return
    this.otherChanges++
    this.sightChanges++
    this.stamp++
    if (hasItems(watched)) this.itemChanges++
    if (watched === this.#oldest) this.#oldest = undefined
    this.works.delete(id)
    this.endFailure(id)
  }

  /** Takes in the items of a Work. Keeps those that wait and were not decided after the request began. */
  takeItems(watched: WatchedWork, kind: ListedItem["kind"], items: readonly ListedItem[], request: number): void {
    const isWaiting = (item: ListedItem) =>
      item.status === (kind === "approval" ? "pending" : "open") &&
      (this.#decided.get(keyOf(kind, watched.work.id, item.id)) ?? -1) < request
    const waiting = items.filter(isWaiting)
    if (kind === "approval") {
      this.#setApprovals(
        watched,
        waiting.filter((item) => item.kind === "approval"),
      )
    } else {
      this.#setClarifications(
        watched,
        waiting.filter((item) => item.kind === "clarification"),
      )
    }
  }

  /** A check of the Work has ended. `version` is the Work's version when the requests for its items began. */
  endCheck(watched: WatchedWork, version: bigint, now: number): void {
    if (!isChecked(watched)) {
      this.otherChanges++
      this.#touch(watched)
    }
    watched.checkedAt = now
    watched.checkedOn = Date.now()
    watched.checkedVersion = version
    watched.isStale = false
  }

  /** Removes a decided item. No request with a number up to `lastBegun` brings the item back. */
  decide(kind: ListedItem["kind"], workId: string, itemId: string, lastBegun: number): void {
    this.#decided.set(keyOf(kind, workId, itemId), lastBegun)
    const watched = this.works.get(workId)
    if (watched === undefined) return
    const others = ({ id }: ListedItem) => id !== itemId
    if (kind === "approval") this.#setApprovals(watched, watched.approvals.filter(others))
    else this.#setClarifications(watched, watched.clarifications.filter(others))
  }

  #setApprovals(watched: WatchedWork, approvals: readonly ListedApproval[]): void {
    if (isSame(watched.approvals, approvals)) return
    this.itemChanges++
    this.sightChanges++
    this.#touch(watched)
    watched.approvals = approvals
  }

  #setClarifications(watched: WatchedWork, clarifications: readonly ListedClarification[]): void {
    if (isSame(watched.clarifications, clarifications)) return
    this.itemChanges++
    this.#touch(watched)
    watched.clarifications = clarifications
  }

  #touch(watched: WatchedWork): void {
    watched.stamp = ++this.stamp
  }

  /** Forgets the decisions that are older than every request in flight. */
  forgetDecided(oldestUnderWay: number): void {
    for (const [key, lastBegun] of this.#decided) if (lastBegun < oldestUnderWay) this.#decided.delete(key)
  }

  /** Adds a failure of a Work (by its id) or of the list (`LIST`). When the same failure repeats, the first Problem stays. */
  addFailure(what: string, failure: Failure): void {
    const before = this.#failures.get(what)?.problem
    if (before?.status === failure.problem.status && before.code === failure.problem.code) return
    this.#failures.set(what, failure)
    this.itemChanges++
  }

  /** Whether the last check of a Work failed. */
  hasFailed(workId: string): boolean {
    return this.#failures.has(workId)
  }

  /** Removes the failure of a Work or of the list. */
  endFailure(what: string): void {
    if (this.#failures.delete(what)) this.itemChanges++
  }

  /** A round of the list has ended. `unwatched` is the number of its Works that are not watched. */
  takeListEnd(unwatched: number, isWhole: boolean, now: number): void {
    if (isWhole) this.listedAt = now
    if (this.isListed !== isWhole || this.unwatched !== unwatched) this.otherChanges++
    this.isListed ||= isWhole
    this.unwatched = unwatched
  }

  /** A present failure. A failure of the list comes first, then one of a Work that `sees` accepts by its id. */
  failureFor(sees: (workId: string) => boolean): Failure | undefined {
    const list = this.#failures.get(LIST)
    if (list !== undefined) return list
    for (const [what, failure] of this.#failures) if (sees(what)) return failure
    return undefined
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
    this.#oldest ??= this.works.values().reduce((one, other) => (isOlder(other, one) ? other : one))
    if (this.#oldest.work.createdAt >= work.createdAt) return false
    this.remove(this.#oldest.work.id)
    return true
  }
}

/** The key of the list's failures. A Work's id is never empty. */
export const LIST = ""

/** Whether the Work was checked since the watcher began. A Work that no address can hold counts as checked. */
export function isChecked({ checkedAt, isStale, work }: WatchedWork): boolean {
  return (checkedAt !== undefined && !isStale) || !isAddressable(work.id)
}

/** Whether an address can hold the id. `.` and `..` are parts of a path, and a lone surrogate has no UTF-8. */
export function isAddressable(id: string): boolean {
  return id !== "." && id !== ".." && id.isWellFormed()
}

/** When the Work was checked whose check is the oldest, in milliseconds since 1970. */
export function oldestCheckOf(works: Iterable<WatchedWork>): number | undefined {
  let oldest: number | undefined
  for (const { checkedOn } of works) {
    if (checkedOn !== undefined && (oldest === undefined || checkedOn < oldest)) oldest = checkedOn
  }
  return oldest
}

const isOlder = (one: WatchedWork, other: WatchedWork) => one.work.createdAt < other.work.createdAt

const hasItems = ({ approvals, clarifications }: WatchedWork) => approvals.length + clarifications.length > 0

function isSame(before: readonly ListedItem[], after: readonly ListedItem[]): boolean {
  return before.length === after.length && before.every(({ json }, index) => json === after[index]?.json)
}

const keyOf = (kind: string, workId: string, itemId: string) => JSON.stringify([kind, workId, itemId])
