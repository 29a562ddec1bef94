/**
 * The outbox in the desk's store: what is to be sent, and what was sent. The key of the table `notice` makes a recipient be told each step of a
 * version of an item once. Only the desk that holds the lease `notices` adds to the outbox and sends from it.
 */
import { randomUUID } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import * as v from "valibot"
import type { Database, Row, Statements } from "../store/database.ts"
import type { DueMail } from "./due.ts"
import { holdsLease, LEASE_MS } from "./lease.ts"
import { readTokenKey } from "./unsubscribe.ts"

export const CHANNELS = ["mail", "webhook"] as const
export type Channel = (typeof CHANNELS)[number]
export const OUTCOMES = ["sent", "refused", "failed", "dropped"] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A mail, or an event of the webhook, that is not settled. Moments are milliseconds since 1970. */
export type Delivery = {
  readonly sequence: number
  /** The left part of the Message-ID, or the webhook-id: the same at every attempt. */
  readonly id: string
  /** A person's id, `mailbox:` and an address, or `webhook`. */
  readonly recipient: string
  /** Of an event: the JSON that is sent. Of an escalation: after how many milliseconds. */
  readonly content: string | null
  readonly madeAt: number
  readonly attempts: number
}

/** One step of one item that a delivery tells. */
export type NoticeRow = {
  readonly workId: string
  readonly itemId: string
  readonly version: string
  readonly step: string
}

/** The recipient of every event. */
export const WEBHOOK = "webhook"

/** How long to wait after the first failed attempt, after the second, and so on. */
const RETRY_MS = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000] as const

/** How long to wait after so many failed attempts, in milliseconds. Undefined: no more attempts. */
export function retryAfter(attempts: number): number | undefined {
  return RETRY_MS[attempts - 1]
}

/** The longest wait between two attempts. */
export const LONGEST_RETRY_MS = 18_000_000

const ROWS_PER_STATEMENT = 50
/** A transaction lets other work run after so many rows: SQLite inserts without a pause, and a mail may tell thousands of items. */
const ROWS_PER_TURN = 500

/** How long settled deliveries are kept. */
const KEPT_MS = 30 * 86_400_000

/** The lease was lost: another desk fills the outbox and sends from it now. */
export class LeaseLostError extends Error {}

export class Outbox {
  readonly #database: Database
  readonly #holder: string

  /** `holder` names this process in leases. */
  constructor(database: Database, holder: string) {
    this.#database = database
    this.#holder = holder
  }

  /** Runs `work` in a transaction that only the holder of the lease gets. @throws LeaseLostError, StoreUnavailableError */
  async change<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#database.transaction("notices", async (statements) => {
      if (!(await holdsLease(statements, this.#holder, Date.now()))) throw new LeaseLostError()
      return work(statements)
    })
  }

  /** Adds a mail without the steps that are in the outbox already. Adds nothing when no step remains. */
  async addMail({ recipient, escalatedAfterMs, items }: DueMail, now: number): Promise<void> {
    const notices = items.flatMap(({ item: { workId, itemId, version }, steps }) =>
      steps.map((step): NoticeRow => ({ workId, itemId, version, step })),
    )
    const content = escalatedAfterMs === undefined ? null : String(escalatedAfterMs)
    await this.change((statements) => addDelivery(statements, { channel: "mail", recipient, content, notices, now }))
  }

