/** Who is away, and who stands in (`docs/team.md`, "While somebody is away"). The rows are in the store; every desk has a copy in memory. */
import * as v from "valibot"
import type { Database, Reader, Statements } from "../store/database.ts"
import { StoreCopy } from "../store/store-copy.ts"
import { optional, select, upsert } from "../store/tables.ts"

const absenceRow = v.pipe(
  v.object({
    personId: v.string(),
    fromAt: v.number(),
    untilAt: v.number(),
    standIn: optional(v.string()),
    etag: v.string(),
  }),
  v.transform(({ fromAt: from, untilAt: until, ...row }) => ({ ...row, from, until })),
)

/** When a person is away, in milliseconds since 1970. `standIn` is the id of a person, and `etag` has no quotes. */
export type StoredAbsence = Readonly<v.InferOutput<typeof absenceRow>>

export class AbsenceList extends StoreCopy<ReadonlyMap<string, StoredAbsence>> {
  constructor(database: Database) {
    const read = async () => {
      const rows = await select(database, absenceRow, "SELECT * FROM away WHERE until_at > ?", Date.now())
      return new Map(rows.map((row) => [row.personId, row]))
    }
    super({ database, topic: "away", refreshMs: 10_000, empty: new Map(), read })
  }

  /** The absence of a person who is away now. */
  of(personId: string): StoredAbsence | undefined {
    const row = this.now.get(personId)
    const now = Date.now()
    return row !== undefined && row.from <= now && now < row.until ? row : undefined
  }

  /** The ids of everybody who is away now. */
  absentIds(): readonly string[] {
    return [...this.now.keys()].filter((id) => this.of(id) !== undefined)
  }
}

/** What a person has said: an absence that is not over. @throws StoreUnavailableError */
export async function readAbsence(reader: Reader, personId: string): Promise<StoredAbsence | undefined> {
  const sql = "SELECT * FROM away WHERE person_id = ? AND until_at > ?"
  return (await select(reader, absenceRow, sql, personId, Date.now()))[0]
}

/** Stores an absence, or (undefined) ends it. One that has begun stays, with the time since when the person is back. `etag` must be new. */
export async function writeAbsence(
  statements: Statements,
  personId: string,
  away: Pick<StoredAbsence, "from" | "until" | "standIn"> | undefined,
  etag: string,
): Promise<void> {
  if (away === undefined) {
    await statements.write("DELETE FROM away WHERE person_id = ? AND from_at > ?", personId, Date.now())
    const now = Date.now()
    await statements.write("UPDATE away SET until_at = ? WHERE person_id = ? AND until_at > ?", now, personId, now)
    return
  }
  const { from: fromAt, until: untilAt, standIn } = away
  await upsert(statements, "away", { key: ["personId"] }, { personId, fromAt, untilAt, standIn, etag })
}
