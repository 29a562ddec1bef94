const TICK_MS = 250

// A longer gap between two ticks means that the process was stopped, or that the machine slept.
const MOST_GAP_MS = 1000

/**
 * A monotonic clock that counts only the time in which the process runs. A process that is stopped (SIGSTOP) and a machine that sleeps
 * add at most a second.
 */
export class ActiveClock {
  #total = 0
  readonly #time: () => number
  #last: number
  readonly #timer = setInterval(() => this.now(), TICK_MS).unref()

  /** `time` is a monotonic clock in milliseconds, which may also count the time of a machine that sleeps. */
  constructor(time: () => number = () => performance.now()) {
    this.#time = time
    this.#last = time()
  }

  /** Milliseconds of running time since the clock was constructed. */
  now(): number {
    const now = this.#time()
    this.#total += Math.min(now - this.#last, MOST_GAP_MS)
    this.#last = now
    return this.#total
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
