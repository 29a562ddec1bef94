/** Who looks at which item now. A tab reports its item every 15 s. Presence is in memory only, and the desks of one store send it to each other. */
import type { LookingPerson } from "../../contract/desk-people.ts"
import { entryKey } from "../../contract/waiting-change.ts"
import * as v from "valibot"
import type { Database } from "../store/database.ts"

/** An entry ends when its tab has not reported for this time, which is three reports. */
const LASTS_MS = 45_000
/** How many entries a person has at most. The oldest makes room for a new one. */
const ENTRIES_OF_PERSON_MAX = 100

/** What a tab reports, and what a desk sends to the other desks. */
const report = v.strictObject({
  personId: v.string(),
  name: v.string(),
  workId: v.string(),
  itemId: v.string(),
  tab: v.string(),
  doing: v.picklist(["reading", "writing", "left"]),
})

export type PresenceReport = v.InferOutput<typeof report>

/** A tab that shows an item. */
type Present = Omit<PresenceReport, "doing"> & { readonly doing: LookingPerson["doing"]; readonly expiresAt: number }

export class PresenceBoard {
  readonly #database: Database
  readonly #entries = new Map<string, Present>()
  /** Who looks at each item (`entryKey`), until the next change. */
  #lookers: Map<string, readonly LookingPerson[]> | undefined
  readonly #changed: () => void
  /** Stops listening to the other desks. */
  readonly stop: () => void

  /** `changed` is called when others may see a difference. */
  constructor(database: Database, changed: () => void) {
    this.#database = database
    this.#changed = changed
    this.stop = database.subscribe("presence", (message) => {
      const read = v.safeParse(v.pipe(v.string(), v.parseJson(), report), message)
      if (read.success) this.#apply(read.output)
    })
  }

  /** Every tab that shows an item. */
  all(): Iterable<Pick<PresenceReport, "personId" | "workId" | "itemId">> {
    return this.#entries.values()
  }

  /** A tab of this desk shows an item, or (`left`) no longer shows it. A desk that misses the message learns of it from the tab's next report. */
  report(reported: PresenceReport): void {
    this.#apply(reported)
    this.#database.publish("presence", JSON.stringify(reported)).catch(() => undefined)
  }

  #apply(reported: PresenceReport): void {
    const key = keyOf(reported)
    const before = this.#entries.get(key)
    // Deleted and set again, the entry moves to the Map's end: the oldest entry stands first (`#removeOldest`).
    this.#entries.delete(key)
    const { doing } = reported
    if (doing !== "left") {
      this.#entries.set(key, { ...reported, doing, expiresAt: performance.now() + LASTS_MS })
      this.#removeOldest(reported.personId)
    }
    this.#lookers = undefined
    if ((before?.doing ?? "left") !== doing) this.#changed()
  }

  /** The people who look at an item, by name. A person with several tabs counts once, and `writing` goes before `reading`. */
  of(workId: string, itemId: string): readonly LookingPerson[] {
    this.#lookers ??= this.#findLookers()
    return this.#lookers.get(entryKey(workId, itemId)) ?? []
  }

  #findLookers(): Map<string, readonly LookingPerson[]> {
    const items = new Map<string, Map<string, LookingPerson>>()
    for (const { workId, itemId, personId, name, doing } of this.#entries.values()) {
      const key = entryKey(workId, itemId)
      const people = items.get(key) ?? new Map<string, LookingPerson>()
      const isWriting = doing === "writing" || people.get(personId)?.doing === "writing"
      items.set(key, people.set(personId, { id: personId, name, doing: isWriting ? "writing" : "reading" }))
    }
    const byName = (one: LookingPerson, other: LookingPerson) =>
      one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1)
    return new Map(items.entries().map(([key, people]) => [key, [...people.values()].sort(byName)]))
  }

  /** Forgets tabs that have not reported for LASTS_MS. */
  forgetExpired(): void {
    const now = performance.now()
    const expired = [...this.#entries].filter(([, { expiresAt }]) => expiresAt <= now)
    for (const [key] of expired) this.#entries.delete(key)
    if (expired.length === 0) return
    this.#lookers = undefined
    this.#changed()
  }

  /** Removes the oldest entries of a person who has more than ENTRIES_OF_PERSON_MAX. */
  #removeOldest(personId: string): void {
    const own = [...this.#entries].filter(([, entry]) => entry.personId === personId)
    for (const [key] of own.slice(0, Math.max(0, own.length - ENTRIES_OF_PERSON_MAX))) this.#entries.delete(key)
  }
}

const keyOf = ({ personId, workId, itemId, tab }: Pick<PresenceReport, "personId" | "workId" | "itemId" | "tab">) =>
  JSON.stringify([personId, workId, itemId, tab])
