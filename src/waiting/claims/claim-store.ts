/** To whom items are given, and which items people have set aside (`docs/team.md`). The rows are in the store; every desk has a copy in memory. */
import type { NamedPerson } from "../../contract/desk-people.ts"
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

/** What a change of an assignment stores. `to` is null when the item is given to nobody. */
export type NewAssignment = {
  readonly to: { readonly person: string } | { readonly team: string } | null
  readonly by: string
  readonly note: string | undefined
}

export type Aside = {
  readonly personId: string
  readonly workId: string
  readonly itemId: string
  /** The version that was set aside, in decimal digits. */
  readonly version: string
  /** Both in milliseconds since 1970. */
  readonly until: number
  readonly setAt: number
}

/** How long the copy keeps an aside after its `until`, so that an item that is back stays marked until the person opens it. */
const ASIDE_KEPT_MS = 30 * 86_400_000

const ASSIGNMENTS = `SELECT work_id, item_id, person_id, receiver.name AS person_name, team, by_id, giver.name AS by_name, at, note, etag
  FROM assignment LEFT JOIN person AS receiver ON receiver.id = person_id LEFT JOIN person AS giver ON giver.id = by_id`

export class ClaimStore {
  readonly #database: Database
  readonly #changed: () => void
  #assignments: ReadonlyMap<string, StoredAssignment> = new Map()
  #asides: ReadonlyMap<string, readonly Aside[]> = new Map()
  #peopleWithAsides: ReadonlySet<string> = new Set()
  #loading: Promise<void> | undefined
  /** The rows that were taken in last, as JSON. */
  #lastRows = "[[],[]]"
  /** The number of the last read that began. */
  #begun = 0
  /** The number of the last read that was taken in. */
  #taken = 0
  readonly stop: () => void

  /** `changed` is called when the copy differs. */
  constructor(database: Database, changed: () => void) {
    this.#database = database
    this.#changed = changed
    // While the store is away, or closed at the end, the copy stays as it is.
    this.stop = database.subscribe("team", () => void this.refresh().catch(() => undefined))
  }

  /** Reads the rows once. @throws StoreUnavailableError */
  load(): Promise<void> {
    this.#loading ??= this.refresh().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  /** Takes in what this desk or another one has stored. @throws StoreUnavailableError */
  async refresh(): Promise<void> {
    const number = ++this.#begun
    const [given, aside] = await Promise.all([
      this.#database.read(ASSIGNMENTS),
      this.#database.read("SELECT * FROM aside WHERE until > ?", Date.now() - ASIDE_KEPT_MS),
    ])
    // A read that began later has ended before this one, and has newer rows.
    if (number < this.#taken) return
    this.#taken = number
    const rows = JSON.stringify([given, aside])
    if (rows === this.#lastRows) return
    this.#lastRows = rows
    this.#assignments = new Map(given.map(toAssignment).map((one) => [itemKey(one.workId, one.itemId), one]))
    const asides = aside.map(toAside)
    this.#asides = Map.groupBy(asides, ({ workId, itemId }) => itemKey(workId, itemId))
    this.#peopleWithAsides = new Set(asides.map(({ personId }) => personId))
    this.#changed()
  }

  /** Call this after a change of the store: tells the other desks, and reads the rows again. @throws StoreUnavailableError */
  async tell(): Promise<void> {
    this.#database.publish("team", "").catch(() => undefined)
    await this.refresh()
  }

  assignment(workId: string, itemId: string): StoredAssignment | undefined {
    return this.#assignments.get(itemKey(workId, itemId))
  }

  aside(personId: string, workId: string, itemId: string): Aside | undefined {
    return this.asides(workId, itemId).find((aside) => aside.personId === personId)
  }

  /** All asides of an item, whether or not it has come back. */
  asides(workId: string, itemId: string): readonly Aside[] {
    return this.#asides.size === 0 ? [] : (this.#asides.get(itemKey(workId, itemId)) ?? [])
  }

  /** Whether a person, or (left out) anybody, has set anything aside. */
  hasAsides(personId?: string): boolean {
    return personId === undefined ? this.#asides.size > 0 : this.#peopleWithAsides.has(personId)
  }

  /** Sets an item aside. @throws StoreUnavailableError */
  async setAside({ personId, workId, itemId, version, until, setAt }: Aside): Promise<void> {
    await this.#database.write(
      `INSERT INTO aside (person_id, work_id, item_id, version, until, set_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (person_id, work_id, item_id) DO UPDATE
         SET version = excluded.version, until = excluded.until, set_at = excluded.set_at`,
      personId,
      workId,
      itemId,
      version,
      until,
      setAt,
    )
    await this.tell()
  }

  /** Removes an aside: the person takes the item back, or has opened it after it came back. @throws StoreUnavailableError */
  async removeAside(personId: string, workId: string, itemId: string): Promise<void> {
    await this.#database.write(
      "DELETE FROM aside WHERE person_id = ? AND work_id = ? AND item_id = ?",
      personId,
      workId,
      itemId,
    )
    await this.tell()
  }
}

/** Reads the assignment of an item within a transaction. */
export async function readAssignment(
  { read }: Reader,
  workId: string,
  itemId: string,
): Promise<StoredAssignment | undefined> {
  const [row] = await read(`${ASSIGNMENTS} WHERE work_id = ? AND item_id = ?`, workId, itemId)
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

const itemKey = (workId: string, itemId: string) => JSON.stringify([workId, itemId])

/** The name of a person whom `npm run people -- forget` removed. */
const FORMER = "a former person"

function toAssignment(row: Row): StoredAssignment {
  const { person_id: personId = null, person_name: personName, by_name: byName, note = null } = row
  return {
    workId: String(row["work_id"]),
    itemId: String(row["item_id"]),
    to:
      personId === null
        ? { team: String(row["team"]) }
        : { person: { id: String(personId), name: String(personName ?? FORMER) } },
    by: { id: String(row["by_id"]), name: String(byName ?? FORMER) },
    at: Number(row["at"]),
    note: note === null ? undefined : String(note),
    etag: String(row["etag"]),
  }
}

function toAside(row: Row): Aside {
  return {
    personId: String(row["person_id"]),
    workId: String(row["work_id"]),
    itemId: String(row["item_id"]),
    version: String(row["version"]),
    until: Number(row["until"]),
    setAt: Number(row["set_at"]),
  }
}
