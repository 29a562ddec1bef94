/** What `npm run record` does: verifies the chain, or exports every row. */
import type { Reader } from "../store/database.ts"
import { type Head, readAll, verify } from "./hash-chain.ts"

/** Says in lines whether the chain is complete. `logged` is a head from the log. */
export async function reportChain(
  database: Reader,
  logged?: Head,
): Promise<{ readonly isComplete: boolean; readonly lines: readonly string[] }> {
  const { head, rows, faults } = await verify(database, logged)
  const end = `Last row: ${head.sequence}, hash ${head.hash}`
  if (faults.length === 0) return { isComplete: true, lines: [`The record is complete: ${rows} rows.`, end] }
  return { isComplete: false, lines: [...faults, `The record is not complete: ${rows} rows.`, end] }
}

/**
 * Gives all rows as JSON Lines, oldest first. Each line is the stored row with its hash as the first member. The hash is the SHA-256 of the
 * line without that member.
 */
export async function* exportRows(database: Reader): AsyncGenerator<string> {
  for await (const row of readAll(database)) {
    yield `{"hash":${JSON.stringify(row["hash"])},${String(row["entry"]).slice(1)}\n`
  }
}
