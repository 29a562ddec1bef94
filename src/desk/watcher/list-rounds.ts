/** Decides when the list of open Work is read, in rounds from its beginning to its end, and applies its pages. */
import { WORK_PAGE_MAX, WORK_PAGE_MAX_BYTES } from "../../contract/limits.ts"
import type { WorkStatus } from "../../contract/resources.ts"
import { backOff, type RequestPace, type MonotonicTime } from "./request-pace.ts"
import { readWorkPage } from "./read-resources.ts"
import type { WatchState } from "./watch-state.ts"
import type { Failure, WatchedWork } from "./watched-work.ts"

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

/** No more pages of a list are read, because the list of a faulty upstream may never end. */
const PAGES_MAX = 10_000
const PLACES_PER_ROUND = PAGES_MAX * WORK_PAGE_MAX

/** A round gives a page up after so many tries, so that one broken page does not keep the watcher from reading the others again. */
const TRIES_MAX = 3
/** The pause before a page is tried again. It doubles with each failure (`backOff`). */
const RETRY_FIRST_MS = 1_000

/** A page that is too large is read with half its limit from then on. After this time, twice as many Works are tried again. */
const LIMIT_RAISED_MS = 600_000

/** While reads fail, the list counts as whole for at most this long after the last whole round. */
const DOUBTED_AFTER_MS = 60_000

/** How far a round has read one of the three lists. */
type Reading = {
  readonly status: WorkStatus
  /**
   * | state     | the next page                         | becomes                                                    |
   * | --------- | ------------------------------------- | ---------------------------------------------------------- |
   * | ready     | may be asked for after `retryAt`      | under way                                                  |
   * | under way | was asked for                         | ready (there are more, or it is tried again), whole or cut |
   * | whole     | does not exist                        |                                                            |
   * | cut       | was given up, with all pages after it |                                                            |
   */
  state: "ready" | "under way" | "whole" | "cut"
  /** The cursor of the next page. */
  cursor: string | undefined
  /** All cursors that the upstream has given for this list. */
  readonly cursors: Set<string>
  /** The number of Works in the pages so far. */
  length: number
  /** How many Works the next page has at most. */
  limit: number
  /** How often the next page could not be read. */
  failures: number
  /** When the next page may be read, after a failure. */
  retryAt: MonotonicTime
}

