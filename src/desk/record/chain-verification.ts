/** Verifies the hash chain of the record from its beginning, or from the end of its archive. */
import type { Reader } from "../store/database.ts"
import {
  BEGINNING,
  copiesOf,
  hashOf,
  type Head,
  NO_INTENT,
  readAll,
  readCheckpoint,
  type StoredRow,
  type Verification,
} from "./hash-chain.ts"
import { readLinked } from "./record-rows.ts"

/** No more than about this many faults are collected, because somebody may have edited every row. */
export const FAULTS_MAX = 100

/**
 * Verifies the chain from its first row, or from the end of its archive, to its last row. A row must name the end of the archive, so that a
 * checkpoint which no archive has made is a fault. Rows that were removed at the end show only beside `logged`, a head from the log.
 */
export async function verify(database: Reader, logged?: Head): Promise<Verification> {
  const faults: string[] = []
  let checkpoint = await readCheckpoint(database)
  let head = checkpoint
  let isNamed = checkpoint.sequence === BEGINNING.sequence
  let rows = 0
  if (logged?.sequence === head.sequence && logged.hash !== head.hash) {
    faults.push(`Row ${head.sequence} differs from the row in the log.`)
  }
  for await (const row of readAll(database)) {
    const { sequence } = row
    if (sequence > head.sequence + 1) {
      // The missing rows may have been archived during this verification. Then the newest checkpoint stands for them.
      const archived = await readCheckpoint(database)
      if (archived.sequence >= sequence - 1) checkpoint = head = archived
    }
    if (sequence <= head.sequence) continue
    if (faults.length < FAULTS_MAX) faults.push(...faultsOf(row, head))
    head = { sequence, hash: row.hash }
    if (sequence === logged?.sequence && head.hash !== logged.hash) {
      faults.push(`Row ${sequence} differs from the row in the log.`)
    }
    isNamed ||= namesCheckpoint(row, checkpoint)
    rows++
  }
  if (!isNamed) faults.push(`No row confirms that the rows up to ${checkpoint.sequence} were archived.`)
  if (logged !== undefined && head.sequence < logged.sequence) {
    faults.push(
      `${formatMissing(head.sequence + 1, logged.sequence).slice(0, -1)}: the log has row ${logged.sequence}.`,
    )
  }
  return { head, rows, faults }
}

/** Whether a row was appended by the archive that ends at `checkpoint`. */
function namesCheckpoint(stored: StoredRow, { sequence, hash }: Head): boolean {
  if (stored.intent !== NO_INTENT) return false
  const row = readLinked(stored.entry)
  return row?.kind === "checkpoint" && row.archived.sequence === sequence && row.archived.hash === hash
}

/** The faults of a stored row that should follow `head`. */
export function faultsOf(stored: StoredRow, head: Head): readonly string[] {
  const { sequence, entry } = stored
  const missing = sequence > head.sequence + 1 ? [formatMissing(head.sequence + 1, sequence - 1)] : []
  const row = readLinked(entry)
  if (row === undefined || hashOf(entry) !== stored.hash) return [...missing, `Row ${sequence} was changed.`]
  if (row.sequence !== sequence) return [...missing, `Row ${row.sequence} was moved: it is now row ${sequence}.`]
  if (Object.entries(copiesOf(row)).some(([name, copy]) => copy !== Reflect.get(stored, name))) {
    return [...missing, `The search columns of row ${sequence} were changed.`]
  }
  if (missing.length > 0) return missing
  return row.previous === head.hash
    ? []
    : [`Row ${sequence} doesn't follow row ${head.sequence}: one of the two was changed.`]
}

function formatMissing(first: number, last: number): string {
  return first === last ? `Row ${first} was removed.` : `Rows ${first} to ${last} were removed.`
}
