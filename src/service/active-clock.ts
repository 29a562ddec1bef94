const TICK_MS = 250

// A longer gap between two ticks is a process that was stopped or a machine that slept.
const MOST_GAP_MS = 1000

/**
 * A clock that goes on only while the process runs. Nobody can set it back, and neither SIGSTOP nor a sleeping machine moves it by more
 * than a second.
 */
export class ActiveClock {
  #total = 0
  #last = performance.now()
  readonly #timer = setInterval(() => this.now(), TICK_MS).unref()

  /** Milliseconds since the clock was made. */
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
