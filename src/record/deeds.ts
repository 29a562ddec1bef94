/** Stores what a person did at the desk alone: one intent row and its outcome, together with what it changes. */
import { hash } from "node:crypto"
import type { Session } from "../people/people.ts"
import type { Statements } from "../store/database.ts"
import type { Deed } from "./desk-record.ts"
import { readHead } from "./hash-chain.ts"
import type { IntentRow } from "./rows.ts"
import { inRecord, type RecordStore } from "./transaction.ts"

/** See `DeskRecord.storeDeed`. */
export async function storeDeed(
  store: RecordStore,
  session: Session,
  deed: Deed,
  change: (statements: Statements, sequence: number) => Promise<boolean>,
): Promise<boolean> {
  return inRecord(store, async (transaction) => {
    const head = await readHead(transaction)
    if (!(await change(transaction, head.sequence + 1))) return false
    const { sequence } = await transaction.append(intentOf(session, deed))
    await transaction.append({ kind: "outcome", intent: sequence, outcome: "recorded" })
    return true
  })
}

function intentOf({ person }: Session, { operation, workId, itemId, version, requestId }: Deed): IntentRow {
  // A deed is repeated by its ETag and not by a key, so the id of the request stands for the key.
  const key = hash("sha256", `request: ${requestId}`)
  return {
    kind: "intent",
    person: person.id,
    roles: person.roles,
    operation,
    work_id: workId,
    item_id: itemId,
    version,
    request_id: requestId,
    key_hash: key,
    input_hash: key,
  }
}
