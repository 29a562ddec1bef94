/** The rows of the record about actions that involve only the desk, and have no Idempotency-Key. */
import { hash } from "node:crypto"
import type { Person } from "../../contract/desk-people.ts"
import type { RecordTransaction } from "./hash-chain.ts"
import type { IntentRow } from "./record-rows.ts"

export type DeskAction = Omit<IntentRow, "kind" | "person" | "roles" | "key_hash" | "input_hash">

/** Appends the rows of a finished action. The id of the request replaces the key. */
export async function appendDone(
  transaction: RecordTransaction,
  { id: person, roles }: Pick<Person, "id" | "roles">,
  action: DeskAction,
): Promise<void> {
  const key = hash("sha256", `request: ${action.request_id}`)
  const { sequence } = await transaction.append({
    kind: "intent",
    person,
    roles,
    ...action,
    key_hash: key,
    input_hash: key,
  })
  await transaction.append({ kind: "outcome", intent: sequence, outcome: "recorded" })
}
