/** What may come too late. */
export type Timed = {
  /** Where it stands among the others; -1 when it is not waited for. */
  place: number
  /** Looks whether it is too late, at `now` of performance.now(). */
  look(now: number): void
}

/**
 * Waits for many things at once by looking at each now and then: two timers a request would cost more than all its guards, for V8
 * carries what timers hold through its young generation's collections.
 */
export class Deadlines {
  readonly #timed: Timed[] = []
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(timed: Timed): void {
    timed.place = this.#timed.length
    this.#timed.push(timed)
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref()
  }

  /** The last one takes the place of the one that goes. */
  remove(timed: Timed): void {
    if (timed.place === -1) return
    const last = this.#timed.pop()
    if (last !== undefined && last !== timed) {
      last.place = timed.place
      this.#timed[timed.place] = last
    }
    timed.place = -1
  }

  #look(): void {
    const now = performance.now()
    for (const timed of this.#timed.slice()) timed.look(now)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
