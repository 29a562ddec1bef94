/** What the watcher knows: the open Works, what waits in each of them, and what failed. Pure: requests and moments come from outside. */
import type { Refusal } from "../contract/refusal.ts"
import type { Problem } from "../contract/resources.ts"
import type { ListedApproval, ListedAttention, ListedItem, ListedWork } from "./resources.ts"

/** At most so many open Works are watched. */
export const WATCHED_MAX = 10_000

/** An open Work and what its last check found. Moments are milliseconds of the watcher's monotonic clock. */
export type WatchedWork = {
  work: ListedWork
  /** The number of the request that told `work`. */
  toldBy: number
  /** When the Work was first listed, or changed its version after its last check. */
  dueSince: number
  checkedAt: number | undefined
  /** The same moment in milliseconds since the epoch. */
  checkedOn: number | undefined
  /** The version at the beginning of the last check. */
  checkedVersion: bigint | undefined
  /** The watcher was started anew after the last check, so the items may be old. */
  isStale: boolean
  /** When its last check began. */
  lastReadAt: number
  /** How many times in a row the list lacked the Work. */
  missed: number
  approvals: readonly ListedApproval[]
  attention: readonly ListedAttention[]
}

/** `cause`: why the upstream gave no valid answer; undefined where the upstream answered with a Problem. */
type Failure = { readonly problem: Problem; readonly json: string; readonly cause: Refusal["cause"] }

export class Known {
  readonly works = new Map<string, WatchedWork>()
  /** The list was read to its end since the watcher was started. */
  isListed = false
  /** How many open Works are not watched. */
  unwatched = 0
  /** Grows with every item that comes, goes or has a new version, and with every failure that begins or ends. */
  itemChanges = 0
  /** Grows with every other change of what `GET /desk/waiting` answers. */
  otherChanges = 0
  /** Grows with every Work that is new, or has a new version. */
  newsCount = 0
  /** The oldest watched Work, which makes room for a newer one; undefined until somebody needs it. */
  #oldest: WatchedWork | undefined
  readonly #failures = new Map<string, Failure>()
  /** Decided items by their key, with the number of the last request that began before the decision was answered. */
  readonly #decided = new Map<string, number>()

  /** After a rest every Work counts as unchecked. Its items stay until the Work is read again. */
  startAnew(): void {
    this.otherChanges++
    this.newsCount++
    this.isListed = false
    this.unwatched = 0
    this.#failures.clear()
    for (const watched of this.works.values()) {
      watched.isStale = true
      watched.missed = 0
    }
  }

  /** Takes in a Work that a list or getWork told. False where it is not open, or not watched because there are too many. */
  tell(work: ListedWork, request: number, now: number): boolean {
    const watched = this.works.get(work.id)
    if (work.status === "done") {
      // A page that began before a later read of the same Work does not end it.
      if (watched !== undefined && request >= watched.toldBy) this.remove(work.id)
      return false
    }
    if (watched === undefined) {
      if (this.works.size >= WATCHED_MAX && !this.#makeRoomFor(work)) return false
      this.works.set(work.id, {
        work,
        toldBy: request,
        dueSince: now,
        checkedAt: undefined,
        checkedOn: undefined,
        checkedVersion: undefined,
        isStale: false,
        lastReadAt: Number.NEGATIVE_INFINITY,
        missed: 0,
        approvals: [],
        attention: [],
      })
      this.otherChanges++
      this.newsCount++
      return true
    }
    watched.missed = 0
    if (request < watched.toldBy && work.version <= watched.work.version) return true
    if (work.version !== watched.work.version) {
      this.newsCount++
      if (isChecked(watched)) watched.dueSince = now
    }
    if (work.json !== watched.work.json && hasItems(watched)) this.otherChanges++
    watched.work = work
    watched.toldBy = request
    if (work.attentionId === undefined) this.#setAttention(watched, [])
    return true
  }

  remove(id: string): void {
    const watched = this.works.get(id)
    if (watched === undefined) return
    this.otherChanges++
    if (hasItems(watched)) this.itemChanges++
    if (watched === this.#oldest) this.#oldest = undefined
    this.works.delete(id)
    this.heal(id)
  }

  /** Takes in a list of a Work: the items that wait, without those that were decided after the request began. */
  tellItems(watched: WatchedWork, kind: ListedItem["kind"], items: readonly ListedItem[], request: number): void {
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
      this.#setAttention(
        watched,
        waiting.filter((item) => item.kind === "attention"),
      )
    }
  }

