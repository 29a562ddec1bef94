const TICK_MS = 250

// A longer gap between two ticks means that the process was stopped, or that the machine slept.
const MOST_GAP_MS = 1000

/**
 * A monotonic clock that counts only the time in which the process runs. A process that is stopped (SIGSTOP) and a machine that sleeps
 * add at most a second.
 */
export class ActiveClock {
  #total = 0
  #last = performance.now()
  readonly #timer = setInterval(() => this.now(), TICK_MS).unref()

  /** Milliseconds of running time since the clock was constructed. */
  now(): number {
    const now = performance.now()
    this.#total += Math.min(now - this.#last, MOST_GAP_MS)
    this.#last = now
    return this.#total
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
