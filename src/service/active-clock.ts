const TICK_MS = 250

// A longer gap between two ticks means that the process was stopped, or that the machine slept.
const GAP_MAX_MS = 1000

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
    this.#total += Math.min(now - this.#last, GAP_MAX_MS)
    this.#last = now
    return this.#total
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

/** Counts the time of a clock between `start` and `stop`. A new stopwatch runs. */
export class Stopwatch {
  readonly #clock: ActiveClock
  #counted = 0
  #since: number | undefined

  constructor(clock: ActiveClock) {
    this.#clock = clock
    this.start()
  }

  get isRunning(): boolean {
    return this.#since !== undefined
  }

  start(): void {
    this.#since ??= this.#clock.now()
  }

  stop(): void {
    this.#counted = this.read()
    this.#since = undefined
  }

  /** The milliseconds since the last `take`. */
  read(): number {
    return this.#counted + (this.#since === undefined ? 0 : this.#clock.now() - this.#since)
  }

  /** Gives the milliseconds since the last `take`, and counts from 0 again. */
  take(): number {
    const counted = this.read()
    this.#counted = 0
    if (this.isRunning) this.#since = this.#clock.now()
    return counted
  }
}
