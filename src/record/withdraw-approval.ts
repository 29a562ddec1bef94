/** Takes back an approve that the desk keeps: `DELETE /desk/approvals/{work}/{approval}/mine`. */
import type { Refusal } from "../contract/refusal.ts"
import type { Session } from "../people/people.ts"
import type { Withdrawal } from "./desk-record.ts"
import { readHeld, removeHeld } from "./held-approvals.ts"
import { aboutOf, intentOf, isSameInput, keyHashOf } from "./intent.ts"
import { attemptsWith } from "./look-up.ts"
import { checkKey } from "./mutation-steps.ts"
import { readRow } from "./rows.ts"
import type { SendingApprovals } from "./sending-approvals.ts"
import { inRecord, type RecordStore } from "./transaction.ts"
import { keyReused, notFound } from "../contract/refusals.ts"

/** Withdraws a person's approve. Undefined: done, now or under the same key before. @throws StoreUnavailableError */
export async function withdrawApproval(
  store: RecordStore,
  session: Session,
  withdrawal: Withdrawal,
  sending: SendingApprovals,
): Promise<Refusal | undefined> {
  const intended = { ...withdrawal, operation: "withdrawApproval" as const, ifMatch: undefined, body: undefined }
  const item = { workId: withdrawal.workId, approvalId: withdrawal.itemId }
  for (;;) {
    const done = await inRecord(store, async (transaction) => {
      const attempts = await attemptsWith(transaction, keyHashOf(intended))
      const refusal = await checkKey(transaction, attempts, session, intended)
      if (refusal !== undefined) return refusal
      if (attempts.length > 0)
        return attempts.every((attempt) => isSameInput(attempt, intended)) ? undefined : keyReused
      // While the last approve is being sent, this one counts. The outcome decides whether it can be withdrawn.
      const sent = await sending.findOther(transaction, item, "")
      if (sent !== undefined) return sent
      const own = (await readHeld(transaction, item)).find(({ personId }) => personId === session.person.id)
      if (own === undefined) return notFound
      const [approve] = await transaction.read("SELECT entry FROM record WHERE sequence = ?", own.intent)
      const row = readRow(String(approve?.["entry"] ?? ""))
      const about = row?.kind === "intent" ? aboutOf(row) : {}
      await removeHeld(transaction, item, session.person.id)
      const intent = { ...intentOf(session, intended, undefined, about), version: BigInt(own.version) }
      const { sequence } = await transaction.append(intent)
      await transaction.append({ kind: "outcome", intent: sequence, outcome: "recorded", status: 204 })
      return undefined
    })
    if (typeof done !== "number") return done
    await sending.outcomeOf(done)
  }
}
