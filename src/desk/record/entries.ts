/** Reads entries of the record: intents with their outcomes, all or those that a person may see (`docs/operating.md`, "Who sees what"). */
import * as v from "valibot"
import type { RecordEntry } from "../../contract/desk-work.ts"
import { nameOf, readPeople } from "../people/directory.ts"
import type { Reader } from "../store/database.ts"
import { inChunks, optional, placesFor, select } from "../store/tables.ts"
import { NEWEST_OUTCOME, OUTCOME } from "./gate/attempt-state.ts"
import { readCheckpoint, readHead } from "./hash-chain.ts"
import { entryPartOfIntent, entryPartOfOutcome, readIntent, readOutcomeRow } from "./record-rows.ts"

export const FILTERS = ["work", "item", "person", "operation", "outcome"] as const

/** Which entries to read. An entry must match every member. */
export type Filter = { readonly [Name in (typeof FILTERS)[number]]?: string | undefined }

/** Intents with their last outcome row. An intent has several when its outcome was `unknown` until a replay. */
const ENTRIES = `
  SELECT asked.entry, asked.hash, answered.entry AS outcome_entry, answered.hash AS outcome_hash,
    person.name AS person_name
  FROM record AS asked LEFT JOIN person ON person.id = asked.person_id LEFT JOIN record AS answered ON answered.sequence =
    ${NEWEST_OUTCOME}
  WHERE asked.sequence IN`

const entryRow = v.object({
  entry: v.string(),
  hash: v.string(),
  outcomeEntry: optional(v.string()),
  outcomeHash: optional(v.string()),
  personName: optional(v.string()),
})

const sequenceRow = v.object({ sequence: v.number() })

/** How many rows one statement looks at. SQLite blocks the process during a statement; other requests run between two statements. */
const STEP_ROWS = 5_000
/** How many entries one statement reads with their text, and the process then parses. */
const READ_AT_ONCE = 25

/** The conditions use indexed columns where possible, because a row with its text is a hundred times longer than in an index. */
export const CONDITIONS: Readonly<Record<keyof Filter, string>> = {
  // Only the outcome names the Work or the upload that a mutation created.
  work: "asked.intent IN (SELECT intent FROM record WHERE work_id = ?)",
  item: "asked.intent IN (SELECT intent FROM record WHERE item_id = ?)",
  person: "asked.person_id = ?",
  operation: "asked.operation = ?",
  outcome: `coalesce(${OUTCOME}, 'unknown') = ?`,
}

export type EntriesPage = {
  readonly entries: readonly RecordEntry[]
  /** The next page begins before this sequence. Undefined on the last page. */
  readonly next: number | undefined
  /** False: entries are left out because the desk could not find out whether the person may see them. */
  readonly complete: boolean
}

/** Returns the entries that the person may see, in their order. */
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
  const entries: RecordEntry[] = []
  for await (const some of readEntriesAt(store, shown)) entries.push(...some)
  return { entries, next, complete: true }
}

/** Reads the entries with these sequences, which are in descending order, a few at a time. */
export async function* readEntriesAt(store: Reader, sequences: readonly number[]) {
  for (const some of inChunks(sequences, READ_AT_ONCE)) yield await readSome(store, some)
}

/** Reads the entries with these sequences, newest first. */
async function readSome(store: Reader, sequences: readonly number[]): Promise<readonly RecordEntry[]> {
  const sql = `${ENTRIES} (${placesFor(sequences)}) ORDER BY asked.sequence DESC`
  const rows = await select(store, entryRow, sql, ...sequences)
  const intents = rows.map(({ entry }) => readIntent(entry))
  const ids = intents.flatMap((intent) => [intent?.about ?? [], intent?.stand_in ?? []].flat())
  const people = ids.length === 0 ? [] : await readPeople(store, `WHERE id IN (${placesFor(ids)})`, ...ids)
  const names = new Map(people.map(({ id, name }) => [id, name]))
  return rows.flatMap((row, index) => toEntry(row, intents[index], names))
}

async function findEntries(store: Reader, filter: Filter, before: number, limit: number): Promise<readonly number[]> {
  const names = FILTERS.filter((name) => filter[name] !== undefined)
  const values = names.flatMap((name) => filter[name] ?? [])
  const sql = `SELECT asked.sequence FROM record AS asked
    WHERE asked.intent < ? AND asked.intent >= ? AND asked.sequence = asked.intent
      ${names.map((name) => `AND ${CONDITIONS[name]}`).join(" ")}
    ORDER BY asked.intent DESC LIMIT ?`
  const [archived, last] = [await readCheckpoint(store), await readHead(store)]
  const found: number[] = []
  let end = Math.min(before, last.sequence + 1)
  for (; end > archived.sequence + 1 && found.length < limit; end -= STEP_ROWS) {
    const begin = Math.max(end - STEP_ROWS, archived.sequence + 1)
    const rows = await select(store, sequenceRow, sql, end, begin, ...values, limit - found.length)
    found.push(...rows.map(({ sequence }) => sequence))
  }
  return found
}

/** One entry. None when somebody has edited the row into something else, which the verification of the chain reports. */
function toEntry(
  stored: v.InferOutput<typeof entryRow>,
  intent: ReturnType<typeof readIntent>,
  names: ReadonlyMap<string, string>,
): readonly RecordEntry[] {
  if (intent === undefined) return []
  const { about, stand_in } = intent
  const named = (id: string) => ({ id, name: nameOf(id, names.get(id)) })
  const intentPart = {
    ...v.parse(entryPartOfIntent, intent),
    person: { id: intent.person, name: nameOf(intent.person, stored.personName) },
    ...(about !== undefined && { about: named(about) }),
    ...(stand_in !== undefined && { stand_in: stand_in === null ? null : named(stand_in) }),
  }
  const outcome = readOutcomeRow(stored.outcomeEntry)
  if (outcome === undefined) return [{ ...intentPart, outcome: "unknown", hash: stored.hash }]
  // The content that the desk read before the decision replaces the content of the answer.
  return [{ ...v.parse(entryPartOfOutcome, outcome), ...intentPart, hash: stored.outcomeHash ?? "" }]
}
