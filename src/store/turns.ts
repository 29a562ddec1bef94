/** Runs one piece of work after the other, in the order in which they were asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` after all earlier work. Gives its result. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Resolves when all work that was asked for is over. */
  async finished(): Promise<void> {
    await this.#last
  }
}
