/** Finds the rows that a command has appended to the record, and logs them: a command has no log. */
import { inBackground } from "../../platform/background.ts"
import { StoreUnavailableError } from "../store/database.ts"
import type { RecordOptions } from "./hash-chain.ts"
import { type AppendedRow, readRow } from "./record-rows.ts"

const LOOK_MS = 2_000

/** Of all desks of a store, one logs a row. If a process ends at the wrong moment, a row may be logged twice, but it is always logged. */
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

/** Empty for the rest of an archived row, because the archive's file has the whole row. */
function toAppended(entry: string, hash: string): readonly AppendedRow[] {
  const row = readRow(entry)
  return row === undefined ? [] : [{ ...row, hash }]
}