type Round = {
  /** The number of the last request before this round. An answer to a later request is newer than the round's beginning. */
  readonly lastRequestBefore: number
  readonly readings: readonly Reading[]
  /** The ids of the watched Works in the pages so far. */
  readonly listed: Set<string>
  /** The number of open Works in the pages so far that are not watched. */
  unwatched: number
  /** The number of Works in the pages so far that cannot be read at all. */
  unnamed: number
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
  readonly #state: WatchState
  readonly #pace: RequestPace
  #round: Round | undefined
  /** When the last round began. */
  #beganAt: MonotonicTime = Number.NEGATIVE_INFINITY
  /** The time in which the quota allows as many requests as the last round had, in milliseconds. */
  #costMs = 0
  /** The limits of the lists whose pages were too large, and when each may rise. */
  readonly #limits = new Map<WorkStatus, { readonly limit: number; readonly raiseAt: MonotonicTime }>()
  /** Whether a hint has come since the last round began. */
  #isHinted = false

  constructor(state: WatchState, pace: RequestPace) {
    this.#state = state
    this.#pace = pace
  }

  /** Forgets the round, when the watcher starts again. */
  reset(): void {
    this.#round = undefined
    this.#beganAt = Number.NEGATIVE_INFINITY
  }

  /** Asks for the list to be read soon. Returns false when that was asked already. */
  hint(): boolean {
    const isNew = !this.#isHinted
    this.#isHinted = true
    return isNew
  }

  /** When the next page may be read. Infinity while all pages that may be read are under way. */
  get nextStartAt(): MonotonicTime {
    if (this.#round !== undefined) return Math.min(...readyOf(this.#round).map(({ retryAt }) => retryAt))
    const restMs = this.#isHinted
      ? Math.max(LIST_SOON_MS, LIST_SHARE_HINTED * this.#costMs)
      : Math.max(LIST_EVERY_MS, LIST_SHARE * this.#costMs)
    return this.#beganAt + restMs
  }

  /** Begins the read of the next page. The first pages of all lists come first. Call this when `nextStartAt` is over. */
  begin(now: MonotonicTime): ListRead {
    if (this.#round === undefined) {
      this.#round = newRound(this.#pace.lastNumber, (status) => this.#limitOf(status, now))
      this.#beganAt = now
      this.#isHinted = false
    }
    const round = this.#round
    const ready = readyOf(round).filter(({ retryAt }) => retryAt <= now)
    const [reading] = ready.sort((one, other) => one.cursors.size - other.cursors.size)
    if (reading === undefined) throw new Error("no page of the list is ready")
    reading.state = "under way"
    round.requests++
    const target = addressOfPage(reading.status, reading.cursor, reading.limit)
    return { kind: "list", operation: "listWork", target, round, reading }
  }

  /** Applies a page. After the last page, returns the watched Works that are missing from the list. @throws InvalidAnswerError */
  applyPage({ round, reading }: ListRead, body: string, number: number, now: MonotonicTime): Missing {
    const { works, unnamed, nextCursor } = readWorkPage(body)
    round.unnamed += unnamed
    if (body.length > WORK_PAGE_MAX_BYTES && works.length > 1) this.#halve(reading, now)
    for (const work of works) {
      // The list has the newest Work first, so places fall within a round. They rise from round to round.
      const place = round.lastRequestBefore * PLACES_PER_ROUND - reading.length++
      if (this.#state.applyWork(work, number, now, place)) round.listed.add(work.id)
      else if (work.status !== "done") round.unwatched++
    }
    // A cursor that came before ends the list: otherwise the list would never end.
    const goesOn = nextCursor !== undefined && !reading.cursors.has(nextCursor) && reading.cursors.size < PAGES_MAX
    if (goesOn) reading.cursors.add(nextCursor)
    reading.cursor = nextCursor
    reading.state = goesOn ? "ready" : "whole"
    reading.failures = 0
    this.#state.unwatched = Math.max(this.#state.unwatched, round.unwatched)
    return this.#endIfOver(round, now)
  }

  /** The next page of a list has half as many Works. */
  #halve(reading: Reading, now: MonotonicTime): void {
    reading.limit = Math.max(1, Math.floor(reading.limit / 2))
    this.#limits.set(reading.status, { limit: reading.limit, raiseAt: now + LIMIT_RAISED_MS })
  }

  /** The limit that a round begins with. */
  #limitOf(status: WorkStatus, now: MonotonicTime): number {
    const before = this.#limits.get(status)
    if (before === undefined) return WORK_PAGE_MAX
    if (now < before.raiseAt) return before.limit
    const limit = Math.min(WORK_PAGE_MAX, 2 * before.limit)
    if (limit === WORK_PAGE_MAX) this.#limits.delete(status)
    else this.#limits.set(status, { limit, raiseAt: now + LIMIT_RAISED_MS })
    return limit
  }

  /** Has a page that was too large read again with half its limit. A single Work that is too large cuts the list: the page had the next cursor. */
  applyTooLarge({ round, reading }: ListRead, now: MonotonicTime): Missing {
    if (reading.limit > 1) {
      this.#halve(reading, now)
      reading.state = "ready"
      return NOTHING_MISSING
    }
    round.unnamed++
    reading.state = "cut"
    return this.#endIfOver(round, now)
  }

  /**
   * A page could not be read. `status` is the answer's status. After 5xx the page is tried again. After another status it is given up at once: the
   * service may have restarted and forgotten the cursor, and the next round begins without one. 401 and 429 are not the page's fault.
   */
  fail({ round, reading }: ListRead, status: number, failure: Failure, now: MonotonicTime): Missing {
    this.#state.applyListFailure(failure)
    reading.failures++
    reading.retryAt = now + backOff(reading.failures, RETRY_FIRST_MS)
    const isOfPage = status !== 401 && status !== 429
    reading.state = isOfPage && (status < 500 || reading.failures >= TRIES_MAX) ? "cut" : "ready"
    return this.#endIfOver(round, now)
  }

  /** Call this when any read failed. While all reads fail, no round ends, so new Work may be missing. */
  noteFailure(now: MonotonicTime): void {
    const expectedMs = Math.max(DOUBTED_AFTER_MS, 3 * LIST_SHARE * this.#costMs)
    const known = this.#state.knownWhole()
    if (known.level === "whole" && now - known.endedAt > expectedMs) this.#state.doubtList()
  }

  /** Ends the round if no page of it is left to read. Then returns the watched Works that are missing from the list. */
  #endIfOver(round: Round, now: MonotonicTime): Missing {
    const { readings, unwatched, unnamed, lastRequestBefore } = round
    if (readings.some(({ state }) => state === "ready" || state === "under way")) return NOTHING_MISSING
    this.#round = undefined
    this.#costMs = round.requests * this.#pace.intervalMs
    const isWhole = readings.every(({ state }) => state === "whole")
    if (isWhole) this.#state.applyListFailure(undefined)
    this.#state.applyListEnd({ isWhole, unwatched, unnamed, lastRequestBefore }, now)
    return findMissing(round, this.#state.works.values())
  }
}

/** The watched Works that a round did not have (`gone`: those that no longer exist), and whether the round read every page. */
export type Missing = {
  readonly works: readonly WatchedWork[]
  readonly gone: readonly WatchedWork[]
  readonly isWhole: boolean
}

const NOTHING_MISSING: Missing = { works: [], gone: [], isWhole: false }

function findMissing({ readings, listed, lastRequestBefore }: Round, watchedWorks: Iterable<WatchedWork>): Missing {
  const cut = new Set<string>(readings.flatMap(({ state, status }) => (state === "cut" ? status : [])))
  const isWhole = cut.size === 0
  // A Work that was seen since the round began may be newer than the pages. A Work of a cut list may be on a page that was not read.
  const isMissing = ({ work, seenByRequest }: WatchedWork) =>
    !listed.has(work.id) && seenByRequest <= lastRequestBefore && !cut.has(work.status)
  // Before this round the service answered that there is no such Work, and the round doesn't have it either.
  const isGone = ({ goneAfter }: WatchedWork) => isWhole && goneAfter !== undefined && goneAfter <= lastRequestBefore
  const missing = [...watchedWorks].filter(isMissing)
  return { works: missing.filter((watched) => !isGone(watched)), gone: missing.filter(isGone), isWhole }
}

const readyOf = ({ readings }: Round) => readings.filter(({ state }) => state === "ready")

function newRound(lastRequestBefore: number, limitOf: (status: WorkStatus) => number): Round {
  const readings = OPEN.map((status) => ({
    status,
    state: "ready" as const,
    cursor: undefined,
    cursors: new Set<string>(),
    length: 0,
    limit: limitOf(status),
    failures: 0,
    retryAt: Number.NEGATIVE_INFINITY,
  }))
  return { lastRequestBefore, readings, listed: new Set(), unwatched: 0, unnamed: 0, requests: 0 }
}

/** The path and query of listWork for a page. */
export function addressOfPage(status: WorkStatus, cursor: string | undefined, limit = WORK_PAGE_MAX): string {
  const rest = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor.toWellFormed())}`
  return `/api/v1/work?status=${status}&limit=${limit}${rest}`
}
