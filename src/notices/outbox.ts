/**
 * The outbox in the desk's store: what is to be sent, and what was sent. The key of the table `notice` says "notified": a recipient is told each
 * step of a version of an item once. Only the desk that holds the lease `notices` adds to the outbox and takes from it. `docs/notices.md` has
 * the states of a delivery as a table.
 */
import { randomUUID } from "node:crypto"
import * as v from "valibot"
import type { Database, Reader, Statements } from "../store/database.ts"
import { insert, optional, select } from "../store/tables.ts"
import type { Channel, Delivery, NewDelivery, Notice, Outcome, Result } from "./channel.ts"
import { noteNotified, stepKey } from "./known-items.ts"
import { holdsLease, LEASE_MS } from "./lease.ts"
import { Slices } from "./slices.ts"

/** How long to wait after the first failed attempt, after the second, and so on. */
const RETRY_MS = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000] as const

/** How long to wait after so many failed attempts, in milliseconds. Undefined: no more attempts. */
export function retryAfter(attempts: number): number | undefined {
  return RETRY_MS[attempts - 1]
}

/** The longest wait between two attempts. */
export const LONGEST_RETRY_MS = 18_000_000

const ROWS_PER_STATEMENT = 50
/** A transaction that has added so many notices ends. One delivery is never parted. */
const NOTICES_PER_TRANSACTION = 100

/** How long deliveries that have ended are kept. */
const KEPT_MS = 30 * 86_400_000

type OfChannel = Pick<Channel, "name" | "order">

/** What was stored about a result: how it counts, and whether a delivery was given up. */
export type Stored = { readonly outcome: Outcome | undefined; readonly isGivenUp: boolean }

/** The lease was lost: another desk fills the outbox and sends from it now. */
export class LeaseLostError extends Error {}

export class Outbox {
  readonly #database: Database
  readonly #holder: string

  /** `holder` names this process in the lease, and in the deliveries that it has taken. */
  constructor(database: Database, holder: string) {
    this.#database = database
    this.#holder = holder
  }

  /** Runs `work` in a transaction that only the holder of the lease gets. @throws LeaseLostError, StoreUnavailableError */
  async change<Answer>(work: (statements: Statements) => Promise<Answer>): Promise<Answer> {
    return this.#database.transaction("notices", async (statements) => {
      if (!(await holdsLease(statements, this.#holder, Date.now()))) throw new LeaseLostError()
      return work(statements)
    })
  }

  /** Adds deliveries without the notices that are in the outbox already, and notes in the items who is notified. */
  async add(channel: OfChannel, made: readonly NewDelivery[], now: number): Promise<void> {
    // SQLite changes rows without a pause.
    const slices = new Slices()
    for (let begin = 0, end = 0; begin < made.length; begin = end) {
      for (let notices = 0; end < made.length && notices < NOTICES_PER_TRANSACTION; end++) {
        notices += made[end]?.notices.length ?? 0
      }
      const some = made.slice(begin, end)
      const added = await this.change(async (statements) => {
        const found: NewDelivery[] = []
        for (const delivery of some) if (await addDelivery(statements, channel, delivery, now)) found.push(delivery)
        return found
      })
      for (const { recipient, notices, after } of added) {
        for (const { item, step } of notices) {
          noteNotified(item, channel.name, step, recipient)
          if (after !== undefined) item.notified.delete(stepKey(channel.name, after))
        }
      }
      if (slices.isOver) await slices.next()
    }
  }

  /**
   * Takes up to `limit` due deliveries of a channel, oldest first. What this process took before is free again unless it is in `underWay`: the
   * attempt has thrown, or the answer of the store was lost.
   */
  async take(
    { name, order }: OfChannel,
    now: number,
    limit: number,
    underWay: readonly number[],
  ): Promise<readonly Delivery[]> {
    const isFree = `settled_at IS NULL AND (leased_until IS NULL OR leased_until <= ? OR leased_by = ?)
      ${underWay.length === 0 ? "" : `AND sequence NOT IN (${places(underWay)})`}`
    const free = [now, this.#holder, ...underWay]
    const due = await this.#database.read(
      `SELECT sequence FROM notice_delivery AS own WHERE channel = ? AND due_at <= ? AND ${isFree}
         ${order === "by-item" ? `AND NOT EXISTS (${OTHERS} AND its.sequence < own.sequence AND its.settled_at IS NULL)` : ""}
       ORDER BY sequence LIMIT ${limit}`,
      name,
      now,
      ...free,
    )
    if (due.length === 0) return []
    const sequences = due.map(({ sequence }) => Number(sequence))
    return this.change(async ({ write }) => {
      const taken = await select(
        { read: write },
        deliveryRow,
        `UPDATE notice_delivery SET leased_by = ?, leased_until = ? WHERE sequence IN (${places(sequences)}) AND ${isFree}
         RETURNING sequence, id, recipient, content, attempts`,
        this.#holder,
        now + LEASE_MS,
        ...sequences,
        ...free,
      )
      return [...taken].sort((one, other) => one.sequence - other.sequence)
    })
  }

  /** Keeps deliveries that are under way, so that no other desk takes them. */
  async keep(underWay: readonly number[], now: number): Promise<void> {
    if (underWay.length === 0) return
    await this.#database.write(
      `UPDATE notice_delivery SET leased_until = ? WHERE leased_by = ? AND settled_at IS NULL
         AND sequence IN (${places(underWay)})`,
      now + LEASE_MS,
      this.#holder,
      ...underWay,
    )
  }

