/**
 * Decides what is read of done Work in the background: its list, for the overview; once the approvals of each Work (`done-approval-queue.ts`), for the
 * known approvals; and the results of the Works that somebody asks for (`done-work-results.ts`). The list is read in passes from its beginning to its
 * end, again and again, because a Work may become done while nobody looks.
 */
import { SHOWN_DAYS } from "../../contract/desk-work.ts"
import { WORK_PAGE_MAX } from "../../contract/limits.ts"
import { addressOfPage } from "./list-rounds.ts"
import { backOff, type MonotonicTime } from "./request-pace.ts"
import type { ListedWork, readWorkPage } from "./read-resources.ts"
import { addressOfWork, isAddressable } from "../../platform/http/path-match.ts"
import { DoneApprovalQueue } from "./done-approval-queue.ts"
import { DoneWorkResults, type WorkVersion } from "./done-work-results.ts"

/** What the desk remembers of a done Work whose approvals it has read. */
export type KnownWork = {
  readonly version: string
  /** What decides who sees the Work. Undefined in a store of an older desk. */
  readonly facts: { readonly scope: string; readonly colleague: string } | undefined
}

/** The time between two requests for done Work. */
const GAP_MS = 250
/** The time between two pages of a pass, once a pass was whole. Until then the pages come as quickly as GAP_MS allows. */
const PAGE_GAP_MS = 5_000
/** The time between two passes. */
const PASS_EVERY_MS = 60_000
/** A pass gives up after so many tries of one page. */
const TRIES_MAX = 3
/** How long `created` keeps a Work. Two days more than the overview shows, because its days are those of the asker's time zone. */
const CREATED_KEPT_MS = (SHOWN_DAYS + 2) * 86_400_000
/** How many Works `#facts` has, the newest. Any other is concealed from everybody but its creators, its deciders and overseers. */
const FACTS_MAX = 200_000
/** How many Works `created` holds. */
const CREATED_MAX = 50_000
/** How many Works `newest` holds. */
const NEWEST_MAX = 20_000

/** A read of a done Work's approvals or results, or (without `work`) of a page of the list. */
export type DoneRead = {
  readonly kind: "done"
  readonly operation: "listWork" | "listWorkApprovals" | "listWorkArtifacts"
  readonly target: string
  readonly work?: WorkVersion
}

export type CreatedWork = { readonly colleague: string; readonly createdAt: number }

/** A done Work as the desk last listed it. */
export type DoneWork = Pick<ListedWork, "id" | "title" | "version" | "updatedAt">

/** What decides who sees a done Work (`docs/operating.md`, "Who sees what"). */
export type DoneFacts = Pick<ListedWork, "scope" | "colleague">

/** A pass through the list. Before its first page is asked for, `beganAt` is undefined. */
type Pass = {
  beganAt: MonotonicTime | undefined
  /** The cursor of the next page. */
  cursor: string | undefined
  /** The number of Works in the pages so far. */
  length: number
  /** How often the next page could not be read. */
  failures: number
  /** Whether a Work may have become done unseen since the pass began. */
  mayLack: boolean
  /** How many Works the next page has at most. */
  limit: number
  /** The Works that were known before the pass, and that none of its pages has had. */
  unlisted: Set<string>
}

const newPass = (limit = WORK_PAGE_MAX): Pass => ({
  beganAt: undefined,
  cursor: undefined,
  length: 0,
  failures: 0,
  mayLack: false,
  limit,
  unlisted: new Set(),
})

/** How much of the list of done Work is surely known: nothing, the days that the overview shows, or everything. */
type Listed = "nothing" | "shown-days" | "all"

export class DoneWorkReads {
  /** The done Work that was created within the days that the overview shows, by id. */
  readonly created = new Map<string, CreatedWork>()
  /** The done Work that changed last, by id. */
  readonly newest = new Map<string, DoneWork>()
  /** Each done Work whose approvals were read, by id. */
  readonly #read: ReadonlyMap<string, KnownWork>
  /** What decides who sees each done Work that was listed, by id. */
  readonly #facts = new Map<string, DoneFacts>()
  readonly #approvals = new DoneApprovalQueue()
  readonly #results = new DoneWorkResults()
  #listed: Listed = "nothing"
  #pass = newPass()
  /** When the last pass that read every page has ended, and how long it took. */
  #whole: { readonly at: MonotonicTime; readonly tookMs: number } | undefined
  /** When the next page may be read, and when the next read of any kind. */
  #nextPageAt: MonotonicTime = Number.NEGATIVE_INFINITY
  #nextReadAt: MonotonicTime = Number.NEGATIVE_INFINITY
  #wasPageLast = false
  #isUnderWay = false

