/** To whom items are given, and which items people have set aside (`docs/team.md`). The rows are in the store; every desk has a copy in memory. */
import * as v from "valibot"
import { inBackground } from "../../platform/background.ts"
import type { Database, Reader, Statements } from "../store/database.ts"
import { StoreCopy } from "../store/store-copy.ts"
import { insert, optional, select, selectInPages, upsert } from "../store/tables.ts"

/** A person by their id, or a team by its name. */
type Receiver = { readonly person: string } | { readonly team: string }

export type StoredAssignment = {
  readonly workId: string
  readonly itemId: string
  readonly to: Receiver
  /** The id of the person who gave the item away. */
  readonly by: string
  /** In milliseconds since 1970. */
  readonly at: number
  readonly note: string | undefined
  /** Without quotes. */
  readonly etag: string
}

/** What a change of an assignment stores. `to` is null when the item is given to nobody. */
export type NewAssignment = {
  readonly to: Receiver | null
  readonly by: string
  readonly note: string | undefined
}

const aside = v.object({
  personId: v.string(),
  workId: v.string(),
  itemId: v.string(),
  /** The version that was set aside, in decimal digits. */
  version: v.string(),
  /** Both in milliseconds since 1970. */
  until: v.number(),
  setAt: v.number(),
})

export type Aside = Readonly<v.InferOutput<typeof aside>>

/** How long an aside is kept after its `until`, so that an item that is back stays marked until the person opens it. */
const ASIDE_KEPT_MS = 30 * 86_400_000

const ASSIGNMENTS = "SELECT work_id, item_id, person_id, team, by_id, at, note, etag FROM assignment"

const assignment = v.pipe(
  v.object({
    workId: v.string(),
    itemId: v.string(),
    personId: optional(v.string()),
    team: optional(v.string()),
    byId: v.string(),
    at: v.number(),
    note: optional(v.string()),
    etag: v.string(),
  }),
  v.transform(({ personId, team = "", byId: by, ...row }): StoredAssignment => {
    const to = personId === undefined ? { team } : { person: personId }
    return { ...row, to, by }
  }),
)

type ItemIds = { readonly workId: string; readonly itemId: string }

/** What is stored about an item. */
type ItemClaims = { readonly assignment?: StoredAssignment; readonly asides: readonly Aside[] }

/** What is stored about items, by the ids of Work and item. */
type Claimed = ReadonlyMap<string, ReadonlyMap<string, ItemClaims>>

/** The message that names the changed item. A message without an item comes from an older desk, or the ids are too long: then every row is read. */
const changedItem = v.pipe(v.string(), v.parseJson(), v.object({ workId: v.string(), itemId: v.string() }))
const MESSAGE_MAX_BYTES = 7_000

export class ClaimStore extends StoreCopy<Claimed> {
  readonly #database: Database

  constructor(database: Database) {
    const read = (message: string | undefined, now: Claimed) => {
      const { success, output } = v.safeParse(changedItem, message)
      return success ? readItem(database, output, now) : readAll(database)
    }
    // There may be thousands of rows.
    super({ database, topic: "team", refreshMs: 60_000, empty: new Map(), read })
    this.#database = database
  }

  /** Changes an item's rows, notifies the other desks, and reads the rows again. @throws StoreUnavailableError */
  changeItem<Result>(workId: string, itemId: string, make: () => Promise<Result>): Promise<Result> {
    const message = JSON.stringify({ workId, itemId })
    return this.change(make, Buffer.byteLength(message) <= MESSAGE_MAX_BYTES ? message : undefined)
  }

  /** Deletes what is stored about resolved items of a Work. While the store is away, the rows stay until the watcher reads the Work again. */
  end(workId: string, isResolved: (itemId: string, storedAt: number) => boolean): void {
    for (const [itemId, { assignment: given, asides }] of this.now.get(workId) ?? []) {
      const storedAt = Math.max(given?.at ?? 0, ...asides.map(({ setAt }) => setAt))
      if (isResolved(itemId, storedAt)) inBackground(() => this.#removeRows(workId, itemId).catch(() => undefined))
    }
  }

  #removeRows(workId: string, itemId: string): Promise<void> {
    return this.changeItem(workId, itemId, async () => {
      await this.#database.write("DELETE FROM assignment WHERE work_id = ? AND item_id = ?", workId, itemId)
      await this.#database.write("DELETE FROM aside WHERE work_id = ? AND item_id = ?", workId, itemId)
    })
  }

  assignment(workId: string, itemId: string): StoredAssignment | undefined {
    return this.now.get(workId)?.get(itemId)?.assignment
  }

