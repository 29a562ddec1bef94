/**
 * Who looks at which item now. A tab tells it every 15 s. It is advice: only memory and, for several desks, a table hold it, and no longer than
 * it lasts.
 */
import type { LookingPerson } from "../../contract/desk.ts"
import type { Database } from "../../store/database.ts"

/** A tab that has told nothing for this time shows the item no more. */
const LASTS_MS = 45_000
/** A person's oldest entry makes room for a new one. */
const ENTRIES_OF_PERSON_MAX = 100

export type Presence = {
  readonly personId: string
  readonly name: string
  readonly workId: string
  readonly itemId: string
  readonly tab: string
  readonly doing: LookingPerson["doing"]
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

export class PresenceBoard {
  readonly #database: Database
  readonly #entries = new Map<string, Presence>()
  readonly #changed: () => void

  /** `changed` is called when others may see a difference. */
  constructor(database: Database, changed: () => void) {
    this.#database = database
    this.#changed = changed
  }

  /** How many tabs show an item. */
  get count(): number {
    return this.#entries.size
  }

  /** Whether a person looks at any item. */
  has(personId: string): boolean {
    return [...this.#entries.values()].some((entry) => entry.personId === personId)
  }

  /** A tab shows an item, or (`left`) shows it no more. */
  report(shown: Omit<Presence, "doing" | "expiresAt">, doing: LookingPerson["doing"] | "left"): void {
    const key = keyOf(shown)
    const before = this.#entries.get(key)
    if (doing === "left") this.#entries.delete(key)
    else {
      // A Map keeps its order: the entry that was told longest ago is first.
      this.#entries.delete(key)
      this.#entries.set(key, { ...shown, doing, expiresAt: Date.now() + LASTS_MS })
      this.#makeRoom(shown.personId)
    }
    if (before?.doing !== (doing === "left" ? undefined : doing)) this.#changed()
    void this.#share(key, this.#entries.get(key) ?? shown)
  }

  /** The people who look at an item, by name. A person with several tabs counts once, and `writing` goes before `reading`. */
  of(workId: string, itemId: string): readonly LookingPerson[] {
    const people = new Map<string, LookingPerson>()
    for (const entry of this.#entries.values()) {
      if (entry.workId !== workId || entry.itemId !== itemId) continue
      if (people.get(entry.personId)?.doing === "writing") continue
      people.set(entry.personId, { id: entry.personId, name: entry.name, doing: entry.doing })
    }
    return [...people.values()].sort((one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1))
  }

  /** Forgets what has expired, and takes in what other desks were told. */
  async refresh(): Promise<void> {
    const before = this.#signature()
    const now = Date.now()
    if (this.#database.isShared) await this.#readOthers(now)
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key)
    if (this.#signature() !== before) this.#changed()
  }

  async #readOthers(now: number): Promise<void> {
    const rows = await this.#database.read(
      `SELECT person_id, name, work_id, item_id, tab, doing, expires_at FROM presence
       JOIN person ON person.id = person_id WHERE expires_at > ?`,
      now,
    )
    this.#entries.clear()
    for (const row of rows) {
      const entry: Presence = {
        personId: String(row["person_id"]),
        name: String(row["name"]),
        workId: String(row["work_id"]),
        itemId: String(row["item_id"]),
        tab: String(row["tab"]),
        doing: row["doing"] === "writing" ? "writing" : "reading",
        expiresAt: Number(row["expires_at"]),
      }
      this.#entries.set(keyOf(entry), entry)
    }
  }

  /** Tells the other desks. Without the store they learn of it from the next report. */
  async #share(key: string, entry: Omit<Presence, "doing" | "expiresAt"> | Presence): Promise<void> {
    if (!this.#database.isShared) return
    const { write } = this.#database
    const { personId, workId, itemId, tab } = entry
    const saved =
      "doing" in entry
        ? write(
            `INSERT INTO presence (id, person_id, work_id, item_id, tab, doing, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET doing = excluded.doing, expires_at = excluded.expires_at`,
            key,
            personId,
            workId,
            itemId,
            tab,
            entry.doing,
            entry.expiresAt,
          )
        : write("DELETE FROM presence WHERE id = ? OR expires_at <= ?", key, Date.now())
    await saved.catch(() => undefined)
  }

  #makeRoom(personId: string): void {
    const own = [...this.#entries].filter(([, entry]) => entry.personId === personId)
    for (const [key] of own.slice(0, Math.max(0, own.length - ENTRIES_OF_PERSON_MAX))) this.#entries.delete(key)
  }

  #signature(): string {
    return [...this.#entries]
      .map(([key, { doing }]) => `${key} ${doing}`)
      .sort()
      .join("\n")
  }
}

const keyOf = ({ personId, workId, itemId, tab }: Pick<Presence, "personId" | "workId" | "itemId" | "tab">) =>
  JSON.stringify([personId, workId, itemId, tab])
