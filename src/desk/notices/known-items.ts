/** The items that waited when the desk last looked, and who was notified of them. Kept in memory and in the store, for the next process. */
import * as v from "valibot"
import type { Reader, Statements } from "../store/database.ts"
import { select, selectInPages, upsert } from "../store/tables.ts"
import type { EndedItem } from "../watcher/known-list.ts"

/** A pending item, as the store remembers it: without its title and text. */
export type KnownItem = {
  readonly kind: "clarification" | "approval"
  readonly workId: string
  readonly itemId: string
  /** The digits of an int64. */
  readonly version: string
  readonly colleague: string
  readonly priority: string
  /** As the upstream wrote it. */
  readonly createdAt: string
  /** When a desk first saw this version, in milliseconds since 1970. */
  readonly seenAt: number
  /** Who was notified of this version, by `stepKey`. */
  readonly notified: Map<string, Set<string>>
}

type Key = Pick<KnownItem, "workId" | "itemId">

/** The key of a channel's step in `KnownItem.notified`. */
export const stepKey = (channel: string, step: string) => `${channel} ${step}`

/** Whether a recipient was notified of a step of an item in this version. */
export function isNotified(item: KnownItem, channel: string, step: string, recipient: string): boolean {
  return item.notified.get(stepKey(channel, step))?.has(recipient) === true
}

/** Notes that a recipient is notified of a step. */
export function noteNotified(
  { notified }: Pick<KnownItem, "notified">,
  channel: string,
  step: string,
  recipient: string,
): void {
  const key = stepKey(channel, step)
  const recipients = notified.get(key) ?? new Set()
  notified.set(key, recipients.add(recipient))
}

export class KnownItems {
  #works = new Map<string, Map<string, KnownItem>>()

  /** Reads what is stored: the items, and who was notified of their present versions. @throws StoreUnavailableError */
  async load(reader: Reader): Promise<void> {
    this.#works = new Map()
    for (const item of await select(reader, itemRow, "SELECT * FROM noticed_item")) this.put(item)
    const key = ["work_id", "item_id", "channel", "recipient", "step"].map((column) => `notice.${column}`).join(", ")
    const rows = selectInPages(
      reader,
      notifiedRow,
      `SELECT ${key} FROM notice JOIN noticed_item AS known ON known.work_id = notice.work_id
         AND known.item_id = notice.item_id AND known.version = notice.version
       WHERE (${key}) > (?, ?, ?, ?, ?) ORDER BY ${key}`,
      (last) => (last === undefined ? ["", "", "", "", ""] : Object.values(last)),
    )
    for await (const row of rows) {
      const item = this.get(row)
      if (item !== undefined) noteNotified(item, row.channel, row.step, row.recipient)
    }
  }

  get({ workId, itemId }: Key): KnownItem | undefined {
    return this.#works.get(workId)?.get(itemId)
  }

  all(): Iterable<KnownItem> {
    return this.#works.values().flatMap((items) => items.values())
  }

  put(item: KnownItem): void {
    const items = this.#works.get(item.workId) ?? new Map()
    this.#works.set(item.workId, items.set(item.itemId, item))
  }

  remove({ workId, itemId }: Key): void {
    const items = this.#works.get(workId)
    items?.delete(itemId)
    if (items?.size === 0) this.#works.delete(workId)
  }
}

/** Stores items that are new, or have a new version. */
export async function storeItems(statements: Statements, items: readonly KnownItem[]): Promise<void> {
  const rows = items.map(({ workId, itemId, kind, version, colleague, priority, createdAt, seenAt }) => {
    const storedKind = kind === "approval" ? kind : "attention"
    return { workId, itemId, kind: storedKind, version, colleague, priority, createdAt, seenAt }
  })
  await upsert(statements, "noticed_item", { key: ["workId", "itemId"] }, ...rows)
}

/** Removes an item that is no longer pending. */
export async function removeItem(
  { write }: Statements,
  { item: { workId, itemId } }: EndedItem<KnownItem>,
): Promise<void> {
  await write("DELETE FROM noticed_item WHERE work_id = ? AND item_id = ?", workId, itemId)
}

const itemRow = v.pipe(
  v.object({
    workId: v.string(),
    itemId: v.string(),
    kind: v.pipe(
      v.picklist(["attention", "approval"]),
      v.transform((kind) => (kind === "attention" ? "clarification" : kind)),
    ),
    version: v.string(),
    colleague: v.string(),
    priority: v.string(),
    createdAt: v.string(),
    seenAt: v.number(),
  }),
  v.transform((row): KnownItem => ({ ...row, notified: new Map() })),
)

/** The members are in the order of the key that pages are read by. */
const notifiedRow = v.object({
  workId: v.string(),
  itemId: v.string(),
  channel: v.string(),
  recipient: v.string(),
  step: v.string(),
})
