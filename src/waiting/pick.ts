/** Chooses the Work to check next where no hint names one: new and changed Work first, newest first; then every Work in turns. */
import { isChecked, type WatchedWork } from "./watch-state.ts"

/** A Work whose version changes all the time is not checked more often than this. */
export const CHECK_AGAIN_MS = 1_500

/** Up to this many open Works are each checked again within 30 s. */
const FEW_WORKS = 100
const TURN_LONGEST_MS = 25_000
const TURN_SHORTEST_MS = 10_000
const TURN_EACH_MS = 250
/** The least time between two Works of a turn: with an upstream that names its quota, and with another one. */
const GAP_WITH_QUOTA_MS = 50
const GAP_WITHOUT_QUOTA_MS = 200

/** Every fourth check goes to the new Work that has waited longest, if that Work has waited longer than this. */
const STARVING_MS = 30_000
const STARVING_SHARE = 4

/** The Work to check, or the moment to look again. */
export type Picked = { readonly watched: WatchedWork } | { readonly laterAt: number }

/** Chooses among the Works. All moments are milliseconds of one monotonic clock. */
export class Picker {
  readonly #works: ReadonlyMap<string, WatchedWork>
  /** New and changed Work, as a stack: the newest is last and is taken first. */
  #news: WatchedWork[] = []
  #newsSeen = -1
  /** The Works that still have a turn, as a stack: the next is last. */
  #turn: WatchedWork[] = []
  #turnBeganAt = Number.NEGATIVE_INFINITY
  #nextTurnAt = Number.NEGATIVE_INFINITY
  #picks = 0

  constructor(works: ReadonlyMap<string, WatchedWork>) {
    this.#works = works
  }

  /**
   * @param newsCount grows with every new or changed Work
   * @param notBefore when a Work may be read again at the earliest: its check is under way (Infinity), or failed
   * @param hasQuota whether the upstream names its quota
   */
  pick(newsCount: number, notBefore: (watched: WatchedWork) => number, now: number, hasQuota: boolean): Picked {
    if (newsCount !== this.#newsSeen) {
      this.#newsSeen = newsCount
      this.#news = [...this.#works.values()].filter(isNews).sort((a, b) => a.work.createdAt - b.work.createdAt)
    }
    const news = this.#pickNews(notBefore, now)
    if ("watched" in news || this.#works.size === 0) return news
    if (now < this.#nextTurnAt) return { laterAt: Math.min(news.laterAt, this.#nextTurnAt) }
    this.#nextTurnAt = now + gap(this.#works.size, hasQuota)
    const next = this.#pickTurn(notBefore, now)
    return next === undefined ? { laterAt: Math.min(news.laterAt, this.#nextTurnAt) } : { watched: next }
  }

  #pickNews(notBefore: (watched: WatchedWork) => number, now: number): Picked {
    const starving = ++this.#picks % STARVING_SHARE === 0 ? this.#pickStarving(notBefore, now) : undefined
    if (starving !== undefined) return { watched: starving }
    let laterAt = Number.POSITIVE_INFINITY
    for (let index = this.#news.length - 1; index >= 0; index--) {
      const watched = this.#news[index]
      if (watched === undefined) continue
      if (!this.#isCurrent(watched) || !isNews(watched)) {
        this.#news.splice(index, 1)
        continue
      }
      const from = Math.max(notBefore(watched), watched.lastReadAt + CHECK_AGAIN_MS)
      if (from <= now) return { watched }
      laterAt = Math.min(laterAt, from)
    }
    return { laterAt }
  }

  #pickStarving(notBefore: (watched: WatchedWork) => number, now: number): WatchedWork | undefined {
    const starving = this.#news.filter(
      (watched) =>
        now - watched.dueSince > STARVING_MS &&
        this.#isCurrent(watched) &&
        isNews(watched) &&
        Math.max(notBefore(watched), watched.lastReadAt + CHECK_AGAIN_MS) <= now,
    )
    return starving.length === 0
      ? undefined
      : starving.reduce((one, other) => (other.dueSince < one.dueSince ? other : one))
  }

  /** The next Work of the turn. After the last Work a new turn begins. */
  #pickTurn(notBefore: (watched: WatchedWork) => number, now: number): WatchedWork | undefined {
    const isFew = this.#works.size <= FEW_WORKS
    if (this.#turn.length === 0) this.#turnBeganAt = now
    if (this.#turn.length === 0 || isFew) {
      this.#turn = [...this.#works.values()]
        .filter((watched) => checkedAt(watched) < this.#turnBeganAt)
        .sort((one, other) => rank(other, now, isFew) - rank(one, now, isFew) || checkedAt(other) - checkedAt(one))
    }
    for (let next = this.#turn.pop(); next !== undefined; next = this.#turn.pop()) {
      const hasTurn = this.#isCurrent(next) && !isNews(next) && checkedAt(next) < this.#turnBeganAt
      if (hasTurn && notBefore(next) <= now) return next
    }
    return undefined
  }

  #isCurrent(watched: WatchedWork): boolean {
    return this.#works.get(watched.work.id) === watched
  }
}

/** The Work was never checked since the start, or changed after its check. */
function isNews(watched: WatchedWork): boolean {
  return !isChecked(watched) || watched.checkedVersion !== watched.work.version
}

const checkedAt = (watched: WatchedWork) => watched.checkedAt ?? Number.NEGATIVE_INFINITY

/** The order within a turn: Work that is late, then Work with waiting items, then the rest. */
function rank(watched: WatchedWork, now: number, isFew: boolean): number {
  if (isFew && now - checkedAt(watched) > TURN_LONGEST_MS) return 0
  return watched.approvals.length + watched.attention.length > 0 ? 1 : 2
}

function gap(works: number, hasQuota: boolean): number {
  const turn = Math.min(Math.max(works * TURN_EACH_MS, TURN_SHORTEST_MS), TURN_LONGEST_MS)
  return Math.max(turn / works, hasQuota ? GAP_WITH_QUOTA_MS : GAP_WITHOUT_QUOTA_MS)
}
