/** Decides what is read of done Work in the background: its list, for the overview, and once the approvals of each Work, for the known approvals. */
import { SHOWN_DAYS } from "../contract/desk-work.ts"
import { addressOfPage } from "./list-rounds.ts"
import type { Due } from "./request-pace.ts"
import type { ListedWork } from "./resources.ts"

/** What the desk remembers of a done Work whose approvals it has read. */
export type KnownWork = {
  readonly version: string
  /** What decides who sees the Work. Undefined in a store of an older desk. */
  readonly facts: { readonly scope: string; readonly colleague: string } | undefined
}

/** The time between two requests for done Work. */
const GAP_MS = 250
/** After the first pass over the whole list, the newest pages are read again after this time. */
const PASS_EVERY_MS = 60_000
/** How long `created` keeps a Work. Two days more than the overview shows, because its days are those of the asker's time zone. */
const CREATED_KEPT_MS = (SHOWN_DAYS + 2) * 86_400_000
/** How many Works `#facts` holds. A Work beyond this is concealed from everybody but its creators, its deciders and overseers. */
const FACTS_MAX = 200_000
/** How many Works `created` holds. */
const CREATED_MAX = 50_000

/** A read of a done Work's approvals, or (without `work`) of a page of the list. */
export type DoneRead = {
  readonly kind: "done"
  readonly operation: "listWork" | "listWorkApprovals"
  readonly target: string
  readonly work?: { readonly id: string; readonly version: string }
}

export type CreatedWork = { readonly colleague: string; readonly createdAt: number }

/** What decides who sees a done Work (`docs/operating.md`, "Who sees what"). */
export type DoneFacts = Pick<ListedWork, "scope" | "colleague">

export class DoneWorkReads {
  /** The done Work that was created within the days that the overview shows, by id. */
  readonly created = new Map<string, CreatedWork>()
  /** Whether all done Work that was created within the days that the overview shows has been listed. */
  areShownDaysListed = false
  /** Each done Work whose approvals were read, by id. */
  readonly #read: ReadonlyMap<string, KnownWork>
  /** Of each done Work that was listed, by id. */
  readonly #facts = new Map<string, DoneFacts>()
  #factsChanges = 0
  /** The versions of the Works whose approvals are to be read, by id. */
  readonly #queue = new Map<string, string>()
  /** The same of the Works whose read failed. The next pass puts them into the queue again. */
  readonly #failed = new Map<string, string>()
  /** The next page of the list. Undefined between two passes. */
  #page: { readonly cursor: string | undefined } | undefined = { cursor: undefined }
  #isFirstPass = true
  #nextPassAt = 0
  #nextReadAt = 0
  #isUnderWay = false

  constructor(read: ReadonlyMap<string, KnownWork>) {
    this.#read = read
  }

  /** Whether the whole list was read. */
  get isAllListed(): boolean {
    return !this.#isFirstPass
  }

  /** Whether the whole list was read, and the approvals of every Work in it. */
  get isAllRead(): boolean {
    return !this.#isFirstPass && this.#queue.size === 0 && this.#failed.size === 0
  }

  /** The next read, which counts as under way. */
  next(now: number): Due<DoneRead> {
    if (this.#isUnderWay) return { wakeAt: Number.POSITIVE_INFINITY }
    const isPassDue = this.#page === undefined && this.#queue.size === 0 && now >= this.#nextPassAt
    if (isPassDue) this.#beginPass()
    const [work] = this.#queue
    if (this.#page === undefined && work === undefined) return { wakeAt: this.#nextPassAt }
    if (now < this.#nextReadAt) return { wakeAt: this.#nextReadAt }
    this.#nextReadAt = now + GAP_MS
    this.#isUnderWay = true
    if (work === undefined) {
      return { due: { kind: "done", operation: "listWork", target: addressOfPage("done", this.#page?.cursor) } }
    }
    const [id, version] = work
    const target = `/api/v1/work/${encodeURIComponent(id)}/approvals`
    return { due: { kind: "done", operation: "listWorkApprovals", target, work: { id, version } } }
  }

  /** What decides who sees a done Work. Undefined while the desk has not read it. */
  factsOf(id: string): DoneFacts | undefined {
    return this.#facts.get(id) ?? this.#read.get(id)?.facts
  }

  /** Grows with every change of the answers of `factsOf`. */
  get factsVersion(): number {
    return this.#factsChanges + this.#read.size
  }

  /** Adds a Work that is done, so that its approvals are read once more in their last state. `today` is in milliseconds since 1970. */
  add(work: ListedWork, today: number): void {
    const { scope, colleague } = work
    const before = this.#facts.get(work.id)
    const isChanged = before?.scope !== scope || before.colleague !== colleague
    if (isChanged && (before !== undefined || this.#facts.size < FACTS_MAX)) {
      this.#facts.set(work.id, { scope, colleague })
      this.#factsChanges++
    }
    if (today - work.createdAt < CREATED_KEPT_MS && this.created.size < CREATED_MAX) {
      this.created.set(work.id, { colleague: work.colleague, createdAt: work.createdAt })
    }
    if (this.#read.get(work.id)?.version !== String(work.version)) this.#queue.set(work.id, String(work.version))
  }

  /** Takes in a page of the list of done Work. */
  takePage(works: readonly ListedWork[], nextCursor: string | undefined, now: number, today: number): void {
    this.#isUnderWay = false
    const queuedBefore = this.#queue.size
    for (const work of works) if (work.status === "done") this.add(work, today)
    const oldest = works.at(-1)?.createdAt ?? Number.NEGATIVE_INFINITY
    const isEnd = nextCursor === undefined || nextCursor === this.#page?.cursor
    if (isEnd || today - oldest >= CREATED_KEPT_MS) this.areShownDaysListed = true
    if (isEnd) this.#isFirstPass = false
    // A later pass ends at the first page without news: the pages after it were read before.
    const goesOn = !isEnd && (this.#isFirstPass || this.#queue.size > queuedBefore)
    this.#page = goesOn ? { cursor: nextCursor } : undefined
    if (goesOn) return
    this.#nextPassAt = now + PASS_EVERY_MS
    for (const [id, { createdAt }] of this.created) if (today - createdAt >= CREATED_KEPT_MS) this.created.delete(id)
  }

  /** Notes that the approvals of a Work were read, or that the service refuses them. */
  takeWork(id: string): void {
    this.#isUnderWay = false
    this.#queue.delete(id)
  }

  /** A read failed. The next pass reads the Work again, and then the list from its beginning. */
  fail({ work }: DoneRead, now: number): void {
    this.#isUnderWay = false
    this.#nextPassAt = now + PASS_EVERY_MS
    if (work === undefined) this.#page = undefined
    else {
      this.#queue.delete(work.id)
      this.#failed.set(work.id, work.version)
    }
  }

  #beginPass(): void {
    this.#page = { cursor: undefined }
    for (const [id, version] of this.#failed) this.#queue.set(id, version)
    this.#failed.clear()
  }

  /** Forgets the read under way, which the caller has aborted. */
  abort(): void {
    this.#isUnderWay = false
  }
}
