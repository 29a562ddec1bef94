/** Chooses the Work to check when no hint names a Work: first new and changed Work, beginning with the newest, then all Works in turns (a pass). */
import type { Due } from "./request-pace.ts"
import { isChecked, type WatchedWork, type WatchState } from "./watch-state.ts"

/** Up to this number of open Works, each Work is checked again within 30 s. */
const FEW_WORKS = 100
/** How long a pass takes at most, unless the least gap makes it longer. This leaves 5 of the 30 s for the reads. */
const PASS_LONGEST_MS = 25_000
const PASS_SHORTEST_MS = 10_000
/** How much each Work adds to the time of a pass. */
const PASS_EACH_MS = 250
/** The least time between two checks of a pass, when the upstream names its quota and when it does not. */
const GAP_WITH_QUOTA_MS = 50
const GAP_WITHOUT_QUOTA_MS = 200

/** Every fourth choice is the new or changed Work that has waited longest, if longer than this. Else a stream of newer Work would delay it for ever. */
const STARVING_MS = 30_000
const STARVING_EVERY = 4

/** Chooses among the watched Works. All moments are milliseconds of one monotonic clock. */
export class WorkTurns {
  readonly #state: WatchState
  /** The earliest moment for a check of a Work. */
  readonly #mayBeginAt: (watched: WatchedWork) => number
  /** New and changed Work. The newest is last and is taken first. */
  #changed: WatchedWork[] = []
  /** `workChanges` of the state when `#changed` was made. */
  #changesSeen = -1
  /** The Works that are left to check in this pass over all Works. The next to check stands at the end. */
  #pass: WatchedWork[] = []
  #passBeganAt = Number.NEGATIVE_INFINITY
  #nextCheckAt = Number.NEGATIVE_INFINITY
  #choices = 0

  constructor(state: WatchState, mayBeginAt: (watched: WatchedWork) => number) {
    this.#state = state
    this.#mayBeginAt = mayBeginAt
  }

  /** Begins a new pass, when the watcher begins again. */
  reset(): void {
    this.#pass = []
    this.#nextCheckAt = Number.NEGATIVE_INFINITY
  }

  /** The Work to check. `hasQuota`: whether the upstream names its quota. */
  next(now: number, hasQuota: boolean): Due<WatchedWork> {
    const { works, workChanges } = this.#state
    if (workChanges !== this.#changesSeen) {
      this.#changesSeen = workChanges
      this.#changed = [...works.values()].filter(isChanged).sort((a, b) => a.work.createdAt - b.work.createdAt)
    }
    const changed = this.#nextChanged(now)
    if ("due" in changed || works.size === 0) return changed
    if (now >= this.#nextCheckAt) {
      this.#nextCheckAt = now + gap(works.size, hasQuota)
      const watched = this.#nextOfPass(now)
      if (watched !== undefined) return { due: watched }
    }
    return { wakeAt: Math.min(changed.wakeAt, this.#nextCheckAt) }
  }

  #nextChanged(now: number): Due<WatchedWork> {
    const starving = ++this.#choices % STARVING_EVERY === 0 ? this.#starving(now) : undefined
    if (starving !== undefined) return { due: starving }
    let wakeAt = Number.POSITIVE_INFINITY
    for (let index = this.#changed.length - 1; index >= 0; index--) {
      const watched = this.#changed[index]
      if (watched === undefined) continue
      if (!this.#isCurrent(watched) || !isChanged(watched)) {
        this.#changed.splice(index, 1)
        continue
      }
      const from = this.#mayBeginAt(watched)
      if (from <= now) return { due: watched }
      wakeAt = Math.min(wakeAt, from)
    }
    return { wakeAt }
  }

  #starving(now: number): WatchedWork | undefined {
    const isStarving = (watched: WatchedWork) =>
      now - watched.dueSince > STARVING_MS && this.#mayBeginAt(watched) <= now
    return this.#changed
      .filter((watched) => this.#isCurrent(watched) && isChanged(watched) && isStarving(watched))
      .sort((one, other) => one.dueSince - other.dueSince)[0]
  }

  /** The next Work of the pass. After the last Work a new pass begins. */
  #nextOfPass(now: number): WatchedWork | undefined {
    const { works } = this.#state
    const isFew = works.size <= FEW_WORKS
    const isOver = this.#pass.length === 0
    if (isOver) this.#passBeganAt = now
    // Few Works are sorted again at each choice, so that late Work and new items come first at once.
    if (isOver || isFew) {
      this.#pass = [...works.values()]
        .filter((watched) => checkedAt(watched) < this.#passBeganAt)
        .sort((one, other) => rank(other, now, isFew) - rank(one, now, isFew) || checkedAt(other) - checkedAt(one))
    }
    for (let next = this.#pass.pop(); next !== undefined; next = this.#pass.pop()) {
      const isNext = this.#isCurrent(next) && !isChanged(next) && checkedAt(next) < this.#passBeganAt
      if (isNext && this.#mayBeginAt(next) <= now) return next
    }
    return undefined
  }

  /** Whether the Work is still watched, as this object: a Work that went and came back is another object. */
  #isCurrent(watched: WatchedWork): boolean {
    return this.#state.works.get(watched.work.id) === watched
  }
}

/** Whether the Work was not checked since the start, or has changed since its check. */
function isChanged(watched: WatchedWork): boolean {
  return !isChecked(watched) || watched.checkedVersion !== watched.work.version
}

const checkedAt = (watched: WatchedWork) => watched.checkedAt ?? Number.NEGATIVE_INFINITY

/** The order within a pass: 0 late Work (of few Works), 1 Work with waiting items, 2 the rest. */
function rank(watched: WatchedWork, now: number, isFew: boolean): number {
  if (isFew && now - checkedAt(watched) > PASS_LONGEST_MS) return 0
  return watched.approvals.length + watched.clarifications.length > 0 ? 1 : 2
}

/** The time between two checks of a pass, in milliseconds. */
function gap(works: number, hasQuota: boolean): number {
  const pass = Math.min(Math.max(works * PASS_EACH_MS, PASS_SHORTEST_MS), PASS_LONGEST_MS)
  return Math.max(pass / works, hasQuota ? GAP_WITH_QUOTA_MS : GAP_WITHOUT_QUOTA_MS)
}
