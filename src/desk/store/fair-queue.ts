/** Runs the work of several callers in turn, so that nobody waits for all the work of somebody else. */
import { callerKey } from "./event-loop-share.ts"

export class FairQueue {
  #freePlaces: number
  /** The waiting work of each caller, oldest first. The caller whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** How much work is waiting or running. */
  #open = 0
  readonly #whenEmpty: (() => void)[] = []

  /** `places`: how much work runs at once. */
  constructor(places: number) {
    this.#freePlaces = places
  }

  get waiting(): number {
    return this.#waiting.values().reduce((sum, { length }) => sum + length, 0)
  }

  /** Runs `work` after the earlier work of its caller, in turn with the work of others. Returns its result. */
  async add<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#open++
    if (this.#freePlaces > 0) this.#freePlaces--
    else await this.#turn()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  /** Resolves when all work that was added is over. */
  async finished(): Promise<void> {
    if (this.#open === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#whenEmpty.push(resolve)
    await promise
  }

  #turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const key = callerKey()
    const before = this.#waiting.get(key)
    if (before === undefined) this.#waiting.set(key, [resolve])
    else before.push(resolve)
    return promise
  }

  /** Passes the place to the next caller, who moves to the end of the order. */
  #leave(): void {
    this.#open--
    if (this.#open === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve()
    const [next] = this.#waiting
    if (next === undefined) return void this.#freePlaces++
    const [key, [start, ...later]] = next
    this.#waiting.delete(key)
    if (later.length > 0) this.#waiting.set(key, later)
    start?.()
  }
}
