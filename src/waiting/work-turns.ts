/** Chooses the Work to check when no hint names a Work. New and changed Work comes first, the newest first. Then all Works take turns. */
import { isChecked, type WatchedWork } from "./watch-state.ts"

/** A Work is not checked more often than this, even when its version changes all the time. */
export const CHECK_AGAIN_MS = 1_500

/** Up to this number of open Works, each Work is checked again within 30 s. */
const FEW_WORKS = 100
const PASS_LONGEST_MS = 25_000
const PASS_SHORTEST_MS = 10_000
const PASS_EACH_MS = 250
/** The least time between two checks of a pass, when the upstream names its quota and when it does not. */
const GAP_WITH_QUOTA_MS = 50
const GAP_WITHOUT_QUOTA_MS = 200

/** Every fourth check takes the new or changed Work that has waited longest, if it has waited longer than this. */
const STARVING_MS = 30_000
const STARVING_EVERY = 4

/** The Work to check, or the moment to look again. */
export type Picked = { readonly watched: WatchedWork } | { readonly laterAt: number }

/** Chooses among the watched Works. All moments are milliseconds of one monotonic clock. */
export class WorkTurns {
  readonly #works: ReadonlyMap<string, WatchedWork>
  /** New and changed Work. The newest is last and is taken first. */
  #changed: WatchedWork[] = []
  #changesSeen = -1
  /** The Works that are left to check in this pass over all Works. The next to check stands at the end. */
  #pass: WatchedWork[] = []
  #passBeganAt = Number.NEGATIVE_INFINITY
  #nextCheckAt = Number.NEGATIVE_INFINITY
  #picks = 0

  constructor(works: ReadonlyMap<string, WatchedWork>) {
    this.#works = works
  }

  /**
   * Chooses a Work, or says when to ask again.
   * @param workChanges grows with every new or changed Work
   * @param notBefore gives the earliest moment for a Work: Infinity while its check is under way, or the end of a pause after a failure
   * @param hasQuota whether the upstream names its quota
   */
  pick(workChanges: number, notBefore: (watched: WatchedWork) => number, now: number, hasQuota: boolean): Picked {
    if (workChanges !== this.#changesSeen) {
      this.#changesSeen = workChanges
      this.#changed = [...this.#works.values()].filter(isChanged).sort((a, b) => a.work.createdAt - b.work.createdAt)
    }
    const changed = this.#pickChanged(notBefore, now)
    if ("watched" in changed || this.#works.size === 0) return changed
    if (now < this.#nextCheckAt) return { laterAt: Math.min(changed.laterAt, this.#nextCheckAt) }
    this.#nextCheckAt = now + gap(this.#works.size, hasQuota)
    const next = this.#pickInPass(notBefore, now)
    return next === undefined ? { laterAt: Math.min(changed.laterAt, this.#nextCheckAt) } : { watched: next }
  }

  #pickChanged(notBefore: (watched: WatchedWork) => number, now: number): Picked {
    const starving = ++this.#picks % STARVING_EVERY === 0 ? this.#pickStarving(notBefore, now) : undefined
    if (starving !== undefined) return { watched: starving }
    let laterAt = Number.POSITIVE_INFINITY
    for (let index = this.#changed.length - 1; index >= 0; index--) {
      const watched = this.#changed[index]
      if (watched === undefined) continue
      if (!this.#isCurrent(watched) || !isChanged(watched)) {
        this.#changed.splice(index, 1)
        continue
      }
      const from = Math.max(notBefore(watched), watched.lastReadAt + CHECK_AGAIN_MS)
      if (from <= now) return { watched }
      laterAt = Math.min(laterAt, from)
    }
    return { laterAt }
  }

  #pickStarving(notBefore: (watched: WatchedWork) => number, now: number): WatchedWork | undefined {
    const starving = this.#changed.filter(
      (watched) =>
        now - watched.dueSince > STARVING_MS &&
        this.#isCurrent(watched) &&
        isChanged(watched) &&
        Math.max(notBefore(watched), watched.lastReadAt + CHECK_AGAIN_MS) <= now,
    )
    return starving.length === 0
      ? undefined
      : starving.reduce((one, other) => (other.dueSince < one.dueSince ? other : one))
  }

  /** The next Work of the pass. After the last Work a new pass begins. */
  #pickInPass(notBefore: (watched: WatchedWork) => number, now: number): WatchedWork | undefined {
    const isFew = this.#works.size <= FEW_WORKS
    if (this.#pass.length === 0) this.#passBeganAt = now
    if (this.#pass.length === 0 || isFew) {
      this.#pass = [...this.#works.values()]
        .filter((watched) => checkedAt(watched) < this.#passBeganAt)
        .sort((one, other) => rank(other, now, isFew) - rank(one, now, isFew) || checkedAt(other) - checkedAt(one))
    }
    for (let next = this.#pass.pop(); next !== undefined; next = this.#pass.pop()) {
      const isNext = this.#isCurrent(next) && !isChanged(next) && checkedAt(next) < this.#passBeganAt
      if (isNext && notBefore(next) <= now) return next
    }
    return undefined
  }

  #isCurrent(watched: WatchedWork): boolean {
    return this.#works.get(watched.work.id) === watched
  }
}

/** Whether the Work was not checked since the start, or has changed since its check. */
function isChanged(watched: WatchedWork): boolean {
  return !isChecked(watched) || watched.checkedVersion !== watched.work.version
}

const checkedAt = (watched: WatchedWork) => watched.checkedAt ?? Number.NEGATIVE_INFINITY

/** The order within a pass: late Work, then Work with waiting items, then the rest. */
function rank(watched: WatchedWork, now: number, isFew: boolean): number {
  if (isFew && now - checkedAt(watched) > PASS_LONGEST_MS) return 0
  return watched.approvals.length + watched.clarifications.length > 0 ? 1 : 2
}

function gap(works: number, hasQuota: boolean): number {
  const pass = Math.min(Math.max(works * PASS_EACH_MS, PASS_SHORTEST_MS), PASS_LONGEST_MS)
  return Math.max(pass / works, hasQuota ? GAP_WITH_QUOTA_MS : GAP_WITHOUT_QUOTA_MS)
}
