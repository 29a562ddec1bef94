/** Makes the time of a refusal tell nothing: a Work that is not there takes as long as one that is concealed without a read. */
import { setTimeout as delay } from "node:timers/promises"

const SHORTEST_MS = 4
const LONGEST_MS = 500
const REMEMBERED = 32

/** How long it takes at least to say that something is not there: longer than nearly all reads that find this out. */
export class AbsencePace {
  readonly #took: number[] = []

  took(milliseconds: number): void {
    this.#took.push(milliseconds)
    if (this.#took.length > REMEMBERED) this.#took.shift()
  }

  async waitSince(startedAt: number): Promise<void> {
    const sorted = this.#took.toSorted((one, other) => one - other)
    const usual = sorted[Math.floor(sorted.length * 0.9)] ?? 0
    const least = Math.min(Math.max(Math.ceil(usual * 1.5) + 1, SHORTEST_MS), LONGEST_MS)
    const left = least - (performance.now() - startedAt)
    if (left > 0) await delay(left)
  }
}
