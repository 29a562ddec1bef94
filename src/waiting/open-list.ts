/** When the list of open Work is read, and what a reading of it to its end changes. Pure: every moment is given. */
import type { Known, WatchedWork } from "./watch-state.ts"
import { ListRound, type ListPage } from "./list-round.ts"
import { readWorkPage } from "./resources.ts"

/** The list is read at least every 5 s: this leaves a second for its answer and an item's. */
const LIST_EVERY_MS = 4_000
const LIST_SOON_MS = 500
/** A fourth of the quota's requests is for the list where it has many pages. */
const LIST_SHARE = 4

/** A page of one reading of the list. */
export type PageRead = { readonly round: ListRound; readonly page: ListPage }

export class OpenList {
  readonly #known: Known
  #round: ListRound | undefined
  #dueAt = Number.NEGATIVE_INFINITY
  #beganAt = Number.NEGATIVE_INFINITY
  #readAfter = -1

  constructor(known: Known) {
    this.#known = known
  }

  startAnew(): void {
    this.#round = undefined
    this.#dueAt = Number.NEGATIVE_INFINITY
    this.#beganAt = Number.NEGATIVE_INFINITY
    this.#readAfter = -1
  }

  /** The list was read to its end by requests after this number; -1 before the first time. */
  get readAfter(): number {
    return this.#readAfter
  }

  /** The list is read soon. */
  hint(now: number): void {
    this.#dueAt = Math.min(this.#dueAt, Math.max(now, this.#beganAt + LIST_SOON_MS))
  }

  /** The next page to read, or the moment to ask again. `notBefore` is the end of the pause after a failure. */
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

  /** Takes in a page. Gives the Works that the list, read to its end, lacks. @throws InvalidAnswerError */
  take({ round, page }: PageRead, body: string, number: number, now: number, requestsPerSecond: number): WatchedWork[] {
    const { works, nextCursor } = readWorkPage(body)
    for (const work of works) {
      if (this.#known.tell(work, number, now)) round.listed.add(work.id)
      else if (work.status !== "done") round.unwatched++
    }
    round.read(page, nextCursor)
    this.#known.unwatched = Math.max(this.#known.unwatched, round.unwatched)
    return round.isOver ? this.#end(round, requestsPerSecond) : []
  }

  /** A page could not be read, for an answer with this status. */
  fail({ round, page }: PageRead, status: number): void {
    round.putBack(page)
    // A cursor may be void after a restart of the service: the list is read from its beginning.
    if (status !== 401 && status !== 429 && status < 500 && this.#round === round) this.#round = undefined
  }

  #end(round: ListRound, requestsPerSecond: number): WatchedWork[] {
    this.#round = undefined
    this.#known.endList(round.unwatched, round.isWhole)
    // Other reads need their share of the quota: a list of many pages is read less often.
    const share = (LIST_SHARE * round.requests * 1_000) / requestsPerSecond
    this.#dueAt = Math.max(this.#dueAt, this.#beganAt + share)
    if (!round.isWhole) return []
    this.#readAfter = round.beganAfter
    return [...this.#known.works.values()].filter(
      ({ work, toldBy }) => !round.listed.has(work.id) && toldBy <= round.beganAfter,
    )
  }
}
