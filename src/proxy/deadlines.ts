/** Something that may take too long. */
export type Timed = {
  /** Its index in the list of `Deadlines`; -1 when it is not in the list. */
  index: number
  /** Checks whether it has taken too long. `now` is a value of performance.now(). */
  checkTime(now: number): void
}

/**
 * Checks many requests for timeouts with one interval. Two timers for each request cost more than all guards together, because V8's
 * garbage collector copies everything that a timer refers to.
 */
export class Deadlines {
  readonly #timed: Timed[] = []
  readonly #intervalMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  add(timed: Timed): void {
    timed.index = this.#timed.length
    this.#timed.push(timed)
    this.#timer ??= setInterval(() => this.#check(), this.#intervalMs).unref()
  }

  /** Moves the last entry to the free index, so that removing costs the same for any length of the list. */
  remove(timed: Timed): void {
    if (timed.index === -1) return
    const last = this.#timed.pop()
    if (last !== undefined && last !== timed) {
      last.index = timed.index
      this.#timed[timed.index] = last
    }
    timed.index = -1
  }

  #check(): void {
    const now = performance.now()
    for (const timed of this.#timed.slice()) timed.checkTime(now)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
