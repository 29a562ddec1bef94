/** One reading of the list of open Work to its end, page by page. */
import { WORK_PAGE_MAX } from "../contract/limits.ts"
import type { WorkStatus } from "../contract/resources.ts"

/** listWork filters by one status, so open Work is three lists. */
const OPEN = ["needs_you", "working", "paused"] as const satisfies readonly WorkStatus[]

/** The list of a faulty upstream may never end. */
const PAGES_MAX = 10_000

export type ListPage = { readonly status: WorkStatus; readonly cursor: string | undefined }

type Reading = { readonly cursors: Set<string>; next: ListPage | undefined; isUnderWay: boolean }

export class ListRound {
  /** The number of the last request before the round. */
  readonly beganAfter: number
  /** The ids of watched Works that the pages had. */
  readonly listed = new Set<string>()
  /** Open Works of the pages that are not watched. */
  unwatched = 0
  requests = 0
  /** False where the list was left before its end. */
  isWhole = true
  readonly #readings: readonly Reading[]

  constructor(beganAfter: number) {
    this.beganAfter = beganAfter
    this.#readings = OPEN.map((status) => ({
      cursors: new Set(),
      next: { status, cursor: undefined },
      isUnderWay: false,
    }))
  }

  get isOver(): boolean {
    return this.#readings.every(({ next }) => next === undefined)
  }

  /** The next page to read, which is under way from now on; the newest pages of all statuses come first. */
  take(): ListPage | undefined {
    const ready = this.#readings.filter(({ next, isUnderWay }) => next !== undefined && !isUnderWay)
    const [reading] = ready.sort((one, other) => one.cursors.size - other.cursors.size)
    if (reading === undefined) return undefined
    reading.isUnderWay = true
    this.requests++
    return reading.next
  }

  /** The page was read: the list goes on at its cursor. A cursor that leads back ends the list. */
  read({ status }: ListPage, nextCursor: string | undefined): void {
    const reading = this.#readingOf(status)
    reading.isUnderWay = false
    const goesOn = nextCursor !== undefined && !reading.cursors.has(nextCursor)
    if (goesOn && reading.cursors.size >= PAGES_MAX) this.isWhole = false
    const isLast = !goesOn || !this.isWhole
    if (nextCursor !== undefined) reading.cursors.add(nextCursor)
    reading.next = isLast ? undefined : { status, cursor: nextCursor }
  }

  /** The page was not read: it is read again. */
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
