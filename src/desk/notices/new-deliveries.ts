/** Fills the outbox: adds what each channel wishes to send, without what its recipient was notified of before. */
import { randomUUID } from "node:crypto"
import type { Statements } from "../store/database.ts"
import { insert } from "../store/tables.ts"
import type { NewDelivery } from "./channel.ts"
import { noteNotified, stepKey } from "./known-items.ts"
import type { Outbox, OutboxChannel } from "./outbox.ts"

const ROWS_PER_STATEMENT = 50
/** A transaction that has added so many notices ends. One delivery is never parted. */
const NOTICES_PER_TRANSACTION = 100

/** Adds deliveries, and notes in their items who is notified. @throws LeaseLostError, StoreUnavailableError */
export async function addDeliveries(
  outbox: Outbox,
  channel: OutboxChannel,
  made: readonly NewDelivery[],
  now: number,
): Promise<void> {
  for (let begin = 0, end = 0; begin < made.length; begin = end) {
    for (let notices = 0; end < made.length && notices < NOTICES_PER_TRANSACTION; end++) {
      notices += made[end]?.notices.length ?? 0
    }
    const some = made.slice(begin, end)
    const added = await outbox.change(async (statements) => {
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
  }
}

/**
 * Adds a delivery with its notices that are in no delivery yet. Adds nothing if all of them are.
 * @returns false when nothing could be added yet, because an earlier delivery about the same items has not left: the next look tries again
 */
async function addDelivery(
  statements: Statements,
  { name, order }: OutboxChannel,
  { recipient, content, notices, after }: NewDelivery,
  now: number,
): Promise<boolean> {
  const { write } = statements
  if (after !== undefined && !(await beginAnew(statements, name, notices, after))) return false
  const [desk] = await write(
    "UPDATE notice_desk SET last_delivery = last_delivery + 1 WHERE id = 1 RETURNING last_delivery",
  )
  const sequence = Number(desk?.["last_delivery"])
  const keys = notices.map(({ item, step }) => [item.workId, item.itemId, item.version, step])
  // Two equal rules escalate an item by the same step. PostgreSQL refuses to store a row twice in one statement.
  const distinct = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]
  let added = 0
  for (let begin = 0; begin < distinct.length; begin += ROWS_PER_STATEMENT) {
    const some = distinct.slice(begin, begin + ROWS_PER_STATEMENT)
    const rows = some.map((key) => [name, recipient, ...key, sequence])
    const inserted = await write(
      `INSERT INTO notice (channel, recipient, work_id, item_id, version, step, delivery)
       VALUES ${rows.map((row) => `(${places(row)})`).join(", ")}
       ON CONFLICT (channel, recipient, work_id, item_id, version, step)
         DO UPDATE SET delivery = excluded.delivery WHERE notice.delivery IS NULL
       RETURNING delivery`,
      ...rows.flat(),
    )
    added += inserted.length
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
 * Removes the notices of items that have come back: their step `after` is notified. Gives false while a delivery about them has not left, so that
 * it keeps its place in their order.
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

const places = (values: readonly unknown[]) => values.map(() => "?").join(", ")
