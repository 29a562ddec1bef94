/** To whom items are given. It is advice, and no lock (`docs/team.md`, "Taking and handing over"). */
import type { NamedPerson } from "../../contract/desk.ts"
import type { Database, Reader, Row, Statements } from "../../store/database.ts"

export type StoredAssignment = {
  readonly workId: string
  readonly itemId: string
  readonly to: { readonly person: NamedPerson } | { readonly team: string }
  readonly by: NamedPerson
  /** In milliseconds since 1970. */
  readonly at: number
  readonly note: string | undefined
  /** Without quotes. */
  readonly etag: string
}

/** What a change stores; null: the item is given to nobody. */
export type NewAssignment = {
  readonly to: { readonly person: string } | { readonly team: string } | null
  readonly by: string
  readonly note: string | undefined
}

/** An assignment that is older counts as none for notices and for the order of the list. */
export const ASSIGNMENT_COUNTS_MS = 24 * 3_600_000

const SELECT = `SELECT work_id, item_id, person_id, receiver.name AS person_name, team, by_id, giver.name AS by_name, at, note, etag
  FROM assignment LEFT JOIN person AS receiver ON receiver.id = person_id LEFT JOIN person AS giver ON giver.id = by_id`

export class Assignments {
  readonly #database: Database
  readonly #changed: () => void
  #byItem: ReadonlyMap<string, StoredAssignment> = new Map()
  #loading: Promise<void> | undefined
  #seen = ""
  /** The number of the last read that began, and of the last one that was taken in. */
  #reads = 0
  #taken = 0

  /** `changed` is called when an assignment differs. */
  constructor(database: Database, changed: () => void) {
    this.#database = database
    this.#changed = changed
  }

  /** Reads the rows once. @throws StoreUnavailableError */
  load(): Promise<void> {
    this.#loading ??= this.refresh().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  get(workId: string, itemId: string): StoredAssignment | undefined {
    return this.#byItem.get(keyOf(workId, itemId))
  }

  /** Takes in what this desk or another one has stored. @throws StoreUnavailableError */
  async refresh(): Promise<void> {
    const read = ++this.#reads
    const rows = await this.#database.read(SELECT)
    const seen = JSON.stringify(rows)
    // A read that began later may have ended before.
    if (read < this.#taken) return
    this.#taken = read
    if (seen === this.#seen) return
    this.#seen = seen
    this.#byItem = new Map(
      rows.map((row) => [keyOf(String(row["work_id"]), String(row["item_id"])), toAssignment(row)] as const),
    )
    this.#changed()
  }
}

/** Reads the assignment of an item within a transaction. */
export async function readAssignment(
  { read }: Reader,
  workId: string,
  itemId: string,
): Promise<StoredAssignment | undefined> {
  const [row] = await read(`${SELECT} WHERE work_id = ? AND item_id = ?`, workId, itemId)
  return row === undefined ? undefined : toAssignment(row)
}

/** Stores an assignment. `etag` must differ from every earlier one of the item. */
export async function writeAssignment(
  { write }: Statements,
  workId: string,
  itemId: string,
  { to, by, note }: NewAssignment,
  etag: string,
): Promise<void> {
  await write("DELETE FROM assignment WHERE work_id = ? AND item_id = ?", workId, itemId)
  if (to === null) return
  const [person, team] = "person" in to ? [to.person, null] : [null, to.team]
  await write(
    "INSERT INTO assignment (work_id, item_id, person_id, team, by_id, at, note, etag) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    workId,
    itemId,
    person,
    team,
    by,
    Date.now(),
    note ?? null,
    etag,
  )
}

const keyOf = (workId: string, itemId: string) => JSON.stringify([workId, itemId])

/** Somebody whom `npm run people -- forget` removed. */
const FORMER = "a former person"

function toAssignment(row: Row): StoredAssignment {
  const personId = row["person_id"]
  return {
    workId: String(row["work_id"]),
    itemId: String(row["item_id"]),
    to:
      personId === null || personId === undefined
        ? { team: String(row["team"]) }
        : { person: { id: String(personId), name: String(row["person_name"] ?? FORMER) } },
    by: { id: String(row["by_id"]), name: String(row["by_name"] ?? FORMER) },
    at: Number(row["at"]),
    note: row["note"] === null || row["note"] === undefined ? undefined : String(row["note"]),
    etag: String(row["etag"]),
  }
}
