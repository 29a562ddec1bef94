/** Reads entries of the record: intents with their outcomes. */
import * as v from "valibot"
import type { RecordEntry } from "../contract/desk.ts"
import type { Reader, Row, Value } from "../store/database.ts"
import { readRow, entryPartOfIntent, entryPartOfOutcome } from "./rows.ts"

/** Which entries to read. An entry must match every member. */
export type Filter = {
  readonly work?: string
  readonly item?: string
  readonly person?: string
  readonly operation?: string
  readonly outcome?: string
}

/** Intents with their last outcome. An earlier outcome was `unknown`, until a replay gave another outcome. */
const ENTRIES = `
  SELECT asked.sequence, asked.entry, asked.hash, answered.entry AS outcome_entry, answered.hash AS outcome_hash,
    person.name AS person_name
  FROM record AS asked LEFT JOIN person ON person.id = asked.person_id LEFT JOIN record AS answered ON answered.sequence =
    (SELECT max(sequence) FROM record WHERE intent = asked.sequence AND sequence > asked.sequence)
  WHERE asked.intent = asked.sequence`

// Only the outcome names the Work or the upload that a mutation created.
const CONDITIONS: readonly (readonly [keyof Filter, string])[] = [
  ["work", "asked.sequence IN (SELECT intent FROM record WHERE work_id = ?)"],
  ["item", "asked.sequence IN (SELECT intent FROM record WHERE item_id = ?)"],
  ["person", "asked.person_id = ?"],
  ["operation", "asked.operation = ?"],
  ["outcome", "coalesce(answered.outcome, 'unknown') = ?"],
]

export type EntriesPage = {
  readonly entries: readonly RecordEntry[]
  /** The next page begins before this sequence. Undefined on the last page. */
  readonly next: number | undefined
}

/** Reads the entries before a sequence that match, newest first, at most `limit`. */
export async function readEntries(
  { read }: Reader,
  filter: Filter,
  before: number,
  limit: number,
): Promise<EntriesPage> {
  const conditions = ["asked.sequence < ?"]
  const values: Value[] = [before]
  for (const [name, condition] of CONDITIONS) {
    const value = filter[name]
    if (value === undefined) continue
    conditions.push(condition)
    values.push(value)
  }
  const sql = `${ENTRIES} AND ${conditions.join(" AND ")} ORDER BY asked.sequence DESC LIMIT ?`
  // One row more shows whether there is a next page.
  const rows = await read(sql, ...values, limit + 1)
  const shown = rows.slice(0, limit)
  const next = rows.length > limit ? Number(shown.at(-1)?.["sequence"]) : undefined
  return { entries: shown.flatMap(toEntry), next }
}

/** The name for a person's id. Local mode has one person; the desk has forgotten who is not in its store any more. */
export function nameOf(id: string, stored: Value | undefined): string {
  return typeof stored === "string" ? stored : id === "local" ? "local" : FORMER_PERSON
}

const FORMER_PERSON = "a former person"

/** One entry. None when somebody has edited the row into something else, which the verification of the chain reports. */
function toEntry(stored: Row): readonly RecordEntry[] {
  const intent = readRow(String(stored["entry"]))
  if (intent?.kind !== "intent") return []
  const person = { id: intent.person, name: nameOf(intent.person, stored["person_name"]) }
  const told = { ...v.parse(entryPartOfIntent, intent), person }
  const outcome = readRow(String(stored["outcome_entry"] ?? ""))
  if (outcome?.kind !== "outcome") return [{ ...told, outcome: "unknown", hash: String(stored["hash"]) }]
  // The content that the desk read before the decision replaces the content of the answer.
  return [{ ...v.parse(entryPartOfOutcome, outcome), ...told, hash: String(stored["outcome_hash"]) }]
}