  /** The notices of a delivery. */
  noticesOf({ sequence, recipient }: Delivery): Promise<readonly Notice[]> {
    return select(
      this.#database,
      noticeRow,
      "SELECT work_id, item_id, version, step FROM notice WHERE delivery = ? AND recipient = ?",
      sequence,
      recipient,
    )
  }

  /** Whether a newer delivery about the same item replaces this one. */
  async isReplaced(channel: OfChannel, delivery: Delivery): Promise<boolean> {
    return isReplaced(this.#database, channel, delivery)
  }

  /**
   * Stores what became of a delivery: it has ended, or is tried again. Not in `change`: what the other side has accepted is marked even when the
   * lease was lost.
   */
  async store(channel: OfChannel, delivery: Delivery, result: Result): Promise<Stored> {
    return this.#database.transaction("notices", async (statements) => {
      for (const { workId, itemId, version, step } of result.withdrawn ?? []) {
        await statements.write(
          `DELETE FROM notice WHERE channel = ? AND recipient = ? AND work_id = ? AND item_id = ? AND version = ? AND step = ?`,
          channel.name,
          delivery.recipient,
          workId,
          itemId,
          version,
          step,
        )
      }
      await result.also?.(statements)
      const now = Date.now()
      const { kind } = result
      if (kind === "postponed") {
        await leave(statements, delivery, { dueAt: result.until, attempts: delivery.attempts, answer: result.answer })
        return { outcome: result.answer === undefined ? undefined : "failed", isGivenUp: false }
      }
      const attempts = delivery.attempts + 1
      const isDropped = kind === "failed" && (await isReplaced(statements, channel, delivery))
      const wait = kind === "failed" && !isDropped ? retryAfter(attempts) : undefined
      if (wait !== undefined) {
        await leave(statements, delivery, { dueAt: now + wait, attempts, answer: result.answer })
        return { outcome: "failed", isGivenUp: false }
      }
      const outcome = isDropped ? "dropped" : kind
      await statements.write(
        `UPDATE notice_delivery SET settled_at = ?, outcome = ?, answer = ?, attempts = ?, leased_by = NULL, leased_until = NULL
         WHERE sequence = ?`,
        now,
        outcome,
        result.answer,
        attempts,
        delivery.sequence,
      )
      return { outcome, isGivenUp: outcome === "failed" }
    })
  }

  /** Removes what has ended 30 days ago. The notices of an item that still waits are kept, so that they are not told again. */
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

const places = (values: readonly unknown[]) => values.map(() => "?").join(", ")

/** The deliveries of the same channel that are about an item of the delivery `own`. */
const OTHERS = `SELECT 1 AS found FROM notice AS mine JOIN notice AS other ON other.channel = mine.channel
    AND other.work_id = mine.work_id AND other.item_id = mine.item_id
  JOIN notice_delivery AS its ON its.sequence = other.delivery
  WHERE mine.delivery = own.sequence`

