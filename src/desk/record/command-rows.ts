/** Finds the rows that a command has appended to the record, which has no log of its own, so that a desk logs them. */
import { inBackground } from "../../platform/background.ts"
import { StoreUnavailableError } from "../store/database.ts"
import type { RecordOptions } from "./hash-chain.ts"
import { type AppendedRow, readRow } from "./record-rows.ts"

const LOOK_MS = 2_000

/** Of all desks of a store, one logs a row. After the end of a process at a bad moment a row may be logged twice, never not at all. */
export class CommandRows {
  readonly #options: Pick<RecordOptions, "database" | "onStored" | "onFailed">
  readonly #timer: NodeJS.Timeout

  constructor(options: Pick<RecordOptions, "database" | "onStored" | "onFailed">) {
    this.#options = options
    const look = () => inBackground(() => this.#look())
    this.#timer = setInterval(look, LOOK_MS).unref()
    look()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #look(): Promise<void> {
    const { database, onStored, onFailed } = this.#options
    try {
      if ((await database.read("SELECT sequence FROM unlogged_row LIMIT 1")).length === 0) return
      await database.transaction("record", async ({ read, write }) => {
        const rows = await read(
          `SELECT entry, hash FROM unlogged_row JOIN record ON record.sequence = unlogged_row.sequence ORDER BY record.sequence`,
        )
        onStored(rows.flatMap(({ entry, hash }) => toAppended(String(entry), String(hash))))
        await write("DELETE FROM unlogged_row")
      })
    } catch (error) {
      // While the store is away the rows wait.
      if (!(error instanceof StoreUnavailableError)) onFailed(error)
    }
  }
}

/** None for what is left of an archived row: the archive's file has the whole row. */
function toAppended(entry: string, hash: string): readonly AppendedRow[] {
  const row = readRow(entry)
  return row === undefined ? [] : [{ ...row, hash }]
}
