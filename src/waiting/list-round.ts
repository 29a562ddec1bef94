/** One round of the list of open Work: reads the list once to its end, page by page. */
import { WORK_PAGE_MAX } from "../contract/limits.ts"
import type { WorkStatus } from "../contract/resources.ts"
import type { ListedWork } from "./resources.ts"

/** listWork filters by one status, so open Work has three lists. */
const OPEN = ["needs_you", "working", "paused"] as const satisfies readonly WorkStatus[]

/** The limit for a faulty upstream whose list never ends. */
const PAGES_MAX = 10_000

export type ListPage = { readonly status: WorkStatus; readonly cursor: string | undefined }

/** The state of one of the three lists. `cursors` are the cursors so far. `run` are the last Works so far, which were created at one moment. */
type Reading = {
  readonly cursors: Set<string>
  next: ListPage | undefined
  isUnderWay: boolean
  run: readonly Pick<ListedWork, "id" | "createdAt">[]
}

export class ListRound {
  /** The number of the last request before this round. */
  readonly beganAfter: number
  /** The ids of the watched Works in the pages so far. */
  readonly listed = new Set<string>()
  /** The number of open Works in the pages so far that are not watched. */
  unwatched = 0
  requests = 0
  /** False when the round has stopped before the end of a list. */
  isWhole = true
  readonly #readings: readonly Reading[]

  constructor(beganAfter: number) {
    this.beganAfter = beganAfter
    this.#readings = OPEN.map((status) => ({
      cursors: new Set(),
      next: { status, cursor: undefined },
      isUnderWay: false,
      run: [],
    }))
  }

  get isOver(): boolean {
    return this.#readings.every(({ next }) => next === undefined)
  }

  /** Gives the next page to read, which counts as under way. The first pages of all lists come first. */
  take(): ListPage | undefined {
    const ready = this.#readings.filter(({ next, isUnderWay }) => next !== undefined && !isUnderWay)
    const [reading] = ready.sort((one, other) => one.cursors.size - other.cursors.size)
    if (reading === undefined) return undefined
    reading.isUnderWay = true
    this.requests++
    return reading.next
  }

  /** The page was read, and the list continues at the cursor. A cursor that was there before ends the list. */
  read({ status }: ListPage, nextCursor: string | undefined): void {
    const reading = this.#readingOf(status)
    reading.isUnderWay = false
    const goesOn = nextCursor !== undefined && !reading.cursors.has(nextCursor)
    if (goesOn && reading.cursors.size >= PAGES_MAX) this.isWhole = false
    const isLast = !goesOn || !this.isWhole
    if (nextCursor !== undefined) reading.cursors.add(nextCursor)
    reading.next = isLast ? undefined : { status, cursor: nextCursor }
  }

  /** The ids of Works that were created at one moment, in the order of the list. A run may have begun in an earlier page. */
  runsIn({ status }: ListPage, works: Reading["run"]): readonly (readonly string[])[] {
    const reading = this.#readingOf(status)
    const all = [...reading.run, ...works]
    reading.run = all.filter(({ createdAt }) => createdAt === all.at(-1)?.createdAt)
    const runs = [...Map.groupBy(all, ({ createdAt }) => createdAt).values()]
    return runs.filter(({ length }) => length > 1).map((run) => run.map(({ id }) => id))
  }

  /** The page could not be read. It is read again. */
  putBack({ status }: ListPage): void {
    this.#readingOf(status).isUnderWay = false
  }

  #readingOf(status: WorkStatus): Reading {
    const reading = this.#readings[OPEN.findIndex((open) => open === status)]
    if (reading === undefined) throw new RangeError(`${status} is not listed`)
    return reading
  }
}

/** The path and query of listWork for a page. */
export function addressOfPage({ status, cursor }: ListPage): string {
  const rest = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor.toWellFormed())}`
  return `/api/v1/work?status=${status}&limit=${WORK_PAGE_MAX}${rest}`
}
