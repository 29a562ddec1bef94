/** What `npm run record` does: it follows the chain, or writes every row. */
import type { Database } from "../store/database.ts"
import { readAll, verify } from "./chain.ts"
import type { Head } from "./rows.ts"

/** Says in lines whether the chain is complete; `isComplete` is the exit status. */
export async function reportChain(
  database: Pick<Database, "read">,
  logged?: Head,
): Promise<{ readonly isComplete: boolean; readonly lines: readonly string[] }> {
  const { head, rows, faults } = await verify(database, logged)
  const end = `Last row: ${head.sequence}, hash ${head.hash}`
  if (faults.length === 0) return { isComplete: true, lines: [`The record is complete: ${rows} rows.`, end] }
  return { isComplete: false, lines: [...faults, `The record is not complete: ${rows} rows.`, end] }
}

/**
 * All rows, oldest first, as JSON Lines: each row as it is stored, with its hash before its other members. Without that member a line is
 * the text whose SHA-256 the hash is.
 */
export async function* exportRows(database: Pick<Database, "read">): AsyncGenerator<string> {
  for await (const row of readAll(database)) {
    yield `{"hash":${JSON.stringify(row["hash"])},${String(row["entry"]).slice(1)}\n`
  }
}
