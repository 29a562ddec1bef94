/** Makes the next mail and push to a person who is back from an absence list everything that is still pending. */
import * as v from "valibot"
import type { Reader } from "../store/database.ts"
import { select } from "../store/tables.ts"
import { FIRST_NOTICE } from "./due-notices.ts"
import type { Outbox } from "./outbox.ts"

/** The clocks of two desks may differ by so much. */
const CLOCKS_MS = 60_000

/**
 * Forgets the notices to everybody whose absence has ended since the last look, so that they are notified of all pending items. In the same
 * transaction the absence becomes empty (`from_at = until_at`), so that this happens once, however the absence ended. An absence that ended before
 * the last look is from a version of the desk that didn't do this. @returns whether there was anybody. @throws LeaseLostError, StoreUnavailableError
 */
export async function renewReturned(outbox: Outbox, reader: Reader, now: number): Promise<boolean> {
  const sql = `SELECT person_id, until_at FROM away WHERE until_at <= ? AND from_at < until_at
    AND until_at > COALESCE((SELECT MAX(looked_at) FROM notice_desk), 0) - ${CLOCKS_MS}`
  const returned = await select(reader, returnedRow, sql, now)
  for (const { personId, untilAt } of returned) {
    await outbox.change(async ({ write }) => {
      const ended = "UPDATE away SET from_at = until_at WHERE person_id = ? AND until_at = ? RETURNING person_id"
      // Another absence may have been set meanwhile.
      if ((await write(ended, personId, untilAt)).length === 0) return
      await write("DELETE FROM notice WHERE recipient = ? AND step = ?", personId, FIRST_NOTICE)
    })
  }
  return returned.length > 0
}

const returnedRow = v.object({ personId: v.string(), untilAt: v.number() })
