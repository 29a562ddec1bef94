/** To whom items are given. It is advice, and no lock (`docs/team.md`, "Taking and handing over"). */
import type { NamedPerson } from "../../contract/desk-people.ts"
import type { Database, Reader, Row, Statements } from "../../store/database.ts"
import { CopiedRows, itemKey } from "./copied-rows.ts"

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

export class Assignments extends CopiedRows {
  readonly #database: Database
  readonly #changed: () => void
  #byItem: ReadonlyMap<string, StoredAssignment> = new Map()

  /** `changed` is called when an assignment differs. */
  constructor(database: Database, changed: () => void) {
    super()
    this.#database = database
    this.#changed = changed
  }

  protected read(): Promise<readonly Row[]> {
    return this.#database.read(SELECT)
  }

  protected take(rows: readonly Row[]): void {
    this.#byItem = new Map(rows.map(toAssignment).map((given) => [itemKey(given.workId, given.itemId), given]))
    this.#changed()
  }

  get(workId: string, itemId: string): StoredAssignment | undefined {
    return this.#byItem.get(itemKey(workId, itemId))
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
