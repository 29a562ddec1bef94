/** Delays the answer 404 `not_found`, so that the time of the answer does not show whether a Work is concealed or does not exist. */
import { setTimeout as delay } from "node:timers/promises"

const SHORTEST_MS = 4
const LONGEST_MS = 5_000
const READS_REMEMBERED = 32

/**
 * The shortest time of an answer "not found". The desk may find out from memory or by a read of the upstream, and the client must not see which.
 * So the shortest time is what the slowest of the last checks with a read took.
 */
export class NotFoundDelay {
  readonly #readTimes: number[] = []

  /** Notes how long a check took that has read the upstream. */
  noteRead(milliseconds: number): void {
    this.#readTimes.push(milliseconds)
    if (this.#readTimes.length > READS_REMEMBERED) this.#readTimes.shift()
  }

  /** Waits until the shortest time is over. `startedAt` is performance.now() at the beginning of the check. */
  async waitSince(startedAt: number): Promise<void> {
    const least = Math.min(Math.max(...this.#readTimes, SHORTEST_MS) + 1, LONGEST_MS)
    const left = least - (performance.now() - startedAt)
    if (left > 0) await delay(left)
  }
}