  /** A check of the Work ended. `version` is the Work's version when its lists were asked for. */
  check(watched: WatchedWork, version: bigint, now: number): void {
    if (!isChecked(watched)) this.otherChanges++
    watched.checkedAt = now
    watched.checkedOn = Date.now()
    watched.checkedVersion = version
    watched.isStale = false
  }

  /** The item was decided. No read with a number up to `lastBegun` brings the item back. */
  decide(kind: ListedItem["kind"], workId: string, itemId: string, lastBegun: number): void {
    this.#decided.set(keyOf(kind, workId, itemId), lastBegun)
    const watched = this.works.get(workId)
    if (watched === undefined) return
    const others = ({ id }: ListedItem) => id !== itemId
    if (kind === "approval") this.#setApprovals(watched, watched.approvals.filter(others))
    else this.#setAttention(watched, watched.attention.filter(others))
  }

  #setApprovals(watched: WatchedWork, approvals: readonly ListedApproval[]): void {
    if (!isSame(watched.approvals, approvals)) this.itemChanges++
    watched.approvals = approvals
  }

  #setAttention(watched: WatchedWork, attention: readonly ListedAttention[]): void {
    if (!isSame(watched.attention, attention)) this.itemChanges++
    watched.attention = attention
  }

  /** Forgets the decisions that came before every read that is under way. */
  forgetDecided(oldestUnderWay: number): void {
    for (const [key, lastBegun] of this.#decided) if (lastBegun < oldestUnderWay) this.#decided.delete(key)
  }

  /** `what` is a Work's id, or `LIST`. While a failure repeats itself, its first Problem stays. */
  fail(what: string, failure: Failure): void {
    const before = this.#failures.get(what)?.problem
    if (before?.status === failure.problem.status && before.code === failure.problem.code) return
    this.#failures.set(what, failure)
    this.itemChanges++
  }

  heal(what: string): void {
    if (this.#failures.delete(what)) this.itemChanges++
  }

  /** The list was read to its end. `unwatched` Works of it are not watched. */
  endList(unwatched: number, isWhole: boolean): void {
    if (this.isListed !== isWhole || this.unwatched !== unwatched) this.otherChanges++
    this.isListed ||= isWhole
    this.unwatched = unwatched
  }

  /** The Problem of the failure that lasts, as JSON. */
  get problem(): string | undefined {
    return (this.#failures.get(LIST) ?? this.#failures.values().next().value)?.json
  }

  /** The Problem of the list, while it cannot be read. */
  get listProblem(): Failure | undefined {
    return this.#failures.get(LIST)
  }

  /** The moment of the oldest check of an open Work, in milliseconds since the epoch. */
  get oldestCheck(): number | undefined {
    let oldest: number | undefined
    for (const { checkedOn } of this.works.values()) {
      if (checkedOn !== undefined && (oldest === undefined || checkedOn < oldest)) oldest = checkedOn
    }
    return oldest
  }

  get total(): number {
    return this.works.size + this.unwatched
  }

  /** Removes the oldest watched Work if `work` is newer. False where there is no room. */
  #makeRoomFor(work: ListedWork): boolean {
    this.#oldest ??= this.works.values().reduce((one, other) => (isOlder(other, one) ? other : one))
    if (this.#oldest.work.createdAt >= work.createdAt) return false
    this.remove(this.#oldest.work.id)
    return true
  }
}

/** The key of the list's failures. A Work's id is never empty. */
export const LIST = ""

/** Whether the Work was checked since the watcher was started. */
export function isChecked({ checkedAt, isStale, work }: WatchedWork): boolean {
  return (checkedAt !== undefined && !isStale) || !isAddressable(work.id)
}

/** Whether an address can hold the id: `.` and `..` would climb, and half a character has no UTF-8. */
export function isAddressable(id: string): boolean {
  return id !== "." && id !== ".." && id.isWellFormed()
}

const isOlder = (one: WatchedWork, other: WatchedWork) => one.work.createdAt < other.work.createdAt

const hasItems = ({ approvals, attention }: WatchedWork) => approvals.length + attention.length > 0

function isSame(before: readonly ListedItem[], after: readonly ListedItem[]): boolean {
  return before.length === after.length && before.every(({ json }, index) => json === after[index]?.json)
}

const keyOf = (kind: string, workId: string, itemId: string) => JSON.stringify([kind, workId, itemId])