  aside(personId: string, workId: string, itemId: string): Aside | undefined {
    return this.asides(workId, itemId).find((one) => one.personId === personId)
  }

  /** The asides of an item, one for each person who has set the item aside. */
  asides(workId: string, itemId: string): readonly Aside[] {
    return this.now.get(workId)?.get(itemId)?.asides ?? []
  }

  /** The asides of all people and items. */
  allAsides(): Iterable<Aside> {
    return this.now.values().flatMap((items) => items.values().flatMap(({ asides }) => asides))
  }

  /** @throws StoreUnavailableError */
  setAside(row: Aside): Promise<void> {
    const key = ["personId", "workId", "itemId"] as const
    return this.changeItem(row.workId, row.itemId, () => upsert(this.#database, "aside", { key }, row))
  }

  /** Removes an aside: the person takes the item back, or has opened it after it came back. @throws StoreUnavailableError */
  async removeAside(personId: string, workId: string, itemId: string): Promise<void> {
    const sql = "DELETE FROM aside WHERE person_id = ? AND work_id = ? AND item_id = ?"
    await this.changeItem(workId, itemId, () => this.#database.write(sql, personId, workId, itemId))
  }
}

/** Reads all rows, and deletes asides that ended long ago. */
async function readAll(database: Database): Promise<Claimed> {
  const oldest = Date.now() - ASIDE_KEPT_MS
  type Found = { assignment?: StoredAssignment; readonly asides: Aside[] }
  const works = new Map<string, Map<string, Found>>()
  const claimsOf = ({ workId, itemId }: ItemIds) => {
    const items = works.get(workId) ?? new Map<string, Found>()
    const claims: Found = items.get(itemId) ?? { asides: [] }
    works.set(workId, items.set(itemId, claims))
    return claims
  }
  const assignments = `${ASSIGNMENTS} WHERE (work_id, item_id) > (?, ?) ORDER BY work_id, item_id`
  const afterItem = (last: ItemIds | undefined) => [last?.workId ?? "", last?.itemId ?? ""]
  for await (const row of selectInPages(database, assignment, assignments, afterItem)) claimsOf(row).assignment = row
  const asides = `SELECT * FROM aside WHERE (person_id, work_id, item_id) > (?, ?, ?) ORDER BY person_id, work_id, item_id`
  const afterAside = (last: Aside | undefined) => [last?.personId ?? "", ...afterItem(last)]
  let hasOld = false
  for await (const row of selectInPages(database, aside, asides, afterAside)) {
    if (row.until < oldest) hasOld = true
    else claimsOf(row).asides.push(row)
  }
  if (hasOld) await database.write("DELETE FROM aside WHERE until < ?", oldest)
  return works
}

/** Reads the rows of an item into a copy of `now`. */
async function readItem(database: Reader, { workId, itemId }: ItemIds, now: Claimed): Promise<Claimed> {
  const ofItem = "SELECT * FROM aside WHERE work_id = ? AND item_id = ? ORDER BY person_id"
  const [stored, asides] = await Promise.all([
    readAssignment(database, workId, itemId),
    select(database, aside, ofItem, workId, itemId),
  ])
  const items = new Map(now.get(workId)).set(itemId, { ...(stored && { assignment: stored }), asides })
  if (stored === undefined && asides.length === 0) items.delete(itemId)
  const works = new Map(now).set(workId, items)
  if (items.size === 0) works.delete(workId)
  return works
}

/** Reads the assignment of an item within a transaction. */
export async function readAssignment(
  reader: Reader,
  workId: string,
  itemId: string,
): Promise<StoredAssignment | undefined> {
  return (await select(reader, assignment, `${ASSIGNMENTS} WHERE work_id = ? AND item_id = ?`, workId, itemId))[0]
}

/** Stores an assignment, and brings the item back for a person who has set it aside. `etag` must differ from every earlier one of the item. */
export async function writeAssignment(
  statements: Statements,
  workId: string,
  itemId: string,
  { to, by, note }: NewAssignment,
  etag: string,
): Promise<void> {
  await statements.write("DELETE FROM assignment WHERE work_id = ? AND item_id = ?", workId, itemId)
  if (to === null) return
  const receiver = "person" in to ? { personId: to.person } : { team: to.team }
  const at = Date.now()
  await insert(statements, "assignment", { workId, itemId, ...receiver, byId: by, at, note, etag })
  if (!("person" in to)) return
  // The row stays, so that the item is marked `back`. It ends here, so that the item stays back after somebody gives it back.
  const ended = "UPDATE aside SET until = ? WHERE person_id = ? AND work_id = ? AND item_id = ? AND until > ?"
  await statements.write(ended, at, to.person, workId, itemId, at)
}
