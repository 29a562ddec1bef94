/**
 * The archive of the record: the text of the oldest rows moves to a file, and a checkpoint replaces them in the chain. The rows stay in the store
 * without their hash, and with only the part of their text that later requests are checked against.
 */
import { createReadStream } from "node:fs"
import { open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { pipeline } from "node:stream/promises"
import * as v from "valibot"
import { parseObject } from "../../platform/http/json-object.ts"
import type { Database, Reader } from "../store/database.ts"
import { insert, optional, select } from "../store/tables.ts"
import { hashOf, type Head, inRecord, readAll, readCheckpoint, readHead, type StoredRow } from "./hash-chain.ts"
import { FAULTS_MAX, faultsOf } from "./chain-verification.ts"
import { OUTCOME } from "./gate/attempt-state.ts"
import { place } from "./record-rows.ts"

/** Why nothing was archived. The message is a sentence for the administrator. */
export class ArchiveError extends Error {}

/** How long an intent without an outcome is not archived: its request may be under way, or its outcome may wait for the store. */
const OPEN_INTENT_KEPT_MS = 86_400_000

/** With two values each, well below the 32,766 values that a statement of SQLite may have. */
const ROWS_PER_STATEMENT = 500
/** A long archive needs neither many writes nor much memory. */
const BUFFERED_BYTES = 262_144

/** A row as a line of an export or an archive: its hash, then the members that are hashed. */
export function toLine({ hash, entry }: StoredRow): string {
  return `{"hash":${JSON.stringify(hash)},${entry.slice(1)}\n`
}

/**
 * Writes the longest beginning of the chain whose rows are older than `before` (milliseconds since 1970) to a new file, and puts a checkpoint
 * in its place. If the process is killed, the chain has either all of these rows or the checkpoint. Texts that were archived but not yet removed from
 * the store are removed by the next archive.
 * @returns the first and the last archived row; undefined when no row is old enough
 * @throws ArchiveError when the file exists or the chain is not complete: then nothing has changed
 */
export async function archiveRows(
  database: Database,
  file: string,
  before: number,
): Promise<{ readonly first: number; readonly last: Head } | undefined> {
  const checkpoint = await readCheckpoint(database)
  const end = await findEnd(database, checkpoint, before)
  // Checkpoint rows have no intent, so the row that names the last archive doesn't cause another one.
  const oldRows = "SELECT sequence FROM record WHERE sequence > ? AND sequence <= ? AND intent > 0 LIMIT 1"
  const [old] = await database.read(oldRows, checkpoint.sequence, end)
  if (old === undefined) return undefined
  const last = await writeRows(database, file, checkpoint, end)
  const check = await verifyFile(file, [checkpoint, last])
  if (check.faults.length > 0) throw new ArchiveError(`The file was changed: ${check.faults[0]}`)
  await inRecord({ database }, async (transaction) => {
    const isSame = (await readCheckpoint(transaction)).sequence === checkpoint.sequence
    if (!isSame) throw new ArchiveError("Another process has archived the record.")
    await insert(transaction, "record_checkpoint", { ...last, archivedAt: Date.now() })
    // The chain itself names the end of the archive, so that nobody can remove its beginning by adding a row to `record_checkpoint`.
    await transaction.append({ kind: "checkpoint", archived: last })
  })
  await removeTexts(database, end)
  return { first: checkpoint.sequence + 1, last }
}

const textRow = v.object({ sequence: v.number(), entry: v.string() })

/** What stays in the store of a row's text: what a replay is checked against, and the decision. */
const keptText = v.object({ input_hash: v.exactOptional(v.string()), decision: v.exactOptional(v.string()) })

/** Removes the texts of the rows up to `end`, a few at a time, because a desk may be using the store. */
async function removeTexts(database: Database, end: number): Promise<void> {
  const sql = `SELECT sequence, entry FROM record WHERE sequence > ? AND sequence <= ? AND hash <> ''
    ORDER BY sequence LIMIT ${ROWS_PER_STATEMENT}`
  for (let after = 0; ;) {
    const rows = await select(database, textRow, sql, after, end)
    if (rows.length === 0) return
    const values = rows.map(() => "(CAST(? AS BIGINT), ?)").join(", ")
    await database.write(
      `UPDATE record SET hash = '', entry = kept.column2 FROM (VALUES ${values}) AS kept WHERE sequence = kept.column1`,
      ...rows.flatMap(({ sequence, entry }) => [sequence, JSON.stringify(v.parse(keptText, parseObject(entry) ?? {}))]),
    )
    after = rows.at(-1)?.sequence ?? end
  }
}

/**
 * The sequence of the last row to archive: older than `before`, and no intent is parted from its outcome. An intent without an outcome is archived
 * only if it is older than OPEN_INTENT_KEPT_MS. The column `intent` of an outcome has the sequence of its intent.
 */
async function findEnd(store: Reader, archived: Head, before: number): Promise<number> {
  /** The first row behind `archived` that stays in the chain. */
  const findStaying = async (sql: string, ...values: readonly number[]) =>
    (await select(store, stayingRow, sql, archived.sequence, ...values))[0]?.staying
  const lastRow = (await readHead(store)).sequence
  const firstYoung = await findStaying(
    "SELECT min(sequence) AS staying FROM record WHERE sequence > ? AND at >= ?",
    before,
  )
  const endOfOld = firstYoung === undefined ? lastRow : firstYoung - 1
  const firstOpenIntent = await findStaying(
    `SELECT min(sequence) AS staying FROM record AS asked WHERE sequence > ? AND intent = sequence AND sequence <= ? AND at > ? AND ${OUTCOME} IS NULL`,
    endOfOld,
    Date.now() - OPEN_INTENT_KEPT_MS,
  )
  let end = firstOpenIntent === undefined ? endOfOld : firstOpenIntent - 1
  // Each new end may part another intent from its outcome. (An intent that an earlier archive took without its outcome stays there.)
  for (;;) {
    const firstParted = await findStaying(
      "SELECT min(intent) AS staying FROM record WHERE intent > ? AND intent <= ? AND sequence > ?",
      end,
      end,
    )
    if (firstParted === undefined) return end
    end = firstParted - 1
  }
}

const stayingRow = v.object({ staying: optional(v.number()) })

/** Writes the rows up to `end` to a new file and waits until they are on the disk. @returns the place of the last row */
async function writeRows(database: Reader, file: string, checkpoint: Head, end: number): Promise<Head> {
  let head = checkpoint
  async function* lines() {
    for await (const row of readAll(database)) {
      if (row.sequence > end) return
      const [fault] = faultsOf(row, head)
      if (fault !== undefined) throw new ArchiveError(`The record is incomplete, so nothing was archived. ${fault}`)
      head = { sequence: row.sequence, hash: row.hash }
      yield toLine(row)
    }
  }
  const handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new ArchiveError(`The file can't be created: ${error.code === "EEXIST" ? "it already exists" : error.code}`)
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

export type FileCheck = { readonly rows: number; readonly faults: readonly string[] }

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
    if (error instanceof Error && "syscall" in error) throw new ArchiveError("The file can't be read.")
    throw error
  }
  const isAtCheckpoint = checkpoints.some(({ sequence, hash }) => sequence === head?.sequence && hash === head.hash)
  if (!isAtCheckpoint) {
    faults.push(
      head === undefined
        ? "The file has no rows."
        : `Row ${head.sequence} isn't the last row of an archive of this record.`,
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
  /** The row before this line. Undefined for the first line, which follows a checkpoint. */
  previousHead: Head | undefined,
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
    previousHead === undefined
      ? followsCheckpoint
      : previousHead.sequence === sequence - 1 && previousHead.hash === previous
  return { faults: follows ? [] : [`Row ${sequence} doesn't follow the row before it.`], head }
}
