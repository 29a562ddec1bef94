/**
 * The archive of the record: the oldest rows go to a file, and a checkpoint stands for them. The store keeps what later checks need: who
 * created and decided Work (`work_person`), and what was sent under each key (`archived_key`).
 */
import { createReadStream } from "node:fs"
import { open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { pipeline } from "node:stream/promises"
import * as v from "valibot"
import { parseObject } from "../http/json-object.ts"
import type { Database, Reader, Row } from "../store/database.ts"
import { NEWEST_OUTCOME } from "./attempt-state.ts"
import {
  appendCheckpoint,
  BEGINNING,
  FAULTS_MAX,
  faultsOf,
  hashOf,
  type Head,
  readAll,
  readCheckpoint,
  readHead,
  toHead,
} from "./hash-chain.ts"
import { place } from "./rows.ts"
import { keepRecordedDeeds } from "./work-people.ts"

/** Why nothing was archived. The message is a sentence for the administrator. */
export class ArchiveError extends Error {}

/** How long an intent without an outcome is not archived: its request may be under way, or its outcome may wait for the store. */
const OPEN_INTENT_KEPT_MS = 86_400_000

/** With eight values each, well below the 32,766 values that a statement of SQLite may have. */
const INTENTS_PER_STATEMENT = 500
/** So many bytes wait for the file at most, so that a long archive needs neither many writes nor much memory. */
const BUFFERED_BYTES = 262_144

/** A row as a line of an export or an archive: its hash, then the members that are hashed. */
export function toLine(row: Row): string {
  return `{"hash":${JSON.stringify(row["hash"])},${String(row["entry"]).slice(1)}\n`
}

/**
 * Writes the longest beginning of the chain whose rows are older than `before` (milliseconds since 1970) to a new file, and puts a checkpoint
 * in its place. A process that is killed at any moment leaves either all rows in the store, or the checkpoint.
 * @returns the first and the last archived row; undefined when no row is old enough
 * @throws ArchiveError when the file exists or the chain is not complete: then nothing has changed
 */
export async function archiveRows(
  database: Database,
  file: string,
  before: number,
): Promise<{ readonly first: number; readonly last: Head } | undefined> {
  const checkpoint = await readCheckpoint(database)
  const end = await findEnd(database, before)
  const [old] = await database.read("SELECT sequence FROM record WHERE sequence <= ? AND intent > 0 LIMIT 1", end)
  // The row that names the last archive is no reason for another one.
  if (old === undefined) return undefined
  const last = await writeRows(database, file, checkpoint, end)
  const check = await verifyFile(file, [checkpoint, last])
  if (check.faults.length > 0) throw new ArchiveError(`The file is not as it was written: ${check.faults[0]}`)
  // Both copies are made before the transaction, because the desks wait while the transaction holds the lock.
  await keepRecordedDeeds(database, 0, end)
  await keepKeys(database, end)
  await database.transaction("record", async (statements) => {
    const { read, write } = statements
    const [row] = await read("SELECT sequence, hash FROM record WHERE sequence = ?", end)
    const isSame = (await readCheckpoint(statements)).sequence === checkpoint.sequence && row?.["hash"] === last.hash
    if (!isSame) throw new ArchiveError("The record was archived by another process meanwhile.")
    await write("DELETE FROM record WHERE sequence <= ?", end)
    const values = [last.sequence, last.hash, Date.now()]
    await write("INSERT INTO record_checkpoint (sequence, hash, archived_at) VALUES (?, ?, ?)", ...values)
    // The chain itself says where the archive ends, so that nobody removes its beginning by a row of `record_checkpoint` alone.
    await appendCheckpoint(statements, last)
  })
  return { first: checkpoint.sequence + 1, last }
}

/**
 * The sequence of the last row to archive. Every archived row is older than `before`. An archived intent is archived with its outcome; an intent
 * without an outcome is archived only when the intent is older than OPEN_INTENT_KEPT_MS. In the column `intent`, an intent has its own sequence,
 * and an outcome has the sequence of its intent.
 */
async function findEnd({ read }: Reader, before: number): Promise<number> {
  const findSequence = async (sql: string, ...values: readonly number[]) => {
    const [row] = await read(sql, ...values)
    return row?.["found"] === null ? undefined : Number(row?.["found"])
  }
  const firstYoung = await findSequence("SELECT min(sequence) AS found FROM record WHERE at >= ?", before)
  let end = firstYoung === undefined ? (await readHead({ read })).sequence : firstYoung - 1
  // An intent without an outcome, younger than OPEN_INTENT_KEPT_MS.
  const firstOpen = await findSequence(
    `SELECT min(sequence) AS found FROM record AS asked WHERE intent = sequence AND sequence <= ? AND at > ?
     AND NOT EXISTS (SELECT 1 FROM record WHERE intent = asked.sequence AND sequence > asked.sequence)`,
    end,
    Date.now() - OPEN_INTENT_KEPT_MS,
  )
  if (firstOpen !== undefined) end = firstOpen - 1
  // An intent whose outcome comes after the end moves the end before this intent. The new end may part another intent from its outcome.
  for (;;) {
    const firstAnsweredLater = await findSequence(
      "SELECT min(intent) AS found FROM record WHERE sequence > ? AND intent <= ? AND intent > 0",
      end,
      end,
    )
    if (firstAnsweredLater === undefined) return end
    end = firstAnsweredLater - 1
  }
}

/** Writes the rows up to `end` to a new file and waits until they are on the disk. @returns the place of the last row */
async function writeRows(database: Reader, file: string, checkpoint: Head, end: number): Promise<Head> {
  let head = checkpoint
  async function* lines() {
    for await (const row of readAll(database)) {
      if (Number(row["sequence"]) > end) return
      const [fault] = faultsOf(row, head)
      if (fault !== undefined) throw new ArchiveError(`The record is not complete, so nothing is archived. ${fault}`)
      head = toHead(row)
      yield toLine(row)
    }
  }
  const handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new ArchiveError(`The file cannot be made: ${error.code === "EEXIST" ? "it exists" : error.code}`)
  })
  try {
    await pipeline(lines, handle.createWriteStream({ flush: true, highWaterMark: BUFFERED_BYTES }))
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
  // The new file's name is on the disk only with its folder.
  await using folder = await open(dirname(file))
  await folder.sync()
  return head
}

