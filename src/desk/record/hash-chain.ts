/** The hash chain of the record: makes and hashes rows, appends them at its end, and reads them. `chain-verification.ts` verifies it. */
import { hash } from "node:crypto"
import * as v from "valibot"
import { canonicalJson } from "./canonical-json.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { Access } from "../people/access-file.ts"
import type { Session } from "../people/people-interface.ts"
import { type Database, type Reader, storable, type Statements } from "../store/database.ts"
import { insert, select, selectInPages, upsert } from "../store/tables.ts"
import type { AppendedRow, Linked, NewRow, Place } from "./record-rows.ts"

type Chained = Place & NewRow

/** Where a chain ends: the last row's sequence and hash. */
export type Head = { readonly sequence: number; readonly hash: string }

/** The head of an empty record. */
export const BEGINNING: Head = { sequence: 0, hash: "0".repeat(64) }

export type RecordOptions = {
  readonly database: Database
  readonly mode: "local" | "sign-in"
  /**
   * Checks in a transaction that a session has not ended and has the role for the operation, or any role. Returns the session as it is stored now.
   * Left out if sessions don't end. @throws Refused
   */
  readonly checkSession?: (transaction: Reader, session: Session, operation?: OperationId) => Promise<Session>
  /** Returns the current content of the access file. */
  readonly access: () => Access
  /** Called with the rows of each transaction, and the time until they were on the disk (left out for the rows of a command). */
  readonly onStored: (rows: readonly AppendedRow[], milliseconds?: number) => void
  /** Called for the log when the record couldn't be written or read. */
  readonly onFailed: (error: unknown) => void
  /** Called with the chain's head at the start and once an hour. Only a logged head reveals rows that were cut off at the end. */
  readonly onHead: (head: Head) => void
  /** Called after each verification of the chain, which comes at least once an hour. */
  readonly onChecked?: (verification: Verification) => void
}

/** The statements of a transaction that holds the record's lock, and `append`, which adds a row to the chain. */
export type RecordTransaction = Statements & { readonly append: (row: NewRow) => Promise<AppendedRow> }

/**
 * What `inRecord` needs to append rows. A command has no log, so it leaves `onStored` out. Its rows go into the table `unlogged_row`, and a desk
 * logs them later (`CommandRows`).
 */
export type Appender = Pick<RecordOptions, "database"> & Partial<Pick<RecordOptions, "onStored">>

/** Runs `work` in one transaction of the record. Every row of the record is appended here. @throws StoreUnavailableError */
export async function inRecord<Result>(
  { database, onStored }: Appender,
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
        // For `CommandRows`.
        if (onStored === undefined) await insert(statements, "unlogged_row", { sequence: appended.sequence })
        return appended
      },
    }),
  )
  if (stored.length > 0) onStored?.(stored, performance.now() - began)
  return result
}

async function append(statements: Statements, row: NewRow): Promise<AppendedRow> {
  const head = await readHead(statements)
  const next = { ...row, sequence: head.sequence + 1, previous: head.hash, at: new Date().toISOString() }
  const entry = canonicalJson(next)
  const hash = hashOf(entry)
  await insert(statements, "record", { sequence: next.sequence, entry, hash, ...searchColumnsOf(next) })
  await keepAttempt(statements, next)
  return { ...next, hash }
}

/** Keeps the state of an attempt in the table `attempt`, which `attemptsWith` reads. */
async function keepAttempt(statements: Statements, row: Chained): Promise<void> {
  if (row.kind === "intent") {
    const { sequence: intent, key_hash: keyHash, input_hash: inputHash } = row
    const personId = storable(row.person)
    // When rows were removed at the end of the chain, their attempts are still there, and the new rows get the same numbers.
    await upsert(
      statements,
      "attempt",
      { key: ["intent"] },
      { intent, keyHash, personId, inputHash, outcome: "unknown" },
    )
  } else if (row.kind === "outcome") {
    await statements.write("UPDATE attempt SET outcome = ? WHERE intent = ?", row.outcome, row.intent)
  }
}

/** A row's hash: the SHA-256 of its text, which holds the hash of the row before. */
export function hashOf(entry: string): string {
  return hash("sha256", entry)
}

const headRow = v.object({ sequence: v.number(), hash: v.string() })

/**
 * Reads the end of the chain. The archive empties a row's `hash` but leaves the row for searches (`record-archive.ts`), so `hash <> ''` skips
 * archived rows.
 */
export async function readHead(store: Reader): Promise<Head> {
  const sql = "SELECT sequence, hash FROM record WHERE hash <> '' ORDER BY sequence DESC LIMIT 1"
  return (await select(store, headRow, sql))[0] ?? readCheckpoint(store)
}

/** Reads the last archived row, after which the chain goes on in the store. */
export async function readCheckpoint(store: Reader): Promise<Head> {
  return (await readCheckpoints(store)).at(-1) ?? BEGINNING
}

/** The beginning of the chain, then the ends of all archives of a store, oldest first. */
export async function readCheckpoints(store: Reader): Promise<readonly Head[]> {
  return [BEGINNING, ...(await select(store, headRow, "SELECT * FROM record_checkpoint ORDER BY sequence"))]
}

/** The column `intent` of a checkpoint row. The first row of a record has the sequence 1. */
export const NO_INTENT = 0

/** The columns by which SQL searches rows. `intent` is the sequence of the intent row, for an intent row its own, and NO_INTENT for a checkpoint. */
export function searchColumnsOf(row: Linked | Chained): Omit<StoredRow, "sequence" | "entry" | "hash"> {
  const noColumns = { personId: null, operation: null, workId: null, itemId: null, keyHash: null, outcome: null }
  const at = Date.parse(row.at)
  if (row.kind === "checkpoint") return { ...noColumns, intent: NO_INTENT, at }
  const itemColumns = { workId: textOf(row.work_id), itemId: textOf(row.item_id) }
  if (row.kind === "outcome") return { ...noColumns, ...itemColumns, intent: row.intent, at, outcome: row.outcome }
  const { sequence: intent, person: personId, operation, key_hash: keyHash } = row
  return { ...noColumns, ...itemColumns, intent, at, personId: textOf(personId), operation, keyHash }
}

const textOf = (text: string | undefined) => (text === undefined ? null : storable(text))

export type Verification = {
  readonly head: Head
  readonly rows: number
  /** A sentence for each row that was changed, removed or moved. The chain is `complete` when there is no fault. */
  readonly faults: readonly string[]
}

const storedRow = v.object({
  ...headRow.entries,
  entry: v.string(),
  intent: v.number(),
  at: v.number(),
  personId: v.nullable(v.string()),
  operation: v.nullable(v.string()),
  workId: v.nullable(v.string()),
  itemId: v.nullable(v.string()),
  keyHash: v.nullable(v.string()),
  outcome: v.nullable(v.string()),
})

/** A row of the table `record`. */
export type StoredRow = Readonly<v.InferOutput<typeof storedRow>>

/** Reads the rows that were not archived, in the order of their sequence. */
export async function* readAll(store: Reader): AsyncGenerator<StoredRow> {
  const archived = await readCheckpoint(store)
  // An archive stores its checkpoint first and empties the rows afterwards, so archived rows may still have a hash. And an archive that another
  // process makes during this read empties rows after the checkpoint that was read here.
  const sql = "SELECT * FROM record WHERE sequence > ? AND hash <> '' ORDER BY sequence"
  yield* selectInPages(store, storedRow, sql, (last) => [last?.sequence ?? archived.sequence])
}