  constructor(read: ReadonlyMap<string, KnownWork>) {
    this.#read = read
  }

  /** Whether the whole list was read. */
  get isAllListed(): boolean {
    return this.#listed === "all"
  }

  /** Whether all done Work that was created within the days that the overview shows has been listed. */
  get areShownDaysListed(): boolean {
    return this.#listed !== "nothing" && this.created.size < CREATED_MAX
  }

  /** Whether the whole list was read, and the approvals of every Work in it. */
  get isAllRead(): boolean {
    return this.isAllListed && this.#approvals.isAllRead
  }

  /** When the next read may begin. Infinity while one is under way. */
  get nextStartAt(): MonotonicTime {
    if (this.#isUnderWay) return Number.POSITIVE_INFINITY
    const isWorkQueued = this.#results.next() !== undefined || this.#approvals.next() !== undefined
    return Math.max(this.#nextReadAt, isWorkQueued ? 0 : this.#nextPageAt)
  }

  /** Begins the next read: pages and Works in turns while both may be read. Call this when `nextStartAt` is over. */
  begin(now: MonotonicTime): DoneRead {
    const ofWork = this.#nextOfWork()
    this.#nextReadAt = now + GAP_MS
    this.#isUnderWay = true
    this.#wasPageLast = ofWork === undefined || (now >= this.#nextPageAt && !this.#wasPageLast)
    return ofWork === undefined || this.#wasPageLast ? this.#beginPage(now) : ofWork
  }

  #beginPage(now: MonotonicTime): DoneRead {
    const pass = this.#pass
    if (pass.beganAt === undefined) {
      Object.assign(pass, { beganAt: now, mayLack: false, unlisted: new Set(this.newest.keys()) })
    }
    return { kind: "done", operation: "listWork", target: addressOfPage("done", pass.cursor, pass.limit) }
  }

  /** The next read of one Work: somebody waits for results, so they come before approvals. */
  #nextOfWork(): DoneRead | undefined {
    const withResults = this.#results.next()
    if (withResults !== undefined) {
      const target = `${addressOfWork(withResults.id)}/artifacts`
      return { kind: "done", operation: "listWorkArtifacts", target, work: withResults }
    }
    const work = this.#approvals.next()
    if (work === undefined) return undefined
    return { kind: "done", operation: "listWorkApprovals", target: `${addressOfWork(work.id)}/approvals`, work }
  }

  /** What decides who sees a done Work: the same object until it changes. Undefined while the desk has not read the Work. */
  factsOf(id: string): DoneFacts | undefined {
    return this.#facts.get(id) ?? this.#read.get(id)?.facts
  }

  /** How many results a done Work has (`DoneWorkResults.countOf`). */
  resultsOf({ id, version }: DoneWork): number | undefined {
    return this.#results.countOf({ id, version: String(version) })
  }

  /** Notes how many results a Work has: none if the service refuses to say. */
  applyResults(work: WorkVersion, count: number): void {
    this.#isUnderWay = false
    this.#results.store(work, count)
  }

