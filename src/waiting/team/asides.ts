/** What a person has set aside for themselves, and what came back (`docs/team.md`, "Set aside"). */
import type { Database, Row } from "../../store/database.ts"
import { CopiedRows, itemKey } from "./copied-rows.ts"

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

/** What can bring an item back before its time. Moments are milliseconds since 1970. */
export type BringsBack = {
  readonly version: string
  /** When the item was last handed to the person. Undefined: it is not given to the person. */
  readonly handedAt: number | undefined
  /** When each rule that matches escalates the item. */
  readonly escalatedAt: readonly number[]
}

/** Whether a set-aside item is still away: not past its time, in the same version, not handed to the person and not escalated since. */
export function isAway({ version, until, setAt }: Aside, item: BringsBack, now: number): boolean {
  if (now >= until || item.version !== version) return false
  const cameBack = (moment: number | undefined) => moment !== undefined && moment > setAt && moment <= now
  return !cameBack(item.handedAt) && !item.escalatedAt.some(cameBack)
}

/** How long rows are kept after their time, so that an item that is back stays marked until it is opened. */
const KEPT_MS = 30 * 86_400_000

/** The set-aside items of all people: in the store, with a copy in memory that is made when the first person asks. */
export class Asides extends CopiedRows {
  readonly #database: Database
  #byPerson = new Map<string, Map<string, Aside>>()
  readonly #changed: () => void

  /** `changed` is called when what a person has set aside differs. */
  constructor(database: Database, changed: () => void) {
    super()
    this.#database = database
    this.#changed = changed
  }

  protected read(): Promise<readonly Row[]> {
    return this.#database.read("SELECT * FROM aside WHERE until > ?", Date.now() - KEPT_MS)
  }

  protected take(rows: readonly Row[]): void {
    this.#byPerson = new Map()
    for (const row of rows) this.#keep(toAside(row))
    this.#changed()
  }

  get(personId: string, workId: string, itemId: string): Aside | undefined {
    return this.#byPerson.get(personId)?.get(itemKey(workId, itemId))
  }

  /** The people who have set an item aside, whether or not it has come back. */
  peopleOf(workId: string, itemId: string): readonly string[] {
    if (this.isEmpty) return []
    const key = itemKey(workId, itemId)
    return [...this.#byPerson].flatMap(([personId, own]) => (own.has(key) ? [personId] : []))
  }

  has(personId: string): boolean {
    return this.#byPerson.has(personId)
  }

  /** Whether any person has set anything aside. */
  get isEmpty(): boolean {
    return this.#byPerson.size === 0
  }

  /** Sets an item aside. @throws StoreUnavailableError */
  async set(aside: Aside): Promise<void> {
    const { personId, workId, itemId, version, until, setAt } = aside
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
    await this.#tell()
  }

  /** The item is aside no more, or was opened after it came back. @throws StoreUnavailableError */
  async remove(personId: string, workId: string, itemId: string): Promise<void> {
    await this.#database.write(
      "DELETE FROM aside WHERE person_id = ? AND work_id = ? AND item_id = ?",
      personId,
      workId,
      itemId,
    )
    await this.#tell()
  }

  async #tell(): Promise<void> {
    this.#database.publish("team", "").catch(() => undefined)
    await this.refresh()
  }

  #keep(aside: Aside): void {
    const own = this.#byPerson.get(aside.personId) ?? new Map<string, Aside>()
    own.set(itemKey(aside.workId, aside.itemId), aside)
    this.#byPerson.set(aside.personId, own)
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
