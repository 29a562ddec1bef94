/** The items that waited when the desk last looked. Each difference to the items that wait now becomes an event of the webhook. */
import { setImmediate as nextTurn } from "node:timers/promises"
import * as v from "valibot"
import type { Reader, Row, Statements } from "../store/database.ts"
import { addDelivery, type Outbox, WEBHOOK } from "./outbox.ts"
import type { Told } from "./told.ts"

/** An item that waits, as the store remembers it: without its title and text. */
export type NoticedItem = {
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
}

type Key = Pick<NoticedItem, "workId" | "itemId">

/** The link to an item below `base`, which has no path. */
export function linkTo(base: URL, { kind, itemId }: Pick<NoticedItem, "kind" | "itemId">): string {
  const path = kind === "approval" ? "/approvals" : "/needs-you"
  return new URL(`${path}?item=${encodeURIComponent(itemId.toWellFormed())}`, base).href
}

const itemRow = v.object({
  work_id: v.string(),
  item_id: v.string(),
  kind: v.pipe(
    v.picklist(["attention", "approval"]),
    v.transform((kind) => (kind === "attention" ? "clarification" : kind)),
  ),
  version: v.string(),
  colleague: v.string(),
  priority: v.string(),
  created_at: v.string(),
  seen_at: v.number(),
})

const CHANGES_PER_TRANSACTION = 100

export class NoticedItems {
  readonly #outbox: Outbox
  readonly #told: Told
  /** Where the links of events begin. Undefined: there is no webhook. */
  readonly #links: (() => URL) | undefined
  readonly #works = new Map<string, Map<string, NoticedItem>>()

  constructor(outbox: Outbox, told: Told, links: (() => URL) | undefined) {
    this.#outbox = outbox
    this.#told = told
    this.#links = links
  }

  /** Reads what an earlier process stored: the items, and the steps of their versions that are in the outbox. */
  async load({ read }: Reader): Promise<void> {
    for (const row of await read("SELECT * FROM noticed_item")) this.#put(toItem(row))
    let after: readonly [string, string, string] = ["", "", ""]
    for (;;) {
      const rows = await read(
        `SELECT notice.recipient, notice.step, notice.work_id, notice.item_id, notice.version, notice.channel FROM notice
         JOIN noticed_item AS waiting ON waiting.work_id = notice.work_id AND waiting.item_id = notice.item_id
           AND waiting.version = notice.version
         WHERE (notice.work_id, notice.item_id, notice.recipient) >= (?, ?, ?)
         ORDER BY notice.work_id, notice.item_id, notice.recipient LIMIT ${ROWS_PER_READ}`,
        ...after,
      )
      for (const row of rows) {
        const item = { workId: String(row["work_id"]), itemId: String(row["item_id"]), version: String(row["version"]) }
        this.#told.add(item, String(row["step"]), String(row["recipient"]))
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < ROWS_PER_READ) return
      after = [String(last["work_id"]), String(last["item_id"]), String(last["recipient"])]
      await nextTurn()
    }
  }

  get({ workId, itemId }: Key): NoticedItem | undefined {
    return this.#works.get(workId)?.get(itemId)
  }

  /** Takes in what waits now, oldest first, and stores the difference with its events. Gives how many unsent events a newer one replaces. */
  async take(waiting: readonly NoticedItem[], isGone: (item: NoticedItem) => boolean, now: number): Promise<number> {
    const present = new Map<string, Set<string>>()
    const changes: { readonly step: "waiting" | "resolved"; readonly item: NoticedItem }[] = []
    for (const item of waiting) {
      const items = present.get(item.workId) ?? new Set()
      present.set(item.workId, items.add(item.itemId))
      const before = this.get(item)
      const isSameVersion = before?.version === item.version
      // An item that waited before the desk had a webhook.
      const lacksEvent = this.#links !== undefined && !this.#told.of(item).has("waiting", WEBHOOK)
      if (!isSameVersion || lacksEvent) changes.push({ step: "waiting", item: isSameVersion ? before : item })
    }
    await nextTurn()
    for (const items of this.#works.values()) {
      for (const item of items.values()) {
        if (present.get(item.workId)?.has(item.itemId) !== true && isGone(item))
          changes.push({ step: "resolved", item })
      }
    }
    let dropped = 0
    for (let begin = 0; begin < changes.length; begin += CHANGES_PER_TRANSACTION) {
      const some = changes.slice(begin, begin + CHANGES_PER_TRANSACTION)
      dropped += await this.#outbox.change(async (statements) => {
        let replaced = 0
        for (const { step, item } of some) replaced += await this.#store(statements, step, item, now)
        return replaced
      })
      for (const { step, item } of some) this.#remember(step, item)
      await nextTurn()
    }
    return dropped
  }

  async #store(statements: Statements, step: "waiting" | "resolved", item: NoticedItem, now: number): Promise<number> {
    const { workId, itemId, version, kind, colleague, priority, createdAt, seenAt } = item
    if (step === "resolved") {
      await statements.write("DELETE FROM noticed_item WHERE work_id = ? AND item_id = ?", workId, itemId)
    } else {
      await statements.write(
        `INSERT INTO noticed_item (work_id, item_id, kind, version, colleague, priority, created_at, seen_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (work_id, item_id) DO UPDATE SET kind = excluded.kind, version = excluded.version,
           colleague = excluded.colleague, priority = excluded.priority, created_at = excluded.created_at,
           seen_at = excluded.seen_at`,
        workId,
        itemId,
        kind === "approval" ? kind : "attention",
        version,
        colleague,
        priority,
        createdAt,
        seenAt,
      )
    }
    if (this.#links === undefined) return 0
    const content = eventOf(step, item, this.#links(), now)
    const notices = [{ workId, itemId, version, step }]
    const sequence = await addDelivery(statements, { channel: "webhook", recipient: WEBHOOK, content, notices, now })
    return sequence === undefined ? 0 : this.#outbox.dropReplaced(statements, item, sequence)
  }

  #remember(step: "waiting" | "resolved", item: NoticedItem): void {
    if (step === "waiting") {
      this.#put(item)
      if (this.#links !== undefined) this.#told.add(item, step, WEBHOOK)
      return
    }
    const items = this.#works.get(item.workId)
    items?.delete(item.itemId)
    if (items?.size === 0) this.#works.delete(item.workId)
    this.#told.forget(item.workId, item.itemId)
  }

  #put(item: NoticedItem): void {
    const items = this.#works.get(item.workId) ?? new Map()
    this.#works.set(item.workId, items.set(item.itemId, item))
  }
}

const ROWS_PER_READ = 2_000

/** An event of the webhook as JSON. */
function eventOf(step: "waiting" | "resolved", item: NoticedItem, links: URL, now: number): string {
  const { kind, workId, itemId, version, colleague, priority, createdAt } = item
  return JSON.stringify({
    type: `${kind}.${step}`,
    timestamp: new Date(now).toISOString(),
    data: {
      work_id: workId,
      item_id: itemId,
      version,
      colleague_id: colleague,
      priority,
      created_at: createdAt,
      url: linkTo(links, item),
    },
  })
}

function toItem(row: Row): NoticedItem {
  const { work_id: workId, item_id: itemId, created_at: createdAt, seen_at: seenAt, ...item } = v.parse(itemRow, row)
  return { ...item, workId, itemId, createdAt, seenAt }
}
