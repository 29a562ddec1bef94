/** Fills the outbox: adds the deliveries that each channel wants to send, without what its recipient was notified of before. */
import { randomUUID } from "node:crypto"
import type { Statements } from "../store/database.ts"
import { inChunks, insert, placesFor } from "../store/tables.ts"
import type { NewDelivery } from "./channel.ts"
import { noteNotified, stepKey } from "./known-items.ts"
import type { Outbox, OutboxChannel } from "./outbox.ts"

const ROWS_PER_STATEMENT = 50
/** A transaction ends when it has added this many notices. A delivery is never split. */
const NOTICES_PER_TRANSACTION = 100

/** Adds deliveries, and notes in their items who is notified. @throws LeaseLostError, StoreUnavailableError */
export async function addDeliveries(
  outbox: Outbox,
  channel: OutboxChannel,
  deliveries: readonly NewDelivery[],
  now: number,
): Promise<void> {
  for (let begin = 0, end = 0; begin < deliveries.length; begin = end) {
    for (let notices = 0; end < deliveries.length && notices < NOTICES_PER_TRANSACTION; end++) {
      notices += deliveries[end]?.notices.length ?? 0
    }
    const some = deliveries.slice(begin, end)
    const added = await outbox.change(async (statements) => {
      const found: NewDelivery[] = []
      for (const delivery of some) if (await addDelivery(statements, channel, delivery, now)) found.push(delivery)
      return found
    })
    for (const { recipient, notices, endStep } of added) {
      for (const { item, step } of notices) {
        noteNotified(item, channel.name, step, recipient)
        if (endStep !== undefined) item.notified.delete(stepKey(channel.name, endStep))
      }
    }
  }
}

/** Adds a delivery with the notices that are in none yet. @returns false if an earlier one about the same items must leave first: the next look retries */
async function addDelivery(
  statements: Statements,
  { name, order }: OutboxChannel,
  delivery: NewDelivery,
  now: number,
): Promise<boolean> {
  const { recipient, content, notices, endStep } = delivery
  if (endStep !== undefined && !(await forgetEnded(statements, name, notices, endStep))) return false
  const [desk] = await statements.write(
    "UPDATE notice_desk SET last_delivery = last_delivery + 1 WHERE id = 1 RETURNING last_delivery",
  )
  const sequence = Number(desk?.["last_delivery"])
  if ((await insertNotices(statements, name, delivery, sequence)) === 0) return true
  const row = { sequence, id: randomUUID(), channel: name, recipient, content, madeAt: now, dueAt: now, attempts: 0 }
  await insert(statements, "notice_delivery", row)
  if (order === "by-item") await dropReplaced(statements, name, delivery, sequence, now)
  return true
}

/** Inserts the notices that are in no delivery yet. @returns how many these are */
async function insertNotices(
  { write }: Statements,
  channel: string,
  { recipient, notices }: NewDelivery,
  sequence: number,
): Promise<number> {
  const keys = notices.map(({ item, step }) => [item.workId, item.itemId, item.version, step])
  // Two equal rules escalate an item by the same step. PostgreSQL refuses to store a row twice in one statement.
  const distinct = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]
  let added = 0
  for (const some of inChunks(distinct, ROWS_PER_STATEMENT)) {
    const rows = some.map((key) => [channel, recipient, ...key, sequence])
    const inserted = await write(
      `INSERT INTO notice (channel, recipient, work_id, item_id, version, step, delivery)
       VALUES ${rows.map((row) => `(${placesFor(row)})`).join(", ")}
       ON CONFLICT (channel, recipient, work_id, item_id, version, step)
         DO UPDATE SET delivery = excluded.delivery WHERE notice.delivery IS NULL
       RETURNING delivery`,
      ...rows.flat(),
    )
    added += inserted.length
  }
  return added
}

/** Makes the unsent deliveries about the same items due at once. Sending drops them, because a newer delivery replaces them. */
async function dropReplaced(
  { write }: Statements,
  channel: string,
  { notices }: NewDelivery,
  sequence: number,
  now: number,
): Promise<void> {
  for (const { item } of notices) {
    await write(
      `UPDATE notice_delivery SET due_at = ? WHERE settled_at IS NULL AND sequence < ?
         AND sequence IN (SELECT delivery FROM notice WHERE channel = ? AND work_id = ? AND item_id = ?)`,
      now,
      sequence,
      channel,
      item.workId,
      item.itemId,
    )
  }
}

/** Removes the notices of items whose end was announced and that are pending again. @returns false until earlier deliveries about them have left */
async function forgetEnded(
  { read, write }: Statements,
  channel: string,
  notices: NewDelivery["notices"],
  endStep: string,
): Promise<boolean> {
  for (const { item } of notices) {
    const key = [channel, item.workId, item.itemId]
    const earlier = await read(
      `SELECT step, settled_at FROM notice JOIN notice_delivery ON sequence = delivery
       WHERE notice.channel = ? AND work_id = ? AND item_id = ?`,
      ...key,
    )
    if (!earlier.some(({ step }) => step === endStep)) continue
    if (earlier.some(({ settled_at: at }) => at === null)) return false
    await write("DELETE FROM notice WHERE channel = ? AND work_id = ? AND item_id = ?", ...key)
  }
  return true
}
