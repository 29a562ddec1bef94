/** Delays the answer that something is not there, so that the time of the answer does not show what is concealed. */
import { setTimeout as delay } from "node:timers/promises"

const SHORTEST_MS = 4
const LONGEST_MS = 500
const READS_REMEMBERED = 32
const USUAL_SHARE = 0.9
const USUAL_FACTOR = 1.5

/**
 * The shortest time of an answer that something is not there: one and a half times what nine of ten of the last checks with a read took. So the
 * time does not show whether the desk has read.
 */
export class AbsencePace {
  readonly #took: number[] = []

  /** Notes how long a check took that has read the upstream. */
  took(milliseconds: number): void {
    this.#took.push(milliseconds)
    if (this.#took.length > READS_REMEMBERED) this.#took.shift()
  }

  /** Waits until the shortest time is over. `startedAt` is performance.now() at the beginning of the check. */
  async waitSince(startedAt: number): Promise<void> {
    const sorted = this.#took.toSorted((one, other) => one - other)
    const usual = sorted[Math.floor(sorted.length * USUAL_SHARE)] ?? 0
    const least = Math.min(Math.max(Math.ceil(usual * USUAL_FACTOR) + 1, SHORTEST_MS), LONGEST_MS)
    const left = least - (performance.now() - startedAt)
    if (left > 0) await delay(left)
  }
}
