/** Runs one piece of work after the other, in the order in which they were added. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` after all earlier work. Returns its result. */
  add<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when all work that was added is over. */
  async finished(): Promise<void> {
    await this.#last
  }
}
