/** What each person has last seen of the Work that concerns them: the tables `seen_since` and `seen_work`. */
import * as v from "valibot"
import type { Database, Reader, Statements } from "../store/database.ts"
import { insert, placesFor, select, selectInPages, upsert } from "../store/tables.ts"

/** Of how many Works the store keeps what a person has seen: those that the person saw last. */
export const SEEN_WORK_MAX = 2_000
/** Far more rows than one request adds. */
const OLD_ROWS_MAX = 10_000

const sinceRow = v.object({ at: v.number(), sequence: v.number() })

/** The moment up to which Work without a row counts as seen: when `GET /desk/seen` was first used, or later. */
export type SeenSince = Readonly<v.InferOutput<typeof sinceRow>>

const workRow = v.object({
  workId: v.string(),
  version: v.pipe(
    v.string(),
    v.transform((digits) => BigInt(digits)),
  ),
  sequence: v.number(),
  itemsUntil: v.number(),
})

/** What a person last saw of a Work. */
export type SeenWorkRow = Readonly<v.InferOutput<typeof workRow>>

const ROWS = `SELECT work_id, version, sequence, items_until FROM seen_work WHERE person_id = ?`

export class SeenStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** What a person has seen. At their first use, everything until `now` counts as seen. @throws StoreUnavailableError */
  async read(personId: string, now: SeenSince) {
    const since = (await readSince(this.#database, personId)) ?? (await this.begin(personId, now))
    const works = new Map<string, SeenWorkRow>()
    const sql = `${ROWS} AND work_id > ? ORDER BY work_id`
    for await (const row of selectInPages(this.#database, workRow, sql, (last) => [personId, last?.workId ?? ""]))
      works.set(row.workId, row)
    return { since, works }
  }

  /** Notes the first use of a person, unless there was one. @throws StoreUnavailableError */
  async begin(personId: string, now: SeenSince): Promise<SeenSince> {
    return this.#database.transaction("seen", async (statements) => {
      const before = await readSince(statements, personId)
      if (before === undefined) await insert(statements, "seen_since", { personId, ...now })
      return before ?? now
    })
  }

  /** Stores what a person has seen. What they saw before stays where it is newer, and the oldest rows go. @throws StoreUnavailableError */
  async save(personId: string, seen: readonly SeenWorkRow[]): Promise<void> {
    if (seen.length === 0) return
    await this.#database.transaction("seen", async (statements) => {
      const ids = seen.map(({ workId }) => workId)
      const before = await select(statements, workRow, `${ROWS} AND work_id IN (${placesFor(ids)})`, personId, ...ids)
      const known = new Map(before.map((row) => [row.workId, row]))
      const seenAt = Date.now()
      const rows = seen.map((row) => {
        const { workId, version, sequence, itemsUntil } = mergeRows(known.get(row.workId), row)
        return { personId, workId, version: String(version), sequence, itemsUntil, seenAt }
      })
      await upsert(statements, "seen_work", { key: ["personId", "workId"] }, ...rows)
      await removeOld(statements, personId)
    })
  }
}

const readSince = async (reader: Reader, personId: string) =>
  (await select(reader, sinceRow, "SELECT at, sequence FROM seen_since WHERE person_id = ?", personId))[0]

function mergeRows(before: SeenWorkRow | undefined, row: SeenWorkRow): SeenWorkRow {
  if (before === undefined) return row
  return {
    workId: row.workId,
    version: row.version > before.version ? row.version : before.version,
    sequence: Math.max(row.sequence, before.sequence),
    itemsUntil: Math.max(row.itemsUntil, before.itemsUntil),
  }
}

const oldRow = v.object({ seenAt: v.number(), sequence: v.number() })

/** Removes the rows above SEEN_WORK_MAX. Without a row, a Work counts as seen until then, so that it does not become new again. */
async function removeOld(statements: Statements, personId: string): Promise<void> {
  const oldIds = `SELECT work_id FROM seen_work WHERE person_id = ? ORDER BY seen_at DESC, work_id LIMIT ${OLD_ROWS_MAX} OFFSET ${SEEN_WORK_MAX}`
  const oldRows = `seen_work WHERE person_id = ? AND work_id IN (${oldIds})`
  const old = await select(statements, oldRow, `SELECT seen_at, sequence FROM ${oldRows}`, personId, personId)
  if (old.length === 0) return
  await statements.write(`DELETE FROM ${oldRows}`, personId, personId)
  const since = await readSince(statements, personId)
  const at = Math.max(since?.at ?? 0, ...old.map(({ seenAt }) => seenAt))
  const sequence = Math.max(since?.sequence ?? 0, ...old.map((row) => row.sequence))
  await upsert(statements, "seen_since", { key: ["personId"] }, { personId, at, sequence })
}
