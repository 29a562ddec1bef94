/** Stores what a person did at the desk alone: one intent row and its outcome, together with what it changes. */
import { hash } from "node:crypto"
import type { Session } from "../people/people.ts"
import type { Statements } from "../store/database.ts"
import type { Deed } from "./desk-record.ts"
import { append, readHead } from "./hash-chain.ts"
import type { MutationOptions } from "./mutation-steps.ts"
import type { IntentRow } from "./rows.ts"

/** See `DeskRecord.storeDeed`. */
export async function storeDeed(
  { database, onStored }: Pick<MutationOptions, "database" | "onStored">,
  session: Session,
  deed: Deed,
  change: (statements: Statements, sequence: number) => Promise<boolean>,
): Promise<boolean> {
  const began = performance.now()
  const rows = await database.transaction("record", async (statements) => {
    const { sequence } = await readHead(statements)
    const intent = sequence + 1
    if (!(await change(statements, intent))) return []
    return append(statements, [intentOf(session, deed), { kind: "outcome", intent, outcome: "recorded" }])
  })
  if (rows.length > 0) onStored(rows, performance.now() - began)
  return rows.length > 0
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
