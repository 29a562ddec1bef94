/** Decides when the list of open Work is read, in rounds from its beginning to its end, and takes its pages in. This file sends nothing. */
import { WORK_PAGE_MAX } from "../contract/limits.ts"
import type { WorkStatus } from "../contract/resources.ts"
import type { Due } from "./request-pace.ts"
import { readWorkPage } from "./resources.ts"
import { LIST, type WatchState, type WatchedWork } from "./watch-state.ts"

/** A change must be in the answers within 5 s. This leaves a second for reading the list and an item. */
const LIST_EVERY_MS = 4_000
/** After a hint, a round begins this long after the beginning of the round before at the earliest. */
const LIST_SOON_MS = 500
/**
 * Of the requests that the quota allows, the list gets at most one in four, and one in two while hints come, so that a list of many pages leaves
 * time for the items. Anybody can cause hints: each request about an unknown Work is one.
 */
const LIST_SHARE = 4
const LIST_SHARE_HINTED = 2

/** listWork filters by one status, so open Work has three lists. */
const OPEN = ["needs_you", "working", "paused"] as const satisfies readonly WorkStatus[]

/** A list ends at this page at the latest, because the list of a faulty upstream may never end. */
const PAGES_MAX = 10_000
const PLACES_PER_ROUND = PAGES_MAX * WORK_PAGE_MAX

/** How far a round has read one of the three lists. */
type Reading = {
  readonly status: WorkStatus
  /** The cursor of the next page. */
  cursor: string | undefined
  /** All cursors that the upstream has given for this list. */
  readonly cursors: Set<string>
  /** The number of Works in the pages so far. */
  length: number
  isUnderWay: boolean
  isOver: boolean
}

type Round = {
  /** The number of the last request before this round. What was told later than this is newer than the round's beginning. */
  readonly beganAfter: number
  readonly readings: readonly Reading[]
  /** The ids of the watched Works in the pages so far. */
  readonly listed: Set<string>
  /** The number of open Works in the pages so far that are not watched. */
  unwatched: number
  requests: number
}

/** The next page of one of the three lists. */
export type ListRead = {
  readonly kind: "list"
  readonly operation: "listWork"
  readonly target: string
  readonly round: Round
  readonly reading: Reading
}

export class ListRounds {
  /** All requests of the last complete round have numbers above this one. -1 before the first complete round. */
  readAfter = -1
  readonly #state: WatchState
  #round: Round | undefined
  /** When the last round began. */
  #beganAt = Number.NEGATIVE_INFINITY
  /** The time in which the quota allows as many requests as the last round had, in milliseconds. */
  #costMs = 0
  /** Whether a hint has come since the last round began. */
  #isHinted = false

  constructor(state: WatchState) {
    this.#state = state
  }

  /** Forgets the round, when the watcher starts again. */
  reset(): void {
    this.readAfter = -1
    this.#round = undefined
    this.#beganAt = Number.NEGATIVE_INFINITY
  }

  /** Asks for the list to be read soon. */
  hint(): void {
    this.#isHinted = true
  }

  /** When the next round may begin. */
  get #dueAt(): number {
    const restMs = this.#isHinted
      ? Math.max(LIST_SOON_MS, LIST_SHARE_HINTED * this.#costMs)
      : Math.max(LIST_EVERY_MS, LIST_SHARE * this.#costMs)
    return this.#beganAt + restMs
  }

  /** The next page, which counts as under way. The first pages of all lists come first. */
  next(lastNumber: number, now: number): Due<ListRead> {
    const dueAt = Math.max(this.#round === undefined ? this.#dueAt : 0, this.#state.retryAt(LIST))
    if (dueAt > now) return { wakeAt: dueAt }
    if (this.#round === undefined) {
      this.#round = newRound(lastNumber)
      this.#beganAt = now
      this.#isHinted = false
    }
    const round = this.#round
    const ready = round.readings.filter(({ isOver, isUnderWay }) => !isOver && !isUnderWay)
    const [reading] = ready.sort((one, other) => one.cursors.size - other.cursors.size)
    if (reading === undefined) return { wakeAt: Number.POSITIVE_INFINITY }
    reading.isUnderWay = true
    round.requests++
    const target = addressOfPage(reading.status, reading.cursor)
    return { due: { kind: "list", operation: "listWork", target, round, reading } }
  }

  /**
   * Takes in a page. After the last page, gives the watched Works that the list does not have: `ReadPlan` checks or removes them. `intervalMs` is
   * the time between two requests that the quota asks for.
   * @throws InvalidAnswerError
   */
  take({ round, reading }: ListRead, body: string, number: number, now: number, intervalMs: number): WatchedWork[] {
    const { works, nextCursor } = readWorkPage(body)
    for (const work of works) {
      // The list has the newest Work first, so places fall within a round. They rise from round to round.
      const place = round.beganAfter * PLACES_PER_ROUND - reading.length++
      if (this.#state.takeWork(work, number, now, place)) round.listed.add(work.id)
      else if (work.status !== "done") round.unwatched++
    }
    // A cursor of an earlier page ends the list as its last page would: otherwise the list would never end.
    const goesOn = nextCursor !== undefined && !reading.cursors.has(nextCursor) && reading.cursors.size < PAGES_MAX
    if (goesOn) reading.cursors.add(nextCursor)
    reading.cursor = nextCursor
    reading.isUnderWay = false
    reading.isOver = !goesOn
    this.#state.unwatched = Math.max(this.#state.unwatched, round.unwatched)
    return round.readings.every(({ isOver }) => isOver) ? this.#end(round, now, intervalMs) : []
  }

  /** A page could not be read. `status` is the answer's status. */
  fail({ round, reading }: ListRead, status: number): void {
    reading.isUnderWay = false
    // A service that has restarted may refuse the cursor. Then the next round reads the list from its beginning.
    const mayBeCursor = status !== 401 && status !== 429 && status < 500
    if (mayBeCursor && this.#round === round) this.#round = undefined
  }

  #end(round: Round, now: number, intervalMs: number): WatchedWork[] {
    this.#round = undefined
    this.#state.takeListEnd(round.unwatched, now)
    this.#costMs = round.requests * intervalMs
    this.readAfter = round.beganAfter
    // A Work that was told since the round began may be newer than the pages.
    const isMissing = ({ work, toldByRequest }: WatchedWork) =>
      !round.listed.has(work.id) && toldByRequest <= round.beganAfter
    return [...this.#state.works.values()].filter(isMissing)
  }
}

function newRound(beganAfter: number): Round {
  const readings = OPEN.map((status) => ({
    status,
    cursor: undefined,
    cursors: new Set<string>(),
    length: 0,
    isUnderWay: false,
    isOver: false,
  }))
  return { beganAfter, readings, listed: new Set(), unwatched: 0, requests: 0 }
}

/** The path and query of listWork for a page. */
export function addressOfPage(status: WorkStatus, cursor: string | undefined): string {
  const rest = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor.toWellFormed())}`
  return `/api/v1/work?status=${status}&limit=${WORK_PAGE_MAX}${rest}`
}
