/** The result of the last mail to each person, and how often in a row the mail server has refused the address (docs/notices.md, "Set up a channel"). */
import * as v from "valibot"
import type { LastDelivery } from "../../contract/desk-people.ts"
import type { Reader, Statements } from "../store/database.ts"
import { optional, select, upsert } from "../store/tables.ts"

export const REFUSALS_MAX = 3

/** Whether mail to a person is stopped: the server has refused the address three times in a row since the person's last sign-in. */
export function isStopped(refusals: number, mailedAt: number, signedInAt: number): boolean {
  return refusals >= REFUSALS_MAX && signedInAt <= mailedAt
}

const lastRow = v.object({
  at: v.number(),
  state: v.picklist(["delivered", "refused", "failed"]),
  refusals: v.number(),
  signedInAt: optional(v.number()),
})

/** The last mail to a person. @throws StoreUnavailableError */
export async function readLastMail(reader: Reader, personId: string): Promise<LastDelivery | null> {
  const last = await readLast(reader, personId)
  if (last === undefined) return null
  const state = isStopped(last.refusals, last.at, last.signedInAt ?? 0) ? "stopped" : last.state
  return { at: new Date(last.at).toISOString(), state }
}

async function readLast(reader: Reader, personId: string) {
  const [last] = await select(
    reader,
    lastRow,
    `SELECT at, state, refusals, signed_in_at FROM notice_delivery_state
     LEFT JOIN person ON person.id = person_id WHERE person_id = ?`,
    personId,
  )
  return last
}

/** Stores the result of a mail to a person. @throws StoreUnavailableError */
export async function storeLastMail(
  statements: Statements,
  personId: string,
  state: "delivered" | "refused" | "failed",
): Promise<void> {
  const last = await readLast(statements, personId)
  const before = last === undefined || (last.signedInAt ?? 0) > last.at ? 0 : last.refusals
  // A mail that could not be handed over says nothing about the address.
  const refusals = { delivered: 0, refused: before + 1, failed: before }[state]
  const row = { personId, at: Date.now(), state, refusals }
  await upsert(statements, "notice_delivery_state", { key: ["personId"] }, row)
}
