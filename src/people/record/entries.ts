/** The record as entries: an intent with its outcome. */
import * as v from "valibot"
import type { RecordEntry } from "../../contract/desk.ts"
import type { Row, Statements, Value } from "../store/database.ts"
import { readRow, toldByIntent, toldByOutcome } from "./rows.ts"

type Read = Pick<Statements, "read">

/** Which entries are asked for. Every member that is there must match. */
export type Filter = {
  readonly work?: string
  readonly item?: string
  readonly person?: string
  readonly operation?: string
  readonly outcome?: string
}

/** An intent with its last outcome: every outcome before was `unknown`, and a replay has settled it since. */
const ENTRIES = `
  SELECT asked.sequence, asked.entry, asked.hash, answered.entry AS outcome_entry, answered.hash AS outcome_hash
  FROM record AS asked LEFT JOIN record AS answered ON answered.sequence =
    (SELECT max(sequence) FROM record WHERE intent = asked.sequence AND sequence > asked.sequence)
  WHERE asked.intent = asked.sequence`

// A Work or an upload that was created is named in the outcome alone.
const CONDITIONS: readonly (readonly [keyof Filter, string])[] = [
  ["work", "asked.sequence IN (SELECT intent FROM record WHERE work_id = ?)"],
  ["item", "asked.sequence IN (SELECT intent FROM record WHERE item_id = ?)"],
  ["person", "asked.person_id = ?"],
  ["operation", "asked.operation = ?"],
  ["outcome", "coalesce(answered.outcome, 'unknown') = ?"],
]

export type EntriesPage = {
  readonly entries: readonly RecordEntry[]
  /** The next page has the entries before this sequence; undefined at the end. */
  readonly next: number | undefined
}

/** Entries that match, newest first, before a sequence. */
export async function readEntries({ read }: Read, filter: Filter, before: number, limit: number): Promise<EntriesPage> {
  const conditions = ["asked.sequence < ?"]
  const values: Value[] = [before]
  for (const [name, condition] of CONDITIONS) {
    const value = filter[name]
    if (value === undefined) continue
    conditions.push(condition)
    values.push(value)
  }
  const sql = `${ENTRIES} AND ${conditions.join(" AND ")} ORDER BY asked.sequence DESC LIMIT ?`
  // One more than asked for tells whether there is a next page.
  const rows = await read(sql, ...values, limit + 1)
  const shown = rows.slice(0, limit)
  const next = rows.length > limit ? Number(shown.at(-1)?.["sequence"]) : undefined
  return { entries: shown.flatMap(toEntry), next }
}

/** An entry; none for a row that somebody has edited into something else: the chain says so. */
function toEntry(stored: Row): readonly RecordEntry[] {
  const intent = readRow(String(stored["entry"]))
  if (intent?.kind !== "intent") return []
  const told = v.parse(toldByIntent, intent)
  const outcome = readRow(String(stored["outcome_entry"] ?? ""))
  if (outcome?.kind !== "outcome") return [{ ...told, outcome: "unknown", hash: String(stored["hash"]) }]
  // What was read before the decision stands before what the answer says.
  return [{ ...v.parse(toldByOutcome, outcome), ...told, hash: String(stored["outcome_hash"]) }]
}
