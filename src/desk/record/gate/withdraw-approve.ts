/** Withdraws an approve that the desk holds (`docs/operating.md`, "Several approvals"). */
import { keyReused, perhapsDecided } from "./gate-refusals.ts"
import { notFound } from "../../../platform/http/refusals.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Session } from "../../people/people-interface.ts"
import type { Statements } from "../../store/database.ts"
import { inRecord, type RecordOptions, type RecordTransaction } from "../hash-chain.ts"
import { findUnderWay, findUnknown, type UnderWay, waitForOutcome } from "./attempt-state.ts"
import { attemptsWith, checkKey, isSameInput } from "./idempotency-keys.ts"
import { aboutOf, type Intended, intentOf, type Mutation } from "./mutation.ts"
import { readIntent } from "../record-rows.ts"
import { type HeldApprove, readHeld, removeHeld } from "./held-approves.ts"
import type { ItemReads } from "./mutation-checks.ts"
import { findApproval } from "./recorded-content.ts"

/** A request to withdraw an approve that the desk holds. */
export type Withdrawal = Pick<Mutation, "target" | "idempotencyKey" | "requestId"> & {
  readonly workId: string
  readonly itemId: string
}

type WithdrawalIntended = Intended & Withdrawal

/** Why a person's approve is not withdrawn yet. */
type NotYet =
  /** A decision is being sent, perhaps the last approve that is needed. This person's approve counts for it. */
  | { readonly kind: "a decision is being sent"; readonly underWay: UnderWay }
  /** The outcome of a decision is not known. The service may have confirmed the decision, with this person's approve of `version`. */
  | { readonly kind: "perhaps decided"; readonly attempt: number; readonly version: string }

/** Withdraws a person's approve, once for each key. `readApprovals` asks the service if it may have decided. @throws Refused @throws StoreUnavailableError */
export async function withdrawApprove(
  options: RecordOptions,
  session: Session,
  withdrawal: Withdrawal,
  readApprovals: ItemReads["approvals"],
): Promise<void> {
  const intended = { ...withdrawal, operation: "withdrawApproval" as const, ifMatch: undefined, body: undefined }
  /** After this attempt was sent, the service still had the approval pending. */
  let pendingAfter = 0
  for (;;) {
    const notYet = await inRecord(options, async (transaction) => {
      await options.checkSession?.(transaction, session)
      return tryToWithdraw(transaction, session, intended, pendingAfter)
    })
    if (notYet === undefined) return
    if (notYet.kind === "a decision is being sent") {
      // After `recorded` there is nothing to withdraw, after `unknown` the next try asks the service, and after any other outcome the approve is still held.
      await waitForOutcome(options.database, notYet.underWay)
    } else {
      const approval = findApproval(await readApprovals(), intended.workId, intended.itemId)
      const isPending = approval?.isPending === true && String(approval.version) === notYet.version
      if (!isPending) throw new Refused(perhapsDecided)
      pendingAfter = notYet.attempt
    }
  }
}

/** Withdraws the approve, or says why not yet. @throws Refused */
async function tryToWithdraw(
  transaction: RecordTransaction,
  session: Session,
  intended: WithdrawalIntended,
  pendingAfter: number,
): Promise<NotYet | undefined> {
  const item = { workId: intended.workId, approvalId: intended.itemId }
  const attempts = await attemptsWith(transaction, intended, session.person.id)
  await checkKey(transaction, attempts, session, intended)
  if (!attempts.every((attempt) => isSameInput(attempt, intended))) throw new Refused(keyReused)
  const isRepeated = attempts.length > 0
  if (isRepeated) return undefined
  const underWay = await findUnderWay(transaction, item)
  if (underWay !== undefined) return { kind: "a decision is being sent", underWay }
  const own = (await readHeld(transaction, item)).find(({ personId }) => personId === session.person.id)
  if (own === undefined) throw new Refused(notFound)
  const attempt = await findUnknown(transaction, item, Math.max(own.intent, pendingAfter))
  if (attempt !== undefined) return { kind: "perhaps decided", attempt, version: own.version }
  const [approve] = await transaction.read("SELECT entry FROM record WHERE sequence = ?", own.intent)
  await removeHeld(transaction, [own])
  await withdrawKeys(transaction, own)
  const about = aboutOf(readIntent(approve?.["entry"]))
  const intent = { ...intentOf(session, intended, undefined, about), version: BigInt(own.version) }
  const { sequence } = await transaction.append(intent)
  await transaction.append({ kind: "outcome", intent: sequence, outcome: "recorded", status: 204 })
  return undefined
}

/** Withdraws the keys of a person's approve, so that a late repetition of a request does not give the approve again. */
async function withdrawKeys({ write }: Statements, { workId, approvalId, personId }: HeldApprove): Promise<void> {
  await write(
    `INSERT INTO withdrawn_key (key_hash)
     SELECT DISTINCT asked.key_hash FROM record AS asked JOIN record AS answered ON answered.intent = asked.sequence
     WHERE answered.outcome = 'held' AND asked.work_id = ? AND asked.item_id = ? AND asked.person_id = ?
     ON CONFLICT (key_hash) DO NOTHING`,
    workId,
    approvalId,
    personId,
  )
}
