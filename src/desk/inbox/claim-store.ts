/** To whom items are given, and which items people have set aside (`docs/team.md`). The rows are in the store; every desk has a copy in memory. */
import { loadOnce } from "../../platform/load-once.ts"
import * as v from "valibot"
import type { Database, Reader, Statements } from "../store/database.ts"
import { SerialQueue } from "../store/serial-queue.ts"
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
type ItemClaims = { assignment: StoredAssignment | undefined; readonly asides: Aside[] }

/** The item that has changed, as a desk tells the other desks. An older desk names no item: then every row is read. */
const changedItem = v.pipe(v.string(), v.parseJson(), v.object({ workId: v.string(), itemId: v.string() }))
const MESSAGE_MAX_BYTES = 7_000

export class ClaimStore {
  readonly #database: Database
  readonly #changed: () => void
  /** By the ids of Work and item. */
  #works = new Map<string, Map<string, ItemClaims>>()
  /** The reads, in their order, so that an older one never replaces a newer one. */
  readonly #reads = new SerialQueue()
  readonly stop: () => void

  /** `changed` is called when the copy may differ. */
  constructor(database: Database, changed: () => void) {
    this.#database = database
    this.#changed = changed
    // While the store is away, or closed at the end, the copy stays as it is.
    this.stop = database.subscribe("team", (message) => {
      const { success, output } = v.safeParse(changedItem, message)
      const read = success ? this.#readItem(output.workId, output.itemId) : this.refresh()
      read.catch(() => undefined)
    })
  }

  /** Reads the rows once. @throws StoreUnavailableError */
  readonly load = loadOnce(() => this.refresh())

  /** Deletes asides that ended long ago, and reads all rows again. @throws StoreUnavailableError */
  refresh(): Promise<void> {
    return this.#reads.add(async () => {
      await this.#database.write("DELETE FROM aside WHERE until < ?", Date.now() - ASIDE_KEPT_MS)
      const works = new Map<string, Map<string, ItemClaims>>()
      const claimsOf = ({ workId, itemId }: ItemIds) => {
        const items = works.get(workId) ?? new Map<string, ItemClaims>()
        const claims = items.get(itemId) ?? { assignment: undefined, asides: [] }
        works.set(workId, items.set(itemId, claims))
        return claims
      }
      const assignments = `${ASSIGNMENTS} WHERE (work_id, item_id) > (?, ?) ORDER BY work_id, item_id`
      const afterItem = (last: ItemIds | undefined) => [last?.workId ?? "", last?.itemId ?? ""]
      for await (const row of selectInPages(this.#database, assignment, assignments, afterItem)) {
        claimsOf(row).assignment = row
      }
      const asides = `SELECT * FROM aside WHERE (person_id, work_id, item_id) > (?, ?, ?) ORDER BY person_id, work_id, item_id`
      const afterAside = (last: Aside | undefined) => [last?.personId ?? "", ...afterItem(last)]
      for await (const row of selectInPages(this.#database, aside, asides, afterAside)) claimsOf(row).asides.push(row)
      this.#works = works
      this.#changed()
    })
  }

  #readItem(workId: string, itemId: string): Promise<void> {
    return this.#reads.add(async () => {
      const ofItem = "SELECT * FROM aside WHERE work_id = ? AND item_id = ?"
      const [stored, asides] = await Promise.all([
        readAssignment(this.#database, workId, itemId),
        select(this.#database, aside, ofItem, workId, itemId),
      ])
      this.#put(workId, itemId, { assignment: stored, asides: [...asides] })
      this.#changed()
    })
  }

  #put(workId: string, itemId: string, claims: ItemClaims): void {
    const items = this.#works.get(workId) ?? new Map<string, ItemClaims>()
    this.#works.set(workId, items.set(itemId, claims))
    if (claims.assignment === undefined && claims.asides.length === 0) items.delete(itemId)
    if (items.size === 0) this.#works.delete(workId)
  }

  /** Call this after a change of an item's rows: tells the other desks, and reads the rows again. @throws StoreUnavailableError */
  async tell(workId: string, itemId: string): Promise<void> {
    const message = JSON.stringify({ workId, itemId })
    const isShort = Buffer.byteLength(message) <= MESSAGE_MAX_BYTES
    this.#database.publish("team", isShort ? message : "").catch(() => undefined)
    await this.#readItem(workId, itemId)
  }

  /**
   * Deletes what is stored about the resolved items of a Work. Each desk does so when its watcher reads that they are resolved. While the store is
   * away, the rows stay until the watcher reads it again after the next start.
   */
  end(workId: string, isResolved: (itemId: string, storedAt: number) => boolean): void {
    for (const [itemId, { assignment: given, asides }] of this.#works.get(workId) ?? []) {
      const storedAt = Math.max(given?.at ?? 0, ...asides.map(({ setAt }) => setAt))
      if (!isResolved(itemId, storedAt)) continue
      this.#put(workId, itemId, { assignment: undefined, asides: [] })
      this.#removeRows(workId, itemId).catch(() => undefined)
    }
  }

  #removeRows(workId: string, itemId: string): Promise<void> {
    return this.#reads.add(async () => {
      await this.#database.write("DELETE FROM assignment WHERE work_id = ? AND item_id = ?", workId, itemId)
      await this.#database.write("DELETE FROM aside WHERE work_id = ? AND item_id = ?", workId, itemId)
    })
  }

  assignment(workId: string, itemId: string): StoredAssignment | undefined {
    return this.#works.get(workId)?.get(itemId)?.assignment
  }

  aside(personId: string, workId: string, itemId: string): Aside | undefined {
    return this.asides(workId, itemId).find((one) => one.personId === personId)
  }

  /** The asides of an item, one for each person who has set the item aside. */
  asides(workId: string, itemId: string): readonly Aside[] {
    return this.#works.get(workId)?.get(itemId)?.asides ?? []
  }

  /** The asides of all people and items. */
  allAsides(): Iterable<Aside> {
    return this.#works.values().flatMap((items) => items.values().flatMap(({ asides }) => asides))
  }

  /** @throws StoreUnavailableError */
  async setAside(row: Aside): Promise<void> {
    await upsert(this.#database, "aside", { key: ["personId", "workId", "itemId"] }, row)
    await this.tell(row.workId, row.itemId)
  }

  /** Removes an aside: the person takes the item back, or has opened it after it came back. @throws StoreUnavailableError */
  async removeAside(personId: string, workId: string, itemId: string): Promise<void> {
    await this.#database.write(
      "DELETE FROM aside WHERE person_id = ? AND work_id = ? AND item_id = ?",
      personId,
      workId,
      itemId,
    )
    await this.tell(workId, itemId)
  }
}

/** Reads the assignment of an item within a transaction. */
export async function readAssignment(
  reader: Reader,
  workId: string,
  itemId: string,
): Promise<StoredAssignment | undefined> {
  return (await select(reader, assignment, `${ASSIGNMENTS} WHERE work_id = ? AND item_id = ?`, workId, itemId))[0]
}

/** Stores an assignment. `etag` must differ from every earlier one of the item. */
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
  await insert(statements, "assignment", { workId, itemId, ...receiver, byId: by, at: Date.now(), note, etag })
}
