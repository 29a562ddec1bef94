/** Reads the entries of the record that a person may see (`docs/operating.md`, "Who sees what"). */
import type { RecordEntry } from "../contract/desk-work.ts"
import type { Reader } from "../store/database.ts"
import { type EntriesPage, type Filter, readEntries } from "./entries.ts"

/** Gives those of some entries that the person may see, in their order. */
export type ChooseEntries = (entries: readonly RecordEntry[]) => Promise<readonly RecordEntry[]>

const ROWS_PER_STATEMENT = 200
/** One request looks at so many rows at most. Then its page may be short, and the next page goes on. */
const ROWS_MAX = 10_000

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
  for (let rows = 0; next !== undefined && rows < ROWS_MAX; rows += ROWS_PER_STATEMENT) {
    const page: EntriesPage = await readEntries(database, filter, next, ROWS_PER_STATEMENT)
    shown.push(...(await choose(page.entries)))
    next = page.next
    // Only an entry that the person may see shows that there is a next page.
    if (shown.length > limit) return { entries: shown.slice(0, limit), next: shown[limit - 1]?.sequence }
  }
  return { entries: shown, next }
}
