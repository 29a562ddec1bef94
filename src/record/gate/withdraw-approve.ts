/** Takes back an approve that the desk holds (`docs/operating.md`, "Several approvals"). */
import { keyReused } from "./gate-refusals.ts"
import { notFound } from "../../http/refusals.ts"
import { Refused } from "../../http/send.ts"
import type { Session } from "../../people/people.ts"
import type { Statements } from "../../store/database.ts"
import { inRecord, type RecordOptions, type RecordTransaction } from "../hash-chain.ts"
import { findUnderWay, outcomeOf, type UnderWay } from "./attempt-state.ts"
import { attemptsWith, checkKey, isSameInput } from "./idempotency-keys.ts"
import { aboutOf, type Intended, intentOf, keyHashOf, type Mutation } from "./mutation.ts"
import { readIntent } from "../rows.ts"
import { type ApprovalId, readHeld } from "./held-approves.ts"

/** A request to take back an approve that the desk holds. */
export type Withdrawal = Pick<Mutation, "target" | "idempotencyKey" | "requestId"> & {
  readonly workId: string
  readonly itemId: string
}

type WithdrawalIntended = Intended & Withdrawal

/** Withdraws a person's approve, unless an earlier request under the same key has done so. @throws Refused @throws StoreUnavailableError */
export async function withdrawApprove(options: RecordOptions, session: Session, withdrawal: Withdrawal): Promise<void> {
  const intended = { ...withdrawal, operation: "withdrawApproval" as const, ifMatch: undefined, body: undefined }
  for (;;) {
    const underWay = await inRecord(options, (transaction) => tryToWithdraw(transaction, session, intended))
    if (underWay === undefined) return
    // After the outcome `recorded` the approval is decided, and nothing is left to withdraw. After any other outcome the approve is still held.
    await outcomeOf(options.database, underWay)
  }
}

/**
 * Withdraws the approve, or gives the decision that is being sent, perhaps the last approve that is needed: this person's approve counts for it.
 * @throws Refused
 */
async function tryToWithdraw(
  transaction: RecordTransaction,
  session: Session,
  intended: WithdrawalIntended,
): Promise<UnderWay | undefined> {
  const item = { workId: intended.workId, approvalId: intended.itemId }
  const attempts = await attemptsWith(transaction, keyHashOf(intended))
  await checkKey(transaction, attempts, session, intended)
  if (!attempts.every((attempt) => isSameInput(attempt, intended))) throw new Refused(keyReused)
  const isRepeated = attempts.length > 0
  if (isRepeated) return undefined
  const underWay = await findUnderWay(transaction, item)
  if (underWay !== undefined) return underWay
  const own = (await readHeld(transaction, item)).find(({ personId }) => personId === session.person.id)
  if (own === undefined) throw new Refused(notFound)
  const [approve] = await transaction.read("SELECT entry FROM record WHERE sequence = ?", own.intent)
  await removeHeld(transaction, item, session.person.id)
  const about = aboutOf(readIntent(approve?.["entry"]))
  const intent = { ...intentOf(session, intended, undefined, about), version: BigInt(own.version) }
  const { sequence } = await transaction.append(intent)
  await transaction.append({ kind: "outcome", intent: sequence, outcome: "recorded", status: 204 })
  return undefined
}

/** Removes a person's approve. Its keys become withdrawn, so that a late repetition of a request does not give the approve again. */
async function removeHeld({ write }: Statements, { workId, approvalId }: ApprovalId, personId: string): Promise<void> {
  const ids = [workId, approvalId, personId]
  await write("DELETE FROM held_approval WHERE work_id = ? AND approval_id = ? AND person_id = ?", ...ids)
  await write(
    `INSERT INTO withdrawn_key (key_hash)
     SELECT DISTINCT asked.key_hash FROM record AS asked JOIN record AS answered ON answered.intent = asked.sequence
     WHERE answered.outcome = 'held' AND asked.work_id = ? AND asked.item_id = ? AND asked.person_id = ?
     ON CONFLICT (key_hash) DO NOTHING`,
    ...ids,
  )
}
