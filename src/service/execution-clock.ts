/** Counts the execution time of each Work that is working and has a limit. Each tick adds the time since the last tick. */

const TICK_MS = 250

// What a tick adds at most: a longer gap means that the process was stopped (SIGSTOP), or that the machine slept.
const GAP_MAX_MS = 1000

type Execution = { executedMs: number; readonly limitMs: number; isRunning: boolean }

export class ExecutionClock {
  readonly #works = new Map<string, Execution>()
  readonly #time: () => number
  #lastAt: number
  readonly #timer: NodeJS.Timeout

  /** Calls `onUsedUp` for each Work whose limit is used up, at each tick until the Work is not counted. `time` is a monotonic clock. */
  constructor(onUsedUp: (workId: string) => void, time: () => number = () => performance.now()) {
    this.#time = time
    this.#lastAt = time()
    this.#timer = setInterval(() => {
      this.#tick()
      for (const [id, work] of this.#works) if (work.executedMs >= work.limitMs) onUsedUp(id)
    }, TICK_MS).unref()
  }

  /** Counts a Work from now on, unless it is counted already. `executedMs` is what it has used before. */
  begin(workId: string, executedMs: number, limitMs: number): void {
    this.#tick()
    if (!this.#works.has(workId)) this.#works.set(workId, { executedMs, limitMs, isRunning: true })
  }

  end(workId: string): void {
    this.#works.delete(workId)
  }

  /** Lets the time of a Work stand still or go on. */
  setRunning(workId: string, isRunning: boolean): void {
    this.#tick()
    const work = this.#works.get(workId)
    if (work !== undefined) work.isRunning = isRunning
  }

  /** All execution time of a Work up to now, in milliseconds. Undefined: the Work is not counted. */
  executedMs(workId: string): number | undefined {
    this.#tick()
    return this.#works.get(workId)?.executedMs
  }

  workIds(): Iterable<string> {
    return this.#works.keys()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const now = this.#time()
    const passed = Math.min(now - this.#lastAt, GAP_MAX_MS)
    this.#lastAt = now
    for (const work of this.#works.values()) if (work.isRunning) work.executedMs += passed
  }
}
