import type { Database, Statements } from "../store/database.ts"
import { append } from "./hash-chain.ts"
import type { AppendedRow, IntentRow, OutcomeRow } from "./rows.ts"

export type RecordStore = {
  readonly database: Database
  /** Called with the rows of each transaction, and the time until they were on the disk. */
  readonly onStored: (rows: readonly AppendedRow[], milliseconds: number) => void
}

/** The statements of a transaction that holds the record's lock, and `append`, which adds a row to the chain. */
export type RecordTransaction = Statements & { readonly append: (row: IntentRow | OutcomeRow) => Promise<AppendedRow> }

/** Runs `work` in one transaction of the record. @throws StoreUnavailableError */
export async function inRecord<Result>(
  { database, onStored }: RecordStore,
  work: (transaction: RecordTransaction) => Promise<Result>,
): Promise<Result> {
  const began = performance.now()
  const stored: AppendedRow[] = []
  const result = await database.transaction("record", (statements) =>
    work({
      ...statements,
      async append(row) {
        const appended = await append(statements, row)
        stored.push(appended)
        return appended
      },
    }),
  )
  if (stored.length > 0) onStored(stored, performance.now() - began)
  return result
}