  /** Leases up to `limit` due deliveries of a channel to this process, oldest first. An event waits until the earlier events of its item are settled. */
  async take(channel: Channel, now: number, limit: number): Promise<readonly Delivery[]> {
    const due = await this.#database.read(
      `SELECT sequence FROM notice_delivery AS delivery
       WHERE channel = ? AND settled_at IS NULL AND due_at <= ? AND (leased_until IS NULL OR leased_until <= ?)
         AND (channel = 'mail' OR NOT EXISTS (
           SELECT 1 FROM notice AS own JOIN notice AS other
             ON other.work_id = own.work_id AND other.item_id = own.item_id AND other.channel = 'webhook'
           JOIN notice_delivery AS earlier ON earlier.sequence = other.delivery
           WHERE own.delivery = delivery.sequence AND earlier.sequence < delivery.sequence AND earlier.settled_at IS NULL))
       ORDER BY sequence LIMIT ${limit}`,
      channel,
      now,
      now,
    )
    if (due.length === 0) return []
    return this.change(async ({ write }) => {
      const taken = await write(
        `UPDATE notice_delivery SET leased_by = ?, leased_until = ?
         WHERE sequence IN (${due.map(() => "?").join(", ")}) AND settled_at IS NULL AND (leased_until IS NULL OR leased_until <= ?)
         RETURNING sequence, id, recipient, content, made_at, attempts`,
        this.#holder,
        now + LEASE_MS,
        ...due.map(({ sequence }) => Number(sequence)),
        now,
      )
      return taken.map(toDelivery).sort((one, other) => one.sequence - other.sequence)
    })
  }

  /** Renews the leases of what this process is sending. */
  async renew(now: number): Promise<void> {
    await this.#database.write(
      "UPDATE notice_delivery SET leased_until = ? WHERE leased_by = ? AND settled_at IS NULL AND leased_until IS NOT NULL",
      now + LEASE_MS,
      this.#holder,
    )
  }

  /** The steps that a delivery tells. */
  async noticesOf({ sequence, recipient }: Delivery): Promise<readonly NoticeRow[]> {
    const rows = await this.#database.read(
      "SELECT work_id, item_id, version, step FROM notice WHERE delivery = ? AND recipient = ?",
      sequence,
      recipient,
    )
    return rows.map(toNotice)
  }

  /** Removes steps from a mail, because they may not be told now. They may be told later. */
  async removeNotices({ recipient }: Delivery, notices: readonly NoticeRow[]): Promise<void> {
    if (notices.length === 0) return
    await this.#database.transaction("notices", async ({ write }) => {
      for (const { workId, itemId, version, step } of notices) {
        await write(
          `DELETE FROM notice WHERE channel = 'mail' AND recipient = ? AND work_id = ? AND item_id = ? AND version = ? AND step = ?`,
          recipient,
          workId,
          itemId,
          version,
          step,
        )
      }
    })
  }

  /** Marks a delivery as settled. Not in `change`: a delivery that the other side accepted is marked even when the lease was lost. */
  async settle({ sequence }: Delivery, outcome: Outcome, answer: string): Promise<void> {
    await this.#database.write(
      `UPDATE notice_delivery SET settled_at = ?, outcome = ?, answer = ?, attempts = attempts + 1, leased_by = NULL, leased_until = NULL
       WHERE sequence = ?`,
      Date.now(),
      outcome,
      answer,
      sequence,
    )
  }

  /** Gives a delivery back, to be tried at `dueAt`. `attempts` counts the failed attempts. */
  async postpone({ sequence }: Delivery, dueAt: number, attempts: number, answer: string | undefined): Promise<void> {
    await this.#database.write(
      `UPDATE notice_delivery SET due_at = ?, attempts = ?, answer = COALESCE(?, answer), leased_by = NULL, leased_until = NULL
       WHERE sequence = ?`,
      dueAt,
      attempts,
      answer ?? null,
      sequence,
    )
  }

  /** Drops the unsent events `waiting` of an item that the event `before` replaces, but none that is being sent. Gives how many were dropped. */
  async dropReplaced(
    { write }: Statements,
    { workId, itemId }: Pick<NoticeRow, "workId" | "itemId">,
    before: number,
  ): Promise<number> {
    const dropped = await write(
      `UPDATE notice_delivery SET settled_at = ?, outcome = 'dropped'
       WHERE settled_at IS NULL AND channel = 'webhook' AND sequence < ? AND leased_until IS NULL
         AND sequence IN (
           SELECT delivery FROM notice WHERE channel = 'webhook' AND step = 'waiting' AND work_id = ? AND item_id = ?)
       RETURNING sequence`,
      Date.now(),
      before,
      workId,
      itemId,
    )
    return dropped.length
  }

  /** Whether the delivery is an event `waiting`, and a newer event of its item is in the outbox. */
  async isReplaced({ sequence }: Delivery): Promise<boolean> {
    const rows = await this.#database.read(
      `SELECT 1 AS found FROM notice AS own JOIN notice AS newer
         ON newer.work_id = own.work_id AND newer.item_id = own.item_id AND newer.channel = 'webhook'
       WHERE own.delivery = ? AND own.step = 'waiting' AND newer.delivery > ? LIMIT 1`,
      sequence,
      sequence,
    )
    return rows.length > 0
  }

  /** Removes what was settled 30 days ago. The steps of an item that still waits are kept, so that they are not told again. */
  async prune(now: number): Promise<void> {
    await this.change(async ({ write }) => {
      await write(
        `DELETE FROM notice WHERE delivery IN (SELECT sequence FROM notice_delivery WHERE settled_at <= ?)
           AND NOT EXISTS (SELECT 1 FROM noticed_item AS waiting WHERE waiting.work_id = notice.work_id
             AND waiting.item_id = notice.item_id AND waiting.version = notice.version)`,
        now - KEPT_MS,
      )
      await write(
        `DELETE FROM notice_delivery WHERE settled_at <= ? AND NOT EXISTS (SELECT 1 FROM notice WHERE delivery = sequence)`,
        now - KEPT_MS,
      )
    })
  }
}

