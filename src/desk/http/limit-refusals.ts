/**
 * Sends the refusals of limits, one at each turn of the event loop. Somebody who sends far too many requests gets slow answers, and the requests of
 * others are handled between them.
 */

/** More refusals do not wait: each one that waits keeps its request in memory. */
const WAITING_MAX = 1_000

export class LimitRefusals {
  readonly #waiting: (() => void)[] = []

  /** Calls `send` after the refusals that wait already. */
  add(send: () => void): void {
    if (this.#waiting.length >= WAITING_MAX) return send()
    if (this.#waiting.push(send) === 1) setImmediate(() => this.#sendNext())
  }

  #sendNext(): void {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(() => this.#sendNext())
  }
}
