/** What became of the last mail to each person, and how often in a row the mail server has refused the address (docs/operating.md, "Notices"). */
import * as v from "valibot"
import type { LastDelivery } from "../contract/desk-people.ts"
import type { Reader, Statements } from "../store/database.ts"

export type DeliveryState = {
  readonly last: LastDelivery
  /** How often in a row the mail server has refused the address, since the person's last sign-in. */
  readonly refusals: number
}

const REFUSALS_MAX = 3

/**
 * Whether mail is stopped to somebody whose address the mail server has refused so often in a row (docs/operating.md, "Notices"). For a person
 * the store counts, until the next sign-in: `readPeopleNow` leaves the person out. For a mailbox `MailSender` counts, until the desk restarts.
 */
export function isStoppedAfter(refusals: number): boolean {
  return refusals >= REFUSALS_MAX
}

type StoredState = "delivered" | "refused" | "failed"

const stateRow = v.object({
  person_id: v.string(),
  at: v.number(),
  state: v.picklist(["delivered", "refused", "failed"]),
  refusals: v.number(),
  signed_in_at: v.nullable(v.number()),
})

/** The delivery states of everybody, or of one person. @throws StoreUnavailableError */
export async function readDeliveryStates(
  { read }: Reader,
  personId?: string,
): Promise<ReadonlyMap<string, DeliveryState>> {
  const all = `SELECT person_id, at, state, refusals, signed_in_at FROM notice_delivery_state
    LEFT JOIN person ON person.id = person_id`
  const rows = await (personId === undefined ? read(all) : read(`${all} WHERE person_id = ?`, personId))
  return new Map(
    rows.map((row) => {
      const { person_id, at, state, refusals, signed_in_at } = v.parse(stateRow, row)
      const hasSignedInSince = (signed_in_at ?? 0) > at
      return [person_id, toDeliveryState(at, state, hasSignedInSince ? 0 : refusals)]
    }),
  )
}

/** Stores what became of a mail to a person, and gives it as the person is told of it. @throws StoreUnavailableError */
export async function storeDeliveryState(
  statements: Statements,
  personId: string,
  state: StoredState,
): Promise<LastDelivery> {
  const now = Date.now()
  const before = (await readDeliveryStates(statements, personId)).get(personId)?.refusals ?? 0
  // A mail that could not be handed over says nothing about the address.
  const refusals = { delivered: 0, refused: before + 1, failed: before }[state]
  await statements.write(
    `INSERT INTO notice_delivery_state (person_id, at, state, refusals) VALUES (?, ?, ?, ?)
     ON CONFLICT (person_id) DO UPDATE SET at = excluded.at, state = excluded.state, refusals = excluded.refusals`,
    personId,
    now,
    state,
    refusals,
  )
  return toDeliveryState(now, state, refusals).last
}

function toDeliveryState(at: number, state: StoredState, refusals: number): DeliveryState {
  return { last: { at: new Date(at).toISOString(), state: isStoppedAfter(refusals) ? "stopped" : state }, refusals }
}
