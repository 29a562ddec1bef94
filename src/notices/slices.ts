/** Lets other work run while a long loop goes on. */
import { setImmediate as nextTurn } from "node:timers/promises"

const SLICE_MS = 8

/** In a long loop: `if (slices.isOver) await slices.next()`. */
export class Slices {
  #began = performance.now()

  /** Whether the loop has run for 8 ms since it last let other work run. */
  get isOver(): boolean {
    return performance.now() - this.#began >= SLICE_MS
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
