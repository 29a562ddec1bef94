/** Lets other requests run during long work on the event loop. */

/** How long one piece of work may keep the event loop. A pass of the loop may run two turns: one that a timer begins, and one that goes on. */
const TURN_MS = 8

/** The pieces of work that wait for their next turn. Each pass of the event loop runs one, however many there are. */
const waiting: (() => void)[] = []

/** The turns of one piece of work: `if (turns.isOver()) await turns.next()` in its loop. */
export class Turns {
  #beganAt = performance.now()

  isOver(): boolean {
    return performance.now() - this.#beganAt > TURN_MS
  }

  /** Waits until the event loop has run what else is due. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(runNext)
    })
    this.#beganAt = performance.now()
  }
}

function runNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(runNext)
}
