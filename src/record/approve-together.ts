/**
 * What becomes of an approve, and of its withdrawal, when several persons must approve (`docs/operating.md`, "Several approvals"). Each runs in
 * the one transaction that stores its intent, so that two desks never count the same approves twice.
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
  /** It is the last one: the caller stores its intent and sends it. */
  | { readonly kind: "last" }
  /** Somebody else's last approve is being sent. `MutationSteps` waits for its outcome: a recorded one makes this approve stale. */
  | { readonly kind: "another is sent"; readonly intent: number }
  /** The approval was decided after this approve has read it. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The desk keeps it. Its rows are stored. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }

export async function approveTogether(
  transaction: RecordTransaction,
  approve: Approve,
  access: Access,
  sending: SendingApprovals,
): Promise<Joined> {
  const { needed, item, content, session, intent } = approve
  const another = await sending.findOther(transaction, item, intent.key_hash)
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

/** Keeps the person's own approve. The same one again changes nothing. @returns when it was given first */
async function keepOwn(
  transaction: RecordTransaction,
  { item, content, mutation, intent, attempts }: Approve,
  own: HeldApproval | undefined,
): Promise<number> {
  const [version, contentHash] = [content.version, content.contentHash()]
  const isKept = own?.version === version && own.contentHash === contentHash
  const isRepeated = attempts.some((attempt) => attempt.outcome === "held" && isSameInput(attempt, mutation))
  if (isKept && isRepeated) return own.givenAt
  const { sequence, at } = await transaction.append(intent)
  await transaction.append({ kind: "outcome", intent: sequence, outcome: "held", status: 202 })
  if (isKept) return own.givenAt
  const givenAt = Date.parse(at)
  await keepHeld(transaction, item, { personId: intent.person, version, contentHash, givenAt, intent: sequence })
  return givenAt
}

/** One approve as the wire has it. */
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

/** Whether the service would accept the body of an approve: the desk keeps no other. */
export const isApprove = (body: JsonObject | undefined) => v.is(approveBody, body)

/** A request to take back an approve that the desk keeps. */
export type Withdrawal = Pick<Mutation, "target" | "idempotencyKey" | "requestId"> & {
  readonly workId: string
  readonly itemId: string
}

/** Withdraws a person's approve. Undefined: done, now or under the same key before. @throws StoreUnavailableError */
export async function withdrawApproval(
  options: RecordOptions,
  session: Session,
  withdrawal: Withdrawal,
  sending: SendingApprovals,
): Promise<Refusal | undefined> {
  const intended = { ...withdrawal, operation: "withdrawApproval" as const, ifMatch: undefined, body: undefined }
  const item = { workId: withdrawal.workId, approvalId: withdrawal.itemId }
  for (;;) {
    const done = await inRecord(options, async (transaction) => {
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
      await removeHeld(transaction, item, session.person.id)
      const about = aboutOf(readIntent(approve?.["entry"]))
      const intent = { ...intentOf(session, intended, undefined, about), version: BigInt(own.version) }
      const { sequence } = await transaction.append(intent)
      await transaction.append({ kind: "outcome", intent: sequence, outcome: "recorded", status: 204 })
      return undefined
    })
    if (typeof done !== "number") return done
    await sending.outcomeOf(done)
  }
}
