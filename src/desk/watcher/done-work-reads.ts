/**
 * Decides what is read of done Work in the background: its list, for the overview, and once the approvals of each Work, for the known approvals.
 * The list is read in passes from its beginning to its end, again and again, because a Work may become done while nobody looks.
 */
import { SHOWN_DAYS } from "../../contract/desk-work.ts"
import { WORK_PAGE_MAX } from "../../contract/limits.ts"
import { addressOfPage } from "./list-rounds.ts"
import { backOff, type MonotonicTime } from "./request-pace.ts"
import type { ListedWork, readWorkPage } from "./read-resources.ts"
import { addressOfWork, isAddressable } from "../../platform/http/path-match.ts"

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
/**
 * How many Works `#facts` holds. A Work beyond this is concealed from everybody but its creators, its deciders and overseers. Of more done Works
 * than this, only the newest are read.
 */
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
  readonly work?: { readonly id: string; readonly version: string }
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

/** How much of the list of done Work is known: nothing for certain, the days that the overview shows, or everything. */
type Listed = "nothing" | "shown-days" | "all"

export class DoneWorkReads {
  /** The done Work that was created within the days that the overview shows, by id. */
  readonly created = new Map<string, CreatedWork>()
  /** The done Work that changed last, by id. */
  readonly newest = new Map<string, DoneWork>()
  /** How many results the Works have that somebody asked for, by id. */
  readonly #results = new Map<string, { readonly version: string; readonly count: number }>()
  /** The versions of the Works whose results are to be read, by id. */
  readonly #resultQueue = new Map<string, string>()
  /** The versions of the Works whose results could not be read in this pass, by id. */
  readonly #failedResults = new Map<string, string>()
  /** Each done Work whose approvals were read, by id. */
  readonly #read: ReadonlyMap<string, KnownWork>
  /** Of each done Work that was listed, by id. */
  readonly #facts = new Map<string, DoneFacts>()
  /** The versions of the Works whose approvals are to be read, by id. */
  readonly #queue = new Map<string, string>()
  /** The Works of the queue that have just ended. They are read first, because people are notified of the last decision. */
  readonly #ended = new Set<string>()
  /** The Works whose approvals could not be read. The next pass lists them again. */
  readonly #failed = new Set<string>()
  #listed: Listed = "nothing"
  #pass = newPass()
  /** When the last pass that read every page has ended, and how long it took. */
  #whole: { readonly at: MonotonicTime; readonly tookMs: number } | undefined
  #pageAt: MonotonicTime = Number.NEGATIVE_INFINITY
  #readAt: MonotonicTime = Number.NEGATIVE_INFINITY
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
    return this.isAllListed && this.#queue.size === 0 && this.#failed.size === 0
  }

  /** When the next read may begin. Infinity while one is under way. */
  get nextStartAt(): MonotonicTime {
    if (this.#isUnderWay) return Number.POSITIVE_INFINITY
    return Math.max(this.#readAt, this.#queue.size + this.#resultQueue.size > 0 ? 0 : this.#pageAt)
  }

  /** Begins the next read: pages and Works in turns while both may be read. Call this when `nextStartAt` is over. */
  begin(now: MonotonicTime): DoneRead {
    const results = this.#nextResults()
    const work = results ?? this.#nextWork()
    this.#readAt = now + GAP_MS
    this.#isUnderWay = true
    this.#wasPageLast = work === undefined || (now >= this.#pageAt && !this.#wasPageLast)
    if (work === undefined || this.#wasPageLast) {
      const pass = this.#pass
      if (pass.beganAt === undefined) {
        const unlisted = new Set(this.newest.keys())
        Object.assign(pass, { beganAt: now, mayLack: false, unlisted })
      }
      return { kind: "done", operation: "listWork", target: addressOfPage("done", pass.cursor, pass.limit) }
    }
    const address = addressOfWork(work.id)
    return results === undefined
      ? { kind: "done", operation: "listWorkApprovals", target: `${address}/approvals`, work }
      : { kind: "done", operation: "listWorkArtifacts", target: `${address}/artifacts`, work }
  }

  /** The next Work whose results are to be read. */
  #nextResults(): DoneRead["work"] {
    const [next] = this.#resultQueue
    return next && { id: next[0], version: next[1] }
  }

  /** The next Work of the queue. */
  #nextWork(): DoneRead["work"] {
    const [first] = this.#ended.size > 0 ? this.#ended : this.#queue.keys()
    const version = first === undefined ? undefined : this.#queue.get(first)
    return first === undefined || version === undefined ? undefined : { id: first, version }
  }

  /** What decides who sees a done Work: the same object until it changes. Undefined while the desk has not read the Work. */
  factsOf(id: string): DoneFacts | undefined {
    return this.#facts.get(id) ?? this.#read.get(id)?.facts
  }

  /** How many results a done Work has. Undefined until they were read, which begins with the first call, and once more in each pass that failed. */
  resultsOf({ id, version: exact }: DoneWork): number | undefined {
    const version = String(exact)
    const read = this.#results.get(id)
    if (read?.version === version) return read.count
    if (isAddressable(id) && this.#failedResults.get(id) !== version) this.#resultQueue.set(id, version)
    return undefined
  }

  /** Notes how many results a Work has: none where the service refuses to say. */
  applyResults({ id, version }: NonNullable<DoneRead["work"]>, count: number): void {
    this.#isUnderWay = false
    this.#resultQueue.delete(id)
    this.#results.set(id, { version, count })
    const [oldest] = this.#results.keys()
    if (this.#results.size > NEWEST_MAX && oldest !== undefined) this.#results.delete(oldest)
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
    if (this.#read.get(work.id)?.version === version) this.#failed.delete(work.id)
    else this.#queue.set(work.id, version)
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
    if (this.#queue.has(work.id)) this.#ended.add(work.id)
  }

  /** The service no longer has a Work. The read under way, which found that, has ended. */
  remove(id: string): void {
    this.#isUnderWay = false
    this.#resultQueue.delete(id)
    this.#results.delete(id)
    this.newest.delete(id)
  }

  #keepNewest({ id, title, version, updatedAt }: ListedWork): void {
    if (this.newest.get(id)?.version !== version) this.newest.set(id, { id, title, version, updatedAt })
  }

  /** Done Work may be missing: an open Work is gone that the upstream did not show as done, or a Work of the list cannot be read. */
  addUnseen(): void {
    this.#listed = "nothing"
    this.#pass.mayLack = true
  }

  /** A page was too large: has it read again with half its limit. Returns false where that can't help, because one Work alone is too large. */
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
    if (!pass.mayLack) {
      if (isEnd) {
        this.#listed = "all"
        // A list that repeats a cursor wasn't read to its end.
        if (nextCursor === undefined) for (const id of pass.unlisted) this.newest.delete(id)
      } else if (today - oldest >= CREATED_KEPT_MS && this.#listed === "nothing") this.#listed = "shown-days"
    }
    pass.cursor = nextCursor
    pass.length += works.length
    pass.failures = 0
    this.#pageAt = now + (isEnd ? PASS_EVERY_MS : this.isAllListed ? PAGE_GAP_MS : GAP_MS)
    if (!isEnd) return
    this.#whole = { at: now, tookMs: now - (pass.beganAt ?? now) }
    this.#pass = newPass()
    this.#failedResults.clear()
    for (const [id, { createdAt }] of this.created) if (today - createdAt >= CREATED_KEPT_MS) this.created.delete(id)
  }

  /** Notes that the approvals of a Work were read, or that the service refuses them. */
  applyWork(id: string): void {
    this.#isUnderWay = false
    this.#queue.delete(id)
    this.#ended.delete(id)
    this.#failed.delete(id)
  }

  /** A read failed. The next pass reads the Work again. After three failures of one page, the next pass begins at the beginning of the list. */
  fail({ work, operation }: DoneRead, now: MonotonicTime): void {
    this.#isUnderWay = false
    if (work !== undefined && operation === "listWorkArtifacts") {
      this.#resultQueue.delete(work.id)
      this.#failedResults.set(work.id, work.version)
      return
    }
    if (work !== undefined) {
      this.#queue.delete(work.id)
      this.#ended.delete(work.id)
      this.#failed.add(work.id)
      return
    }
    const isGivenUp = ++this.#pass.failures >= TRIES_MAX
    this.#pageAt = now + (isGivenUp ? PASS_EVERY_MS : backOff(this.#pass.failures, GAP_MS))
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
