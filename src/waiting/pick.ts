/** Which Work is checked next, where no hint says so: new and changed Work first, the newest before the older; then every Work in turns. */
import { isChecked, type WatchedWork } from "./known.ts"

/** A Work whose version changes all the time is not checked more often than this. */
export const CHECK_AGAIN_MS = 1_500

/** With up to this many open Works, what nothing hints at is read again within 30 s. */
const FEW_WORKS = 100
const TURN_LONGEST_MS = 25_000
const TURN_SHORTEST_MS = 10_000
const TURN_EACH_MS = 250
/** The least time between two Works of a turn, where the upstream names its quota and where it does not. */
const GAP_WITH_QUOTA_MS = 50
const GAP_WITHOUT_QUOTA_MS = 200

/** A Work that waits longer than this for its check gets every fourth one, whatever else is new. */
const STARVING_MS = 30_000
const STARVING_SHARE = 4

/** The Work to check, or the moment to look again. */
export type Picked = { readonly watched: WatchedWork } | { readonly laterAt: number }

/** Chooses among the Works. All moments are milliseconds of one monotonic clock. */
export class Picker {
  #turnBeganAt = Number.NEGATIVE_INFINITY
  #nextTurnAt = Number.NEGATIVE_INFINITY
  #picks = 0

  /**
   * @param notBefore when a Work may be read again at the earliest: its check is under way (Infinity), or failed
   * @param hasQuota whether the upstream names its quota
   */
  pick(
    works: ReadonlyMap<string, WatchedWork>,
    notBefore: (watched: WatchedWork) => number,
    now: number,
    hasQuota: boolean,
  ): Picked {
    let laterAt = Number.POSITIVE_INFINITY
    let newest: WatchedWork | undefined
    let starving: WatchedWork | undefined
    let next: WatchedWork | undefined
    const isFew = works.size <= FEW_WORKS
    for (const watched of works.values()) {
      const from = Math.max(notBefore(watched), isNews(watched) ? watched.lastReadAt + CHECK_AGAIN_MS : 0)
      if (from > now) {
        laterAt = Math.min(laterAt, from)
      } else if (isNews(watched)) {
        if (newest === undefined || watched.work.createdAt > newest.work.createdAt) newest = watched
        if (now - watched.dueSince > STARVING_MS && watched.dueSince < (starving?.dueSince ?? now)) starving = watched
      } else if (checkedAt(watched) < this.#turnBeganAt && (next === undefined || goesBefore(watched, next, now, isFew))) {
        next = watched
      }
    }
    if (starving !== undefined && ++this.#picks % STARVING_SHARE === 0) return { watched: starving }
    if (newest !== undefined) return { watched: newest }
    if (works.size === 0) return { laterAt }
    if (now < this.#nextTurnAt) return { laterAt: Math.min(laterAt, this.#nextTurnAt) }
    this.#nextTurnAt = now + gap(works.size, hasQuota)
    if (next !== undefined) return { watched: next }
    // Every Work had its turn. The next turn begins after the same gap.
    this.#turnBeganAt = now
    return { laterAt: Math.min(laterAt, this.#nextTurnAt) }
  }
}

/** Never checked since the start, or changed since its check. */
function isNews(watched: WatchedWork): boolean {
  return !isChecked(watched) || watched.checkedVersion !== watched.work.version
}

const checkedAt = (watched: WatchedWork) => watched.checkedAt ?? Number.NEGATIVE_INFINITY

/** Within a turn: what is late, then Work with waiting items, then the rest; each by its last check. */
function goesBefore(one: WatchedWork, other: WatchedWork, now: number, isFew: boolean): boolean {
  const rank = (watched: WatchedWork) => {
    if (isFew && now - checkedAt(watched) > TURN_LONGEST_MS) return 0
    return watched.approvals.length + watched.attention.length > 0 ? 1 : 2
  }
  const difference = rank(one) - rank(other)
  return difference === 0 ? checkedAt(one) < checkedAt(other) : difference < 0
}

function gap(works: number, hasQuota: boolean): number {
  const turn = Math.min(Math.max(works * TURN_EACH_MS, TURN_SHORTEST_MS), TURN_LONGEST_MS)
  return Math.max(turn / works, hasQuota ? GAP_WITH_QUOTA_MS : GAP_WITHOUT_QUOTA_MS)
}
