/** Reads entries of the record: intents with their outcomes, all or those that a person may see (`docs/operating.md`, "Who sees what"). */
import * as v from "valibot"
import type { RecordEntry } from "../contract/desk-work.ts"
import type { Reader, Row, Value } from "../store/database.ts"
import { NEWEST_OUTCOME } from "./attempt-state.ts"
import { entryPartOfIntent, entryPartOfOutcome, readIntent, readRow } from "./rows.ts"

export const FILTERS = ["work", "item", "person", "operation", "outcome"] as const

/** Which entries to read. An entry must match every member. */
export type Filter = { readonly [Name in (typeof FILTERS)[number]]?: string }

/** Intents with their last outcome row. An intent has several when its outcome was `unknown` until a replay. */
const ENTRIES = `
  SELECT asked.sequence, asked.entry, asked.hash, answered.entry AS outcome_entry, answered.hash AS outcome_hash,
    person.name AS person_name
  FROM record AS asked LEFT JOIN person ON person.id = asked.person_id LEFT JOIN record AS answered ON answered.sequence =
    ${NEWEST_OUTCOME}
  WHERE asked.sequence IN`

/** How many rows one statement looks at. SQLite blocks the process during a statement; other requests run between two statements. */
const STEP_ROWS = 10_000

/** The conditions use indexed columns where possible, because a row with its text is a hundred times longer than in an index. */
const CONDITIONS: Readonly<Record<keyof Filter, string>> = {
  // Only the outcome names the Work or the upload that a mutation created.
  work: "asked.intent IN (SELECT intent FROM record WHERE work_id = ?)",
  item: "asked.intent IN (SELECT intent FROM record WHERE item_id = ?)",
  person: "asked.person_id = ?",
  operation: "asked.operation = ?",
  // The last row of an intent is its last outcome, or the intent itself.
  outcome: `coalesce((SELECT outcome FROM record WHERE intent = asked.intent ORDER BY sequence DESC LIMIT 1), 'unknown') = ?`,
}

export type EntriesPage = {
  readonly entries: readonly RecordEntry[]
  /** The next page begins before this sequence. Undefined on the last page. */
  readonly next: number | undefined
  /** False: entries are left out because the desk could not find out whether the person may see them. */
  readonly complete: boolean
}

/** Gives those of some entries that the person may see, in their order. */
export type ChooseEntries = (entries: readonly RecordEntry[]) => Promise<Omit<EntriesPage, "next">>

/** How many entries one call of `choose` gets. */
const CHOSEN_AT_ONCE = 200
/** One request gives `choose` at most this many entries. Its page may then be short, and `next` leads on. */
const LOOKED_AT_MAX = 10_000

/** Reads a page as `readEntries` does, of the entries that `choose` gives. Without `choose` everybody sees every entry. */
export async function readVisibleEntries(
  database: Reader,
  filter: Filter,
  before: number,
  limit: number,
  choose: ChooseEntries | undefined,
): Promise<EntriesPage> {
  if (choose === undefined) return readEntries(database, filter, before, limit)
  const shown: RecordEntry[] = []
  let next: number | undefined = before
  let complete = true
  for (let lookedAt = 0; next !== undefined && lookedAt < LOOKED_AT_MAX; lookedAt += CHOSEN_AT_ONCE) {
    const page: EntriesPage = await readEntries(database, filter, next, CHOSEN_AT_ONCE)
    const chosen = await choose(page.entries)
    shown.push(...chosen.entries)
    complete &&= chosen.complete
    next = page.next
    // One visible entry more than `limit` shows that there is a next page.
    if (shown.length > limit) return { entries: shown.slice(0, limit), next: shown[limit - 1]?.sequence, complete }
  }
  return { entries: shown, next, complete }
}

/** Reads the entries before a sequence that match, newest first, at most `limit`. */
export async function readEntries(store: Reader, filter: Filter, before: number, limit: number): Promise<EntriesPage> {
  // One sequence more than `limit` shows that there is a next page.
  const sequences = await findEntries(store, filter, before, limit + 1)
  const shown = sequences.slice(0, limit)
  const next = sequences.length > limit ? shown.at(-1) : undefined
  if (shown.length === 0) return { entries: [], next, complete: true }
  const rows = await store.read(
    `${ENTRIES} (${shown.map(() => "?").join(", ")}) ORDER BY asked.sequence DESC`,
    ...shown,
  )
  return { entries: rows.flatMap(toEntry), next, complete: true }
}

/** Finds the sequences of the entries that match, newest first, at most `limit`. */
async function findEntries(
  { read }: Reader,
  filter: Filter,
  before: number,
  limit: number,
): Promise<readonly number[]> {
  const names = FILTERS.filter((name) => filter[name] !== undefined)
  const values = names.flatMap((name) => filter[name] ?? [])
  const sql = `SELECT asked.sequence FROM record AS asked
    WHERE asked.intent < ? AND asked.intent >= ? AND asked.sequence = asked.intent
      ${names.map((name) => `AND ${CONDITIONS[name]}`).join(" ")}
    ORDER BY asked.intent DESC LIMIT ?`
  const [ends] = await read("SELECT min(sequence) AS first, max(sequence) AS last FROM record")
  const first = Number(ends?.["first"] ?? 0)
  const found: number[] = []
  let end = Math.min(before, Number(ends?.["last"] ?? 0) + 1)
  for (; end > first && found.length < limit; end -= STEP_ROWS) {
    const rows = await read(sql, end, end - STEP_ROWS, ...values, limit - found.length)
    found.push(...rows.map((row) => Number(row["sequence"])))
    if (found.length < limit) await new Promise(setImmediate)
  }
  return found
}

/** The name for a person's id. `stored` is the name in the table `person`, which has neither the local person nor a forgotten one. */
export function nameOf(id: string, stored: Value | undefined): string {
  if (typeof stored === "string") return stored
  return id === "local" ? "local" : FORMER_PERSON
}

const FORMER_PERSON = "a former person"

/** One entry. None when somebody has edited the row into something else, which the verification of the chain reports. */
function toEntry(stored: Row): readonly RecordEntry[] {
  const intent = readIntent(stored["entry"])
  if (intent === undefined) return []
  const person = { id: intent.person, name: nameOf(intent.person, stored["person_name"]) }
  const intentPart = { ...v.parse(entryPartOfIntent, intent), person }
  const outcome = readRow(String(stored["outcome_entry"] ?? ""))
  if (outcome?.kind !== "outcome") return [{ ...intentPart, outcome: "unknown", hash: String(stored["hash"]) }]
  // The content that the desk read before the decision replaces the content of the answer.
  return [{ ...v.parse(entryPartOfOutcome, outcome), ...intentPart, hash: String(stored["outcome_hash"]) }]
}
