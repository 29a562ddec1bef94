/** Decides when the list of open Work is read, and takes its pages in. This file sends nothing, and `now` is its only clock. */
import type { WatchState, WatchedWork } from "./watch-state.ts"
import { ListRound, type ListPage } from "./list-round.ts"
import { readWorkPage } from "./resources.ts"

/** A change must be in the answers within 5 s. This leaves a second for reading the list and an item. */
const LIST_EVERY_MS = 4_000
const LIST_SOON_MS = 500
/** A list of many pages gets at most one fourth of the requests that the quota allows. */
const LIST_SHARE = 4

/** A page of a round. */
export type PageRead = { readonly round: ListRound; readonly page: ListPage }

export class ListSchedule {
  readonly #state: WatchState
  #round: ListRound | undefined
  #dueAt = Number.NEGATIVE_INFINITY
  #beganAt = Number.NEGATIVE_INFINITY
  #readAfter = -1

  constructor(state: WatchState) {
    this.#state = state
  }

  /** Forgets the round, when the watcher starts again. */
  reset(): void {
    this.#round = undefined
    this.#dueAt = Number.NEGATIVE_INFINITY
    this.#beganAt = Number.NEGATIVE_INFINITY
    this.#readAfter = -1
  }

  /** All requests of the last complete round have numbers above this one. -1 before the first complete round. */
  get readAfter(): number {
    return this.#readAfter
  }

  /** Asks for the list to be read soon. */
  hint(now: number): void {
    this.#dueAt = Math.min(this.#dueAt, Math.max(now, this.#beganAt + LIST_SOON_MS))
  }

  /** Gives the next page to read, or the moment to ask again. `notBefore` is the end of the pause after a failure. */
  next(lastNumber: number, notBefore: number, now: number): PageRead | number {
    const dueAt = Math.max(this.#round === undefined ? this.#dueAt : 0, notBefore)
    if (dueAt > now) return dueAt
    if (this.#round === undefined) {
      this.#round = new ListRound(lastNumber)
      this.#beganAt = now
      this.#dueAt = now + LIST_EVERY_MS
    }
    const round = this.#round
    const page = round.take()
    return page === undefined ? Number.POSITIVE_INFINITY : { round, page }
  }

  /** Takes in a page. After the last page, gives the watched Works that the list does not have. @throws InvalidAnswerError */
  take({ round, page }: PageRead, body: string, number: number, now: number, requestsPerSecond: number): WatchedWork[] {
    const { works, nextCursor } = readWorkPage(body)
    for (const work of works) {
      if (this.#state.takeWork(work, number, now)) round.listed.add(work.id)
      else if (work.status !== "done") round.unwatched++
    }
    for (const ids of round.runsIn(page, works)) this.#state.takeOrder(ids)
    round.read(page, nextCursor)
    this.#state.unwatched = Math.max(this.#state.unwatched, round.unwatched)
    return round.isOver ? this.#end(round, requestsPerSecond, now) : []
  }

  /** A page could not be read. `status` is the answer's status. */
  fail({ round, page }: PageRead, status: number): void {
    round.putBack(page)
    // A cursor may be invalid after a restart of the service. The list is then read from its beginning.
    if (status !== 401 && status !== 429 && status < 500 && this.#round === round) this.#round = undefined
  }

  #end(round: ListRound, requestsPerSecond: number, now: number): WatchedWork[] {
    this.#round = undefined
    this.#state.takeListEnd(round.unwatched, round.isWhole, now)
    // A list of many pages is read less often, so that other reads get their share of the quota.
    const share = (LIST_SHARE * round.requests * 1_000) / requestsPerSecond
    this.#dueAt = Math.max(this.#dueAt, this.#beganAt + share)
    if (!round.isWhole) return []
    this.#readAfter = round.beganAfter
    return [...this.#state.works.values()].filter(
      ({ work, toldByRequest }) => !round.listed.has(work.id) && toldByRequest <= round.beganAfter,
    )
  }
}
