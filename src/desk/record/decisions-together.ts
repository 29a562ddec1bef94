/** Counts, for entries of the record, how many other items were decided together with each of them (the header `Desk-Together`). */
import * as v from "valibot"
import type { RecordEntry } from "../../contract/desk-work.ts"
import type { Reader } from "../store/database.ts"
import { select } from "../store/tables.ts"
import { type ChooseEntries, readEntriesAt } from "./entries.ts"

/** Of the person's actions before an entry and after it, this many are searched for its id. A person decides at most 50 items together. */
const SEARCHED_ACTIONS = 60
/** Of further decisions with a page of entries, at most this many are read. A client can give each decision on the page another id. */
const READ_MAX = 2_000

const sequenceRow = v.object({ sequence: v.number() })

/** SQL: the actions of a person on one side of an entry that have an id. No other text of a row contains the id in this form, with its quotes. */
const actionsWith = (comparison: "<" | ">", order: "ASC" | "DESC") => `
  SELECT sequence FROM (
    SELECT sequence, entry FROM record WHERE person_id = ? AND sequence ${comparison} ? AND hash <> ''
    ORDER BY sequence ${order} LIMIT ${SEARCHED_ACTIONS}
  ) AS action WHERE entry LIKE ?`
const NEAR = `${actionsWith("<", "DESC")} UNION ALL ${actionsWith(">", "ASC")}`

/** Adds `together_others` to the entries that have `together`. `choose` is left out where everybody sees everything. @throws StoreUnavailableError */
export async function withTogether(
  store: Reader,
  entries: readonly RecordEntry[],
  choose: ChooseEntries | undefined,
): Promise<readonly RecordEntry[]> {
  const groups = Map.groupBy(
    entries.filter(({ together }) => together !== undefined),
    ({ person, together }) => JSON.stringify([person.id, together]),
  )
  if (groups.size === 0) return entries
  const counted = new Map<RecordEntry, number>()
  let left = READ_MAX
  for (const shown of groups.values()) {
    const others = await readOthers(store, shown, left)
    left -= others.length
    const seen = choose === undefined ? { entries: others, complete: true } : await choose(others)
    if (left <= 0 || !seen.complete) continue
    const items = new Set([...shown, ...seen.entries].map(itemOf))
    for (const entry of shown) counted.set(entry, items.size - 1)
  }
  return entries.map((entry) => {
    const count = counted.get(entry)
    return count === undefined ? entry : { ...entry, together_others: count }
  })
}

/** A decision that was sent twice is one item. */
const itemOf = ({ work_id, item_id }: RecordEntry) => JSON.stringify([work_id, item_id])

/** Reads the decisions with the id of `shown`, entries of one person and one id, which are not among `shown`. */
async function readOthers(store: Reader, shown: readonly RecordEntry[], max: number): Promise<readonly RecordEntry[]> {
  const [newest] = shown
  if (newest?.together === undefined) return []
  const values = [newest.person.id, newest.sequence, `%"together":"${newest.together}"%`]
  const near = await select(store, sequenceRow, NEAR, ...values, ...values)
  const known = new Set(shown.map(({ sequence }) => sequence))
  const sequences = near
    .map(({ sequence }) => sequence)
    .filter((one) => !known.has(one))
    .toSorted((one, other) => other - one)
  const others: RecordEntry[] = []
  for await (const some of readEntriesAt(store, sequences.slice(0, Math.max(0, max)))) others.push(...some)
  return others
}
