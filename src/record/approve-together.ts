/**
 * What becomes of an approve, and of its withdrawal, when several persons must approve (`docs/operating.md`, "Several approvals"). The
 * transaction that stores the intent also counts the approves, so that two desks never both send a last approve.
 */
import * as v from "valibot"
import type { ApproveHeld } from "../contract/desk-work.ts"
import type { JsonObject } from "../contract/json-object.ts"
import { COMMENT_MAX_CHARACTERS, countCharacters } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusal.ts"
import { keyReused, notFound, versionStale } from "../contract/refusals.ts"
import type { Access } from "../people/access.ts"
import type { Session } from "../people/people.ts"
import { type Attempt, attemptsWith, checkKey, isSameInput } from "./used-keys.ts"
import { isDecided } from "./decisions.ts"
import { inRecord, type RecordOptions, type RecordTransaction } from "./hash-chain.ts"
import {
  type ApprovalContent,
  type ApprovalId,
  countingOf,
  type HeldApproval,
  keepHeld,
  readHeld,
  removeHeld,
} from "./held-approvals.ts"
import { aboutOf, intentOf, keyHashOf, type Mutation } from "./mutation.ts"
import { type IntentRow, readIntent } from "./rows.ts"
import type { SendingApprovals } from "./sending-approvals.ts"

/** What an approval needs when one approve does not suffice. */
export type Together = { readonly needed: number; readonly item: ApprovalId; readonly content: ApprovalContent }

type Approve = Together & {
  readonly session: Session
  readonly mutation: Mutation
  readonly intent: IntentRow
  readonly attempts: readonly Attempt[]
}

type Joined =
  /** With this approve enough persons have approved: the caller stores its intent and sends the approve. */
  | { readonly kind: "last" }
  /** A last approve under another key is being sent. `MutationSteps` waits for the outcome: `recorded` makes this approve stale. */
  | { readonly kind: "another is sent"; readonly intent: number }
  /** The approval was decided after the caller had read the approval. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The desk keeps the approve, because more are needed. Its rows are stored. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }

export async function approveTogether(
  transaction: RecordTransaction,
  approve: Approve,
  access: Access,
  sending: SendingApprovals,
): Promise<Joined> {
  const { needed, item, content, session, intent } = approve
  const another = await sending.find(transaction, item, intent.key_hash)
  if (another !== undefined) return { kind: "another is sent", intent: another }
  if (await isDecided(transaction, item)) return { kind: "refused", refusal: versionStale }
  const held = await readHeld(transaction, item)
  const others = countingOf(held, content, access).filter(({ personId }) => personId !== session.person.id)
  if (others.length + 1 >= needed) return { kind: "last" }
  const own = held.find(({ personId }) => personId === session.person.id)
  const { id: personId, name } = session.person
  const given = [...others, { personId, name, givenAt: await keepOwn(transaction, approve, own) }]
  given.sort((one, other) => one.givenAt - other.givenAt)
  return { kind: "held", answer: { needed, given: given.map(toGiven) } }
}

/**
 * Keeps the person's own approve. The same request again stores nothing; the same approve under a new key is recorded, and keeps its time.
 * @returns when the person first gave the approve
 */
async function keepOwn(
  transaction: RecordTransaction,
  { item, content, mutation, intent, attempts }: Approve,
  own: HeldApproval | undefined,
): Promise<number> {
  const [version, contentHash] = [content.version, content.contentHash()]
  const isAlreadyKept = own?.version === version && own.contentHash === contentHash
  const isSameRequest = attempts.some((attempt) => attempt.outcome === "held" && isSameInput(attempt, mutation))
  if (isAlreadyKept && isSameRequest) return own.givenAt
  const { sequence, at } = await transaction.append(intent)
  await transaction.append({ kind: "outcome", intent: sequence, outcome: "held", status: 202 })
  if (isAlreadyKept) return own.givenAt
  const givenAt = Date.parse(at)
  await keepHeld(transaction, item, { personId: intent.person, version, contentHash, givenAt, intent: sequence })
  return givenAt
}

/** An approve as the API's answers show it. */
export function toGiven({ personId: id, name, givenAt }: Pick<HeldApproval, "personId" | "name" | "givenAt">) {
  return { person: { id, name }, at: new Date(givenAt).toISOString() }
}

const approveBody = v.strictObject({
  decision: v.literal("approve"),
  comment: v.exactOptional(
    v.pipe(
      v.string(),
      v.check((comment) => countCharacters(comment) <= COMMENT_MAX_CHARACTERS),
    ),
  ),
})

/** Whether the service would accept the body of an approve. The desk keeps no approve that the service would refuse later. */
export const isApprove = (body: JsonObject | undefined) => v.is(approveBody, body)

/** A request to take back an approve that the desk keeps. */
export type Withdrawal = Pick<Mutation, "target" | "idempotencyKey" | "requestId"> & {
  readonly workId: string
  readonly itemId: string
}

/** Withdraws a person's approve. Undefined: withdrawn now, or by an earlier request under the same key. @throws StoreUnavailableError */
export async function withdrawApproval(
  options: RecordOptions,
  session: Session,
  withdrawal: Withdrawal,
  sending: SendingApprovals,
): Promise<Refusal | undefined> {
  const intended = { ...withdrawal, operation: "withdrawApproval" as const, ifMatch: undefined, body: undefined }
  const item = { workId: withdrawal.workId, approvalId: withdrawal.itemId }
  for (;;) {
    const result = await inRecord(options, async (transaction) => {
      const attempts = await attemptsWith(transaction, keyHashOf(intended))
      const refusal = await checkKey(transaction, attempts, session, intended)
      if (refusal !== undefined) return refusal
      if (attempts.length > 0)
        return attempts.every((attempt) => isSameInput(attempt, intended)) ? undefined : keyReused
      // A last approve that is being sent counts on this person's approve. Its outcome decides whether there is still something to withdraw.
      const lastSent = await sending.find(transaction, item)
      if (lastSent !== undefined) return lastSent
      const own = (await readHeld(transaction, item)).find(({ personId }) => personId === session.person.id)
      if (own === undefined) return notFound
      const [approve] = await transaction.read("SELECT entry FROM record WHERE sequence = ?", own.intent)
      await removeHeld(transaction, item, session.person.id)
      const about = aboutOf(readIntent(approve?.["entry"]))
      const intent = { ...intentOf(session, intended, undefined, about), version: BigInt(own.version) }
      const { sequence } = await transaction.append(intent)
      await transaction.append({ kind: "outcome", intent: sequence, outcome: "recorded", status: 204 })
      return undefined
    })
    if (typeof result !== "number") return result
    await sending.outcomeOf(result)
  }
}
