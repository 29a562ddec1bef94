/** Reads the entries of a period, oldest first and a few at a time, so that neither the memory nor other requests suffer from a long period. */
import * as v from "valibot"
import type { RecordedOperation, RecordEntry } from "../../../contract/desk-work.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Reader } from "../../store/database.ts"
import { select } from "../../store/tables.ts"
import { withTogether } from "../decisions-together.ts"
import { type ChooseEntries, CONDITIONS, type Filter, FILTERS, readEntriesAt } from "../entries.ts"
import type { Head } from "../hash-chain.ts"
import { recordArchived, recordIncomplete, rowUnreadable } from "../record-refusals.ts"
import { findArchives } from "./report-archives.ts"
import type { Period } from "./report-query.ts"

/** How many rows of the index one statement looks at. SQLite blocks the process during a statement. */
const STEP_ROWS = 500
/** How many entries are checked and written at once. */
const BATCH = 100

export type ReportScope = {
  readonly store: Reader
  readonly period: Period
  readonly filter: Filter
  /** Chooses what the person sees. Left out where the report is about the whole record. */
  readonly choose: ChooseEntries | undefined
  /** The end of the chain when the report began. Later rows are not in it. */
  readonly until: Head
}

const placeRow = v.object({ sequence: v.number(), at: v.number(), matches: v.number() })
type PlaceRow = v.InferOutput<typeof placeRow>

/**
 * The entries about these operations that the person may see, in the order of their time, in batches.
 * @throws Refused when the desk can't find out whether the person may see an entry, or a row can't be read @throws StoreUnavailableError
 */
export async function* readEntriesOf(
  scope: ReportScope,
  operations: readonly RecordedOperation[],
): AsyncGenerator<readonly RecordEntry[]> {
  const { operation } = scope.filter
  const wanted = operations.filter((one) => operation === undefined || one === operation)
  const places = mergedByTime(wanted.map((one) => placesOf(scope, one)))
  let batch: number[] = []
  for await (const { sequence } of places) {
    batch.push(sequence)
    if (batch.length < BATCH) continue
    yield await readBatch(scope, batch)
    batch = []
  }
  if (batch.length > 0) yield await readBatch(scope, batch)
}

/** The places of the intents of one operation that match the filters, in the order of their time. */
async function* placesOf({ store, period, filter, until }: ReportScope, operation: string): AsyncGenerator<PlaceRow> {
  const names = FILTERS.filter((name) => name !== "operation" && filter[name] !== undefined)
  const conditions = ["asked.intent = asked.sequence", ...names.map((name) => CONDITIONS[name])]
  const values = names.flatMap((name) => filter[name] ?? [])
  // The inner statement reads the index alone. Its last row leads on, even if no row matches.
  const sql = `SELECT step.sequence, step.at, CASE WHEN ${conditions.join(" AND ")} THEN 1 ELSE 0 END AS matches
    FROM (
      SELECT sequence, at FROM record WHERE operation = ? AND at < ? AND (at, sequence) > (?, ?)
      ORDER BY at, sequence LIMIT ${STEP_ROWS}
    ) AS step JOIN record AS asked ON asked.sequence = step.sequence ORDER BY step.at, step.sequence`
  let last = { at: period.begin, sequence: 0 }
  for (;;) {
    const step = await select(store, placeRow, sql, ...values, operation, period.end, last.at, last.sequence)
    yield* step.filter(({ sequence, matches }) => matches === 1 && sequence <= until.sequence)
    if (step.length < STEP_ROWS) return
    last = step.at(-1) ?? last
  }
}

/** Merges rows that are in the order of their time. */
async function* mergedByTime(sources: readonly AsyncGenerator<PlaceRow>[]): AsyncGenerator<PlaceRow> {
  const heads = await Promise.all(sources.map(async (source) => ({ source, next: await source.next() })))
  for (;;) {
    const open = heads.flatMap((head) => (head.next.done === true ? [] : [{ head, row: head.next.value }]))
    const [first, ...others] = open
    if (first === undefined) return
    const earliest = others.reduce((least, one) => (isBefore(one.row, least.row) ? one : least), first)
    yield earliest.row
    earliest.head.next = await earliest.head.source.next()
  }
}

const isBefore = (one: PlaceRow, other: PlaceRow) =>
  one.at < other.at || (one.at === other.at && one.sequence < other.sequence)

async function readBatch(scope: ReportScope, sequences: readonly number[]): Promise<readonly RecordEntry[]> {
  const { store, choose } = scope
  const found = new Map<number, RecordEntry>()
  const descending = sequences.toSorted((one, other) => other - one)
  for await (const some of readEntriesAt(store, descending)) for (const entry of some) found.set(entry.sequence, entry)
  const entries = sequences.flatMap((sequence) => found.get(sequence) ?? [])
  if (entries.length < sequences.length) await refuseMissing(scope, sequences, found)
  const seen = choose === undefined ? { entries, complete: true } : await choose(entries)
  if (!seen.complete) throw new Refused(recordIncomplete)
  return withTogether(store, seen.entries, choose)
}

/** Refuses a report whose row somebody has edited, or which was archived while the report was written. @throws Refused */
async function refuseMissing(
  { store, period }: ReportScope,
  sequences: readonly number[],
  found: ReadonlyMap<number, unknown>,
): Promise<never> {
  const archives = await findArchives(store, period)
  if (archives.length > 0) throw new Refused(recordArchived(archives))
  throw new Refused(rowUnreadable(sequences.find((sequence) => !found.has(sequence)) ?? 0))
}
