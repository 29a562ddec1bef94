/** What `npm run record` does, except `archive`: verifies the chain or a file, or exports every row. */
import type { Reader } from "../store/database.ts"
import { readCheckpoints, toLine, verifyFile } from "./archive.ts"
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
  for await (const row of readAll(database)) yield toLine(row)
}

/** Says in lines whether a file is an archive of this record. */
export async function reportFile(
  database: Reader,
  file: string,
): Promise<{ readonly isComplete: boolean; readonly lines: readonly string[] }> {
  const { rows, faults } = await verifyFile(file, await readCheckpoints(database))
  if (faults.length === 0) return { isComplete: true, lines: [`The archive is complete: ${rows} rows.`] }
  return { isComplete: false, lines: [...faults, `The archive is not complete: ${rows} rows.`] }
}