  /** Adds a Work that is done, so that its approvals are read once more in their last state. `today` is in milliseconds since 1970. */
  add(work: ListedWork, today: number): void {
    if (!isAddressable(work.id)) return
    const { scope, colleague } = work
    const before = this.#facts.get(work.id)
    const isChanged = before?.scope !== scope || before.colleague !== colleague
    if (isChanged && (before !== undefined || this.#facts.size < FACTS_MAX)) {
      this.#facts.set(work.id, { scope, colleague })
    }
    if (today - work.createdAt < CREATED_KEPT_MS && this.created.size < CREATED_MAX) {
      this.created.set(work.id, { colleague: work.colleague, createdAt: work.createdAt })
    }
    if (this.newest.has(work.id) || this.newest.size < NEWEST_MAX) this.#keepNewest(work)
    const version = String(work.version)
    if (this.#read.get(work.id)?.version === version) this.#approvals.forgetFailure(work.id)
    else this.#approvals.add({ id: work.id, version })
  }

  /** As `add`, for a Work that was open until now. */
  addEnded(work: ListedWork, today: number): void {
    this.add(work, today)
    if (!this.newest.has(work.id)) {
      const [first, ...others] = this.newest.values()
      const oldest = others.reduce((one, other) => (other.updatedAt < (one?.updatedAt ?? 0) ? other : one), first)
      if (oldest !== undefined) this.newest.delete(oldest.id)
      this.#keepNewest(work)
    }
    this.#approvals.prefer(work.id)
  }

  /** The service no longer has a Work. The read under way, which found that, has ended. */
  remove(id: string): void {
    this.#isUnderWay = false
    this.#results.remove(id)
    this.newest.delete(id)
  }

  #keepNewest({ id, title, version, updatedAt }: ListedWork): void {
    if (this.newest.get(id)?.version !== version) this.newest.set(id, { id, title, version, updatedAt })
  }

  /** Call this when done Work may be missing: an open Work has disappeared and the upstream didn't show it as done, or a listed Work can't be read. */
  addUnseen(): void {
    this.#listed = "nothing"
    this.#pass.mayLack = true
  }

  /** Has a page that was too large read again with half its limit. Returns false if that can't help, because a single Work is too large. */
  tryHalfPage(): boolean {
    if (this.#pass.limit <= 1) return false
    this.#isUnderWay = false
    this.#pass.limit = Math.floor(this.#pass.limit / 2)
    return true
  }

  /** Applies a page of the list of done Work. */
  applyPage({ works, unnamed, nextCursor }: ReturnType<typeof readWorkPage>, now: MonotonicTime, today: number): void {
    this.#isUnderWay = false
    if (unnamed > 0) this.addUnseen()
    const pass = this.#pass
    if (pass.length < FACTS_MAX) for (const work of works) if (work.status === "done") this.add(work, today)
    for (const { id } of works) pass.unlisted.delete(id)
    const oldest = works.at(-1)?.createdAt ?? Number.NEGATIVE_INFINITY
    const isEnd = nextCursor === undefined || nextCursor === pass.cursor
    const hasShownDays = today - oldest >= CREATED_KEPT_MS
    if (!pass.mayLack && isEnd) {
      this.#listed = "all"
      // A list that repeats a cursor wasn't read to its end.
      if (nextCursor === undefined) for (const id of pass.unlisted) this.newest.delete(id)
    } else if (!pass.mayLack && hasShownDays && this.#listed === "nothing") this.#listed = "shown-days"
    pass.cursor = nextCursor
    pass.length += works.length
    pass.failures = 0
    this.#nextPageAt = now + (isEnd ? PASS_EVERY_MS : this.isAllListed ? PAGE_GAP_MS : GAP_MS)
    if (!isEnd) return
    this.#whole = { at: now, tookMs: now - (pass.beganAt ?? now) }
    this.#pass = newPass()
    this.#results.retryFailed()
    for (const [id, { createdAt }] of this.created) if (today - createdAt >= CREATED_KEPT_MS) this.created.delete(id)
  }

  /** Notes that the approvals of a Work were read, or that the service refuses them. */
  applyWork(id: string): void {
    this.#isUnderWay = false
    this.#approvals.noteRead(id)
  }

  /** A read failed. The next pass reads the Work again. After three failures of one page, the next pass begins at the beginning of the list. */
  fail({ work, operation }: DoneRead, now: MonotonicTime): void {
    this.#isUnderWay = false
    if (work !== undefined && operation === "listWorkArtifacts") return this.#results.noteFailed(work)
    if (work !== undefined) return this.#approvals.noteFailed(work.id)
    const isGivenUp = ++this.#pass.failures >= TRIES_MAX
    this.#nextPageAt = now + (isGivenUp ? PASS_EVERY_MS : backOff(this.#pass.failures, GAP_MS))
    if (!isGivenUp) return
    this.#pass = newPass()
    this.#listed = "nothing"
  }

  /** Notes that any read of the watcher failed. While all reads fail, no pass ends, so that done Work may be missing. */
  noteFailure(now: MonotonicTime): void {
    const { at, tookMs } = this.#whole ?? { at: now, tookMs: 0 }
    if (now - at > 3 * (PASS_EVERY_MS + tookMs)) this.#listed = "nothing"
  }

  /** Forgets the read under way, which the caller has aborted. */
  abort(): void {
    this.#isUnderWay = false
  }
}
