import type { Row } from "../../store/database.ts"

/** Rows of the store with a copy in memory, which is read when the first person asks and again when a desk has changed the rows. */
export abstract class CopiedRows {
  #loading: Promise<void> | undefined
  #seen = "[]"
  /** The number of the last read that began, and of the last one that was taken in. */
  #reads = 0
  #taken = 0

  protected abstract read(): Promise<readonly Row[]>

  /** Gets the rows when they differ from those before. */
  protected abstract take(rows: readonly Row[]): void

  /** Reads the rows once. @throws StoreUnavailableError */
  load(): Promise<void> {
    this.#loading ??= this.refresh().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  /** Takes in what this desk or another one has stored. @throws StoreUnavailableError */
  async refresh(): Promise<void> {
    const number = ++this.#reads
    const rows = await this.read()
    // A read that began later may have ended before.
    if (number < this.#taken) return
    this.#taken = number
    const seen = JSON.stringify(rows)
    if (seen === this.#seen) return
    this.#seen = seen
    this.take(rows)
  }
}

/** The key of an item in a copy. */
export const itemKey = (workId: string, itemId: string) => JSON.stringify([workId, itemId])