/** Copies what a replay is checked by. `attemptsWith` ignores a copy until a checkpoint covers its row. */
async function keepKeys({ read, write }: Database, end: number): Promise<void> {
  for (let after = 0; ;) {
    const intents = await read(
      `SELECT asked.sequence, asked.key_hash, asked.person_id, asked.entry, asked.operation, answered.outcome,
         coalesce(answered.work_id, asked.work_id) AS work_id, coalesce(answered.item_id, asked.item_id) AS item_id
       FROM record AS asked LEFT JOIN record AS answered ON answered.sequence =
         ${NEWEST_OUTCOME}
       WHERE asked.intent = asked.sequence AND asked.sequence > ? AND asked.sequence <= ?
       ORDER BY asked.sequence LIMIT ${INTENTS_PER_STATEMENT}`,
      after,
      end,
    )
    if (intents.length === 0) return
    await write(
      `INSERT INTO archived_key (sequence, key_hash, person_id, operation, work_id, item_id, input_hash, outcome)
       VALUES ${intents.map(() => "(?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}
       ON CONFLICT (sequence) DO UPDATE SET outcome = excluded.outcome`,
      ...intents.flatMap(({ entry, outcome, ...intent }) => [
        ...COPIED.map((column) => intent[column] ?? null),
        v.parse(hashed, parseObject(String(entry))).input_hash,
        outcome ?? "unknown",
      ]),
    )
    after = Number(intents.at(-1)?.["sequence"])
  }
}

const COPIED = ["sequence", "key_hash", "person_id", "operation", "work_id", "item_id"]

const hashed = v.object({ input_hash: v.string() })

export type FileCheck = { readonly rows: number; readonly faults: readonly string[] }

/** The beginning of the chain, then the ends of all archives of a store, oldest first. */
export async function readCheckpoints({ read }: Reader): Promise<readonly Head[]> {
  const rows = await read("SELECT sequence, hash FROM record_checkpoint ORDER BY sequence")
  return [BEGINNING, ...rows.map(toHead)]
}

/** Verifies the rows of a file, from one of the `checkpoints` to a later one. @throws ArchiveError when the file cannot be read */
export async function verifyFile(file: string, checkpoints: readonly Head[]): Promise<FileCheck> {
  const faults: string[] = []
  let head: Head | undefined
  let rows = 0
  try {
    for await (const line of linesOf(file)) {
      rows++
      const found = faultsOfLine(line, rows, head, checkpoints)
      if (faults.length < FAULTS_MAX) faults.push(...found.faults)
      head = found.head ?? head
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw new ArchiveError("The file cannot be read.")
    throw error
  }
  const isAtCheckpoint = checkpoints.some(({ sequence, hash }) => sequence === head?.sequence && hash === head.hash)
  if (!isAtCheckpoint) {
    faults.push(
      head === undefined ? "The file has no row." : `Row ${head.sequence} is not where an archive of this record ends.`,
    )
  }
  return { rows, faults }
}

/** Only a line feed ends a line. `node:readline` would also end it at U+2028, which a summary may have. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = ""
  for await (const chunk of createReadStream(file, "utf8")) {
    const lines = `${rest}${String(chunk)}`.split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
  if (rest !== "") yield rest
}

const archivedLine = v.object({ ...place, hash: v.string() })

function faultsOfLine(
  line: string,
  lineNumber: number,
  before: Head | undefined,
  checkpoints: readonly Head[],
): { readonly faults: readonly string[]; readonly head?: Head } {
  const [, hash, rest] = /^\{"hash":"([0-9a-f]{64})",(.*)$/.exec(line) ?? []
  const read = v.safeParse(archivedLine, parseObject(line))
  if (!read.success || hash === undefined || hashOf(`{${rest}`) !== hash)
    return { faults: [`Line ${lineNumber} was changed.`] }
  const { sequence, previous } = read.output
  const head = { sequence, hash }
  const followsCheckpoint = checkpoints.some((end) => end.sequence === sequence - 1 && end.hash === previous)
  const follows =
    before === undefined ? followsCheckpoint : before.sequence === sequence - 1 && before.hash === previous
  return { faults: follows ? [] : [`Row ${sequence} does not follow the row before it.`], head }
}