async function isReplaced({ read }: Reader, { order }: OfChannel, { sequence }: Delivery): Promise<boolean> {
  if (order === "any") return false
  const sql = `SELECT 1 FROM notice_delivery AS own WHERE sequence = ? AND EXISTS (${OTHERS} AND its.sequence > own.sequence)`
  return (await read(sql, sequence)).length > 0
}

/** Leaves a delivery in the outbox until `dueAt`. */
async function leave(
  { write }: Statements,
  { sequence }: Delivery,
  {
    dueAt,
    attempts,
    answer,
  }: { readonly dueAt: number; readonly attempts: number; readonly answer?: string | undefined },
): Promise<void> {
  await write(
    `UPDATE notice_delivery SET due_at = ?, attempts = ?, answer = COALESCE(?, answer), leased_by = NULL, leased_until = NULL
     WHERE sequence = ?`,
    dueAt,
    attempts,
    answer ?? null,
    sequence,
  )
}

/** Adds a delivery with the notices that are not in the outbox yet, if any. Gives false when the delivery must wait for an earlier one. */
async function addDelivery(
  statements: Statements,
  { name, order }: OfChannel,
  { recipient, content, notices, after }: NewDelivery,
  now: number,
): Promise<boolean> {
  const { write } = statements
  if (after !== undefined && !(await beginAnew(statements, name, notices, after))) return false
  const [desk] = await write(
    "UPDATE notice_desk SET last_delivery = last_delivery + 1 WHERE id = 1 RETURNING last_delivery",
  )
  const sequence = Number(desk?.["last_delivery"])
  const slices = new Slices()
  let added = 0
  for (let begin = 0; begin < notices.length; begin += ROWS_PER_STATEMENT) {
    const rows = notices
      .slice(begin, begin + ROWS_PER_STATEMENT)
      .map(({ item, step }) => [name, recipient, item.workId, item.itemId, item.version, step, sequence])
    const inserted = await write(
      `INSERT INTO notice (channel, recipient, work_id, item_id, version, step, delivery)
       VALUES ${rows.map((row) => `(${places(row)})`).join(", ")} ON CONFLICT DO NOTHING RETURNING delivery`,
      ...rows.flat(),
    )
    added += inserted.length
    // SQLite inserts without a pause, and a mail may tell thousands of items.
    if (slices.isOver) await slices.next()
  }
  if (added === 0) return true
  const row = { sequence, id: randomUUID(), channel: name, recipient, content, madeAt: now, dueAt: now, attempts: 0 }
  await insert(statements, "notice_delivery", row)
  if (order === "any") return true
  // What the new delivery replaces is due at once, and is dropped then.
  for (const { item } of notices) {
    await write(
      `UPDATE notice_delivery SET due_at = ? WHERE settled_at IS NULL AND sequence < ?
         AND sequence IN (SELECT delivery FROM notice WHERE channel = ? AND work_id = ? AND item_id = ?)`,
      now,
      sequence,
      name,
      item.workId,
      item.itemId,
    )
  }
  return true
}

/**
 * Removes what was told of items that were told the step `after`, because they have come back. Gives false while a delivery about them has not
 * left, so that it keeps its place in their order.
 */
async function beginAnew(
  { read, write }: Statements,
  channel: string,
  notices: NewDelivery["notices"],
  after: string,
): Promise<boolean> {
  for (const { item } of notices) {
    const key = [channel, item.workId, item.itemId]
    const earlier = await read(
      `SELECT step, settled_at FROM notice JOIN notice_delivery ON sequence = delivery
       WHERE notice.channel = ? AND work_id = ? AND item_id = ?`,
      ...key,
    )
    if (!earlier.some(({ step }) => step === after)) continue
    if (earlier.some(({ settled_at: at }) => at === null)) return false
    await write("DELETE FROM notice WHERE channel = ? AND work_id = ? AND item_id = ?", ...key)
  }
  return true
}

const deliveryRow = v.object({
  sequence: v.number(),
  id: v.string(),
  recipient: v.string(),
  content: optional(v.string()),
  attempts: v.number(),
})

const noticeRow = v.object({ workId: v.string(), itemId: v.string(), version: v.string(), step: v.string() })