/** Adds a delivery with the steps that are not in the outbox yet, within `change`. Gives its sequence, or undefined when nothing is new. */
export async function addDelivery(
  { read, write }: Statements,
  delivery: {
    readonly channel: Channel
    readonly recipient: string
    readonly content: string | null
    readonly notices: readonly NoticeRow[]
    readonly now: number
  },
): Promise<number | undefined> {
  const { channel, recipient, content, notices, now } = delivery
  await readTokenKey({ read, write })
  const [desk] = await write(
    "UPDATE notice_desk SET last_delivery = last_delivery + 1 WHERE id = 1 RETURNING last_delivery",
  )
  const sequence = Number(desk?.["last_delivery"])
  let added = 0
  for (let begin = 0; begin < notices.length; begin += ROWS_PER_STATEMENT) {
    const rows = notices.slice(begin, begin + ROWS_PER_STATEMENT)
    const values = rows.flatMap(({ workId, itemId, version, step }) => [
      channel,
      recipient,
      workId,
      itemId,
      version,
      step,
      sequence,
    ])
    const inserted = await write(
      `INSERT INTO notice (channel, recipient, work_id, item_id, version, step, delivery)
       VALUES ${rows.map(() => "(?, ?, ?, ?, ?, ?, ?)").join(", ")} ON CONFLICT DO NOTHING RETURNING delivery`,
      ...values,
    )
    added += inserted.length
    if (begin % ROWS_PER_TURN === 0) await nextTurn()
  }
  if (added === 0) return undefined
  await write(
    `INSERT INTO notice_delivery (sequence, id, channel, recipient, content, made_at, due_at, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, 0)`,
    sequence,
    randomUUID(),
    channel,
    recipient,
    content,
    now,
    now,
  )
  return sequence
}

const deliveryRow = v.object({
  sequence: v.number(),
  id: v.string(),
  recipient: v.string(),
  content: v.nullable(v.string()),
  made_at: v.number(),
  attempts: v.number(),
})

function toDelivery(row: Row): Delivery {
  const { made_at: madeAt, ...delivery } = v.parse(deliveryRow, row)
  return { ...delivery, madeAt }
}

const toNotice = (row: Row): NoticeRow => ({
  workId: String(row["work_id"]),
  itemId: String(row["item_id"]),
  version: String(row["version"]),
  step: String(row["step"]),
})
