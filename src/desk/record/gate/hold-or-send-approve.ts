/**
 * Holds or sends an approve when several people must approve (`docs/operating.md`, "Several approvals"). The transaction that stores the intent also
 * counts the approves, so that two desks never both send a last approve.
 */
import * as v from "valibot"
import type { ApproveHeld } from "../../../contract/desk-work.ts"
import type { JsonObject } from "../../../platform/http/json-object.ts"
import { COMMENT_MAX_CHARACTERS, countCharacters } from "../../../contract/limits.ts"
import { Refused } from "../../../platform/http/send.ts"
import { versionStale } from "./gate-refusals.ts"
import type { Access } from "../../people/access-file.ts"
import type { Session } from "../../people/people-interface.ts"
import { type Attempt, isSameInput } from "./idempotency-keys.ts"
import { findUnderWay, isConfirmed, type UnderWay } from "./attempt-state.ts"
import type { RecordTransaction } from "../hash-chain.ts"
import {
  type ApprovalContent,
  type ApprovalId,
  countingOf,
  type HeldApprove,
  storeHeld,
  readHeld,
} from "./held-approves.ts"
import type { Mutation } from "./mutation.ts"
import type { IntentRow } from "../record-rows.ts"

/** An approval that several persons must approve. `needed` is their number. */
export type SeveralApprovals = { readonly needed: number; readonly item: ApprovalId; readonly content: ApprovalContent }

type Approve = SeveralApprovals & {
  readonly session: Session
  readonly mutation: Mutation
  readonly intent: IntentRow
  readonly attempts: readonly Attempt[]
}

type HeldOrSent =
  /** With this approve enough people have approved: the caller stores its intent and sends the approve. */
  | { readonly kind: "send" }
  /** A decision under another key is being sent. `MutationGate` waits for the outcome: `recorded` makes this approve stale. */
  | { readonly kind: "another is being sent"; readonly underWay: UnderWay }
  /** The desk holds the approve, because more are needed. Its rows are stored. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }

/** Counts the approves, and holds this one unless it is the last. @throws Refused when the approval has been decided @throws StoreUnavailableError */
export async function holdOrSendApprove(
  transaction: RecordTransaction,
  approve: Approve,
  access: Access,
): Promise<HeldOrSent> {
  const { needed, item, content, session, intent } = approve
  const underWay = await findUnderWay(transaction, item, intent.key_hash)
  if (underWay !== undefined) return { kind: "another is being sent", underWay }
  if (await isConfirmed(transaction, "resolveWorkApproval", item.workId, item.approvalId))
    throw new Refused(versionStale)
  const held = await readHeld(transaction, item)
  const others = countingOf(held, content, access).filter(({ personId }) => personId !== session.person.id)
  if (others.length + 1 >= needed) return { kind: "send" }
  const own = held.find(({ personId }) => personId === session.person.id)
  const { id: personId, name } = session.person
  const given = [...others, { personId, name, givenAt: await holdOwn(transaction, approve, own) }]
  given.sort((one, other) => one.givenAt - other.givenAt)
  return { kind: "held", answer: { needed, given: given.map(toGiven) } }
}

/**
 * Holds the person's own approve. Returns when the person first gave it.
 *
 * | this content is held already | this key and input, too | rows of the record  | the held approve    |
 * | ---------------------------- | ----------------------- | ------------------- | ------------------- |
 * | yes                          | yes                     | none                | stays               |
 * | yes                          | no                      | intent and outcome  | stays with its time |
 * | no                           |                         | intent and outcome  | is stored           |
 */
async function holdOwn(
  transaction: RecordTransaction,
  { item, content, mutation, intent, attempts }: Approve,
  own: HeldApprove | undefined,
): Promise<number> {
  const [version, contentHash] = [content.version, content.contentHash()]
  const isAlreadyHeld = own?.version === version && own.contentHash === contentHash
  const isSameRequest = attempts.some((attempt) => attempt.outcome === "held" && isSameInput(attempt, mutation))
  if (isAlreadyHeld && isSameRequest) return own.givenAt
  const { sequence, at } = await transaction.append(intent)
  await transaction.append({ kind: "outcome", intent: sequence, outcome: "held", status: 202 })
  if (isAlreadyHeld) return own.givenAt
  const givenAt = Date.parse(at)
  await storeHeld(transaction, { ...item, personId: intent.person, version, contentHash, givenAt, intent: sequence })
  return givenAt
}

/** An approve as the API's answers show it. */
export function toGiven({ personId: id, name, givenAt }: Pick<HeldApprove, "personId" | "name" | "givenAt">) {
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

/** Whether the service would accept the body of an approve. The desk holds no approve that the service would refuse later. */
export const isApprove = (body: JsonObject | undefined) => v.is(approveBody, body)
