/** The hash chain of the record: makes and hashes rows, appends them at its end, and verifies it from its beginning. */
import { hash } from "node:crypto"
import * as v from "valibot"
import { canonicalJson } from "./canonical-json.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { Access } from "../people/access-file.ts"
import type { Session } from "../people/people-interface.ts"
import { type Database, type Reader, storable, type Statements } from "../store/database.ts"
import { insert, select, selectInPages, upsert } from "../store/tables.ts"
import { type AppendedRow, type NewRow, personId, type Place, place } from "./record-rows.ts"

type Chained = Place & NewRow

/** Where a chain ends: the last row's sequence and hash. */
export type Head = { readonly sequence: number; readonly hash: string }

/** The head of an empty record. */
export const BEGINNING: Head = { sequence: 0, hash: "0".repeat(64) }

export type RecordOptions = {
  readonly database: Database
  readonly mode: "local" | "sign-in"
  /**
   * Checks that a session has not ended and has the role for an operation; without an operation: any role. Called in the transaction that stores
   * an intent. Left out where no session ends.
   * @throws Refused
   */
  readonly checkSession?: (transaction: Reader, session: Session, operation?: OperationId) => Promise<void>
  /** Returns the current content of the access file. */
  readonly access: () => Access
  /** Called with the rows of each transaction, and the time until they were on the disk. That is left out for the rows of a command. */
  readonly onStored: (rows: readonly AppendedRow[], milliseconds?: number) => void
  /** Called for the log when the record couldn't be written or read. */
  readonly onFailed: (error: unknown) => void
  /** Called with the chain's head at the start and once an hour. Rows that are cut off at the end show only against a logged head. */
  readonly onHead: (head: Head) => void
  /** Called after each verification of the chain, which comes at least once an hour. */
  readonly onChecked?: (verification: Verification) => void
}

/** The statements of a transaction that holds the record's lock, and `append`, which adds a row to the chain. */
export type RecordTransaction = Statements & { readonly append: (row: NewRow) => Promise<AppendedRow> }

/** What appends rows. A command has no log, so it leaves `onStored` out, and a desk logs its rows (`CommandRows`). */
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
  await insert(statements, "record", { sequence: next.sequence, entry, hash, ...copiesOf(next) })
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

/** Reads the end of the chain. What is left of an archived row has no hash (`record-archive.ts`). */
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

/**
 * The columns that copy members of the row, so that SQL can search by them. The column `intent` has the sequence of the intent row: of an intent
 * row, its own sequence; of a checkpoint row, none (`NO_INTENT`).
 */
function copiesOf(row: Linked | Chained): Omit<StoredRow, "sequence" | "entry" | "hash"> {
  const none = { personId: null, operation: null, workId: null, itemId: null, keyHash: null, outcome: null }
  const at = Date.parse(row.at)
  if (row.kind === "checkpoint") return { ...none, intent: NO_INTENT, at }
  const about = { workId: textOf(row.work_id), itemId: textOf(row.item_id) }
  if (row.kind === "outcome") return { ...none, ...about, intent: row.intent, at, outcome: row.outcome }
  const { sequence: intent, person: personId, operation, key_hash: keyHash } = row
  return { ...none, ...about, intent, at, personId: textOf(personId), operation, keyHash }
}

const textOf = (text: string | undefined) => (text === undefined ? null : storable(text))

/** In the column `intent` of a checkpoint row. The first row of a record has the sequence 1. */
const NO_INTENT = 0

const about = { work_id: v.exactOptional(v.string()), item_id: v.exactOptional(v.string()) }

/** The members of a row that the verification needs. Measured: reading them takes a fifth of the time of reading the whole row. */
const linked = v.variant("kind", [
  v.object({
    ...place,
    ...about,
    kind: v.literal("intent"),
    person: personId,
    operation: v.string(),
    key_hash: v.string(),
  }),
  v.object({ ...place, ...about, kind: v.literal("outcome"), intent: v.number(), outcome: v.string() }),
  v.object({
    ...place,
    kind: v.literal("checkpoint"),
    archived: v.object({ sequence: v.number(), hash: v.string() }),
  }),
])

type Linked = v.InferOutput<typeof linked>

function readLinked(entry: string): Linked | undefined {
  try {
    const found = v.safeParse(linked, JSON.parse(entry))
    return found.success ? found.output : undefined
  } catch {
    return undefined
  }
}

export type Verification = {
  readonly head: Head
  readonly rows: number
  /** A sentence for each row that was changed, removed or moved. The chain is `complete` when there is no fault. */
  readonly faults: readonly string[]
}

/** After about so many faults no more are collected, because somebody may have edited every row. */
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
  if (!isNamed) faults.push(`No row says that the rows up to ${checkpoint.sequence} were archived.`)
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
  const sql = "SELECT * FROM record WHERE sequence > ? AND hash <> '' ORDER BY sequence"
  yield* selectInPages(store, storedRow, sql, (last) => [last?.sequence ?? archived.sequence])
}

/** The faults of a stored row that should follow `head`. */
export function faultsOf(stored: StoredRow, head: Head): readonly string[] {
  const { sequence, entry } = stored
  const missing = sequence > head.sequence + 1 ? [formatMissing(head.sequence + 1, sequence - 1)] : []
  const row = readLinked(entry)
  if (row === undefined || hashOf(entry) !== stored.hash) return [...missing, `Row ${sequence} was changed.`]
  if (row.sequence !== sequence) return [...missing, `Row ${row.sequence} was moved: it is now row ${sequence}.`]
  if (Object.entries(copiesOf(row)).some(([name, copy]) => copy !== Reflect.get(stored, name))) {
    return [...missing, `Row ${sequence} was changed in its search columns.`]
  }
  if (missing.length > 0) return missing
  return row.previous === head.hash
    ? []
    : [`Row ${sequence} doesn't follow row ${head.sequence}: one of the two was changed.`]
}

function formatMissing(first: number, last: number): string {
  return first === last ? `Row ${first} was removed.` : `Rows ${first} to ${last} were removed.`
}
