/** Verifies the hash chain of the record from its beginning, or from the end of its archive. */
import type { Reader } from "../store/database.ts"
import {
  BEGINNING,
  hashOf,
  type Head,
  NO_INTENT,
  readAll,
  readCheckpoint,
  searchColumnsOf,
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
  let checkpoint = await readCheckpoint(database)
  let head = checkpoint
  let isCheckpointNamed = checkpoint.sequence === BEGINNING.sequence
  let rows = 0
  const faults: string[] = faultBesideLog(head, logged)
  for await (const row of readAll(database)) {
    if (row.sequence > head.sequence + 1) {
      // The missing rows may have been archived during this verification. Then the newest checkpoint replaces them.
      const newest = await readCheckpoint(database)
      if (newest.sequence >= row.sequence - 1) checkpoint = head = newest
    }
    if (row.sequence <= head.sequence) continue
    if (faults.length < FAULTS_MAX) faults.push(...faultsOf(row, head))
    head = { sequence: row.sequence, hash: row.hash }
    faults.push(...faultBesideLog(head, logged))
    isCheckpointNamed ||= namesCheckpoint(row, checkpoint)
    rows++
  }
  if (!isCheckpointNamed) faults.push(`No row confirms that the rows up to ${checkpoint.sequence} were archived.`)
  if (logged !== undefined && head.sequence < logged.sequence) {
    faults.push(`${formatMissing(head.sequence + 1, logged.sequence)}: the log has row ${logged.sequence}.`)
  }
  return { head, rows, faults }
}

function faultBesideLog({ sequence, hash }: Head, logged: Head | undefined): string[] {
  const differs = sequence === logged?.sequence && hash !== logged.hash
  return differs ? [`Row ${sequence} differs from the row in the log.`] : []
}

/** Whether a row was appended by the archive that ends at `checkpoint`. */
function namesCheckpoint(stored: StoredRow, { sequence, hash }: Head): boolean {
  if (stored.intent !== NO_INTENT) return false
  const row = readLinked(stored.entry)
  return row?.kind === "checkpoint" && row.archived.sequence === sequence && row.archived.hash === hash
}

/** The faults of a stored row that should follow `head`. */
export function faultsOf(stored: StoredRow, head: Head): readonly string[] {
  const { sequence, entry, hash } = stored
  const missing = sequence > head.sequence + 1 ? [`${formatMissing(head.sequence + 1, sequence - 1)}.`] : []
  const row = readLinked(entry)
  if (row === undefined || hashOf(entry) !== hash) return [...missing, `Row ${sequence} was changed.`]
  if (row.sequence !== sequence) return [...missing, `Row ${row.sequence} was moved: it is now row ${sequence}.`]
  const wasColumnChanged = Object.entries(searchColumnsOf(row)).some(
    ([name, copy]) => copy !== Reflect.get(stored, name),
  )
  if (wasColumnChanged) return [...missing, `The search columns of row ${sequence} were changed.`]
  const follows = missing.length > 0 || row.previous === head.hash
  return follows ? missing : [`Row ${sequence} doesn't follow row ${head.sequence}: one of the two was changed.`]
}

function formatMissing(first: number, last: number): string {
  return first === last ? `Row ${first} was removed` : `Rows ${first} to ${last} were removed`
}
