/**
 * Which done Work is read in the background: each one once, for the known approvals, and the list of done Work for the overview. Pure, as
 * `plan.ts`.
 */
import type { ListedWork } from "./resources.ts"

/** Between two requests of the background. */
const GAP_MS = 250
/** After the first pass over the whole list, what was done since is looked for. */
const PASS_EVERY_MS = 60_000
/** The overview shows the Work created on each of 14 days, in any time zone. */
const SHOWN_DAYS_MS = 16 * 86_400_000
/** Done Work that the overview counts. */
const CREATED_MAX = 50_000

export type DoneRead =
  | { readonly kind: "page"; readonly cursor: string | undefined }
  | { readonly kind: "work"; readonly id: string; readonly version: string }

export type CreatedWork = { readonly colleague: string; readonly createdAt: number }

export class DoneWork {
  /** Done Work that was created lately, by id. */
  readonly created = new Map<string, CreatedWork>()
  /** All done Work of the days that the overview shows has been listed. */
  isListed = false
  /** The versions that were read, by the Work's id. */
  readonly #read: ReadonlyMap<string, string>
  readonly #queue = new Map<string, string>()
  #page: { readonly cursor: string | undefined } | undefined = { cursor: undefined }
  #isFirstPass = true
  #passAt = 0
  #nextAt = 0
  #isUnderWay = false

  constructor(read: ReadonlyMap<string, string>) {
    this.#read = read
  }

  /** The whole list was read, and the approvals of every Work in it. */
  get isAllRead(): boolean {
    return !this.#isFirstPass && this.#queue.size === 0
  }

  /** The next read, which is under way from now on; or the moment to ask again. */
  next(now: number): DoneRead | number {
    if (this.#isUnderWay) return Number.POSITIVE_INFINITY
    if (this.#page === undefined && this.#queue.size === 0 && now >= this.#passAt) this.#page = { cursor: undefined }
    const [work] = this.#queue
    if (this.#page === undefined && work === undefined) return this.#passAt
    if (now < this.#nextAt) return this.#nextAt
    this.#nextAt = now + GAP_MS
    this.#isUnderWay = true
    if (work !== undefined) return { kind: "work", id: work[0], version: work[1] }
    return { kind: "page", cursor: this.#page?.cursor }
  }

  /** A Work is done: its approvals are read once more, as they ended. `today` is in milliseconds since 1970. */
  add(work: ListedWork, today: number): void {
    if (today - work.createdAt < SHOWN_DAYS_MS && this.created.size < CREATED_MAX) {
      this.created.set(work.id, { colleague: work.colleague, createdAt: work.createdAt })
    }
    if (this.#read.get(work.id) !== String(work.version)) this.#queue.set(work.id, String(work.version))
  }

  takePage(works: readonly ListedWork[], nextCursor: string | undefined, now: number, today: number): void {
    this.#isUnderWay = false
    const before = this.#queue.size
    for (const work of works) if (work.status === "done") this.add(work, today)
    const oldest = works.at(-1)?.createdAt ?? Number.NEGATIVE_INFINITY
    const isEnd = nextCursor === undefined || nextCursor === this.#page?.cursor
    if (isEnd || today - oldest >= SHOWN_DAYS_MS) this.isListed = true
    if (isEnd) this.#isFirstPass = false
    const goesOn = !isEnd && (this.#isFirstPass || this.#queue.size > before)
    this.#page = goesOn ? { cursor: nextCursor } : undefined
    if (!goesOn) this.#passAt = now + PASS_EVERY_MS
  }

  /** The Work's approvals were read, or are refused. */
  takeWork(id: string): void {
    this.#isUnderWay = false
    this.#queue.delete(id)
  }

  /** The read failed. The list is read from its beginning at the next pass, the Work too. */
  fail(read: DoneRead, now: number): void {
    this.#isUnderWay = false
    this.#passAt = now + PASS_EVERY_MS
    if (read.kind === "page") this.#page = undefined
    else this.#queue.delete(read.id)
  }

  /** Reads that were under way have been given up. */
  giveUp(): void {
    this.#isUnderWay = false
  }
}
