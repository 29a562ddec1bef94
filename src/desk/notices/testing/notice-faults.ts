/** What a random run has left of notices, in words: each is of one delivery, and each delivery that has not left is about something. */
import type { Reader } from "../../store/database.ts"

export async function faultsOfNotices({ read }: Reader): Promise<readonly string[]> {
  const stray = await read(
    `SELECT item_id FROM notice JOIN notice_delivery AS own ON own.sequence = notice.delivery
     WHERE own.channel <> notice.channel OR own.recipient <> notice.recipient`,
  )
  const empty = await read(
    `SELECT id FROM notice_delivery AS own WHERE settled_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM notice WHERE delivery = own.sequence)`,
  )
  const twice = await read("SELECT id FROM notice_delivery GROUP BY id HAVING count(*) > 1")
  return [
    ...stray.map((row) => `the notice of ${row["item_id"]} is in the delivery of somebody else`),
    ...empty.map((row) => `delivery ${row["id"]} is about nothing`),
    ...twice.map((row) => `two deliveries are ${row["id"]}`),
  ]
}
