/**
 * What becomes of an approve when several persons must approve (`docs/operating.md`, "Several approvals"). Everything here runs in the one
 * transaction that stores the intent, so that two desks never count the same approves twice.
 */
import type { ApproveHeld } from "../contract/desk-work.ts"
import type { JsonObject } from "../contract/json-object.ts"
import { COMMENT_MAX_CHARACTERS, countCharacters } from "../contract/limits.ts"
import type { Access } from "../people/access.ts"
import type { Session } from "../people/people.ts"
import {
  type ApprovalContent,
  type ApprovalId,
  countingOf,
  type HeldApproval,
  keepHeld,
  readHeld,
} from "./held-approvals.ts"
import { isSameInput } from "./intent.ts"
import { type Attempt, isDecided } from "./look-up.ts"
import type { Mutation } from "./desk-record.ts"
import type { IntentRow } from "./rows.ts"
import type { SendingApprovals } from "./sending-approvals.ts"
import type { RecordTransaction } from "./transaction.ts"

/** An approve of an approval that needs several. */
export type TogetherApprove = {
  readonly needed: number
  readonly item: ApprovalId
  readonly content: ApprovalContent
  readonly session: Session
  readonly mutation: Mutation
  readonly intent: IntentRow
  readonly attempts: readonly Attempt[]
}

export type Together =
  /** It is the last one: the caller stores its intent and sends it. */
  | { readonly kind: "last" }
  /** Somebody else's last approve is being sent. `MutationSteps` waits for its outcome: a recorded one makes this approve stale. */
  | { readonly kind: "another is sent"; readonly intent: number }
  /** The approval was decided after this approve has read it. */
  | { readonly kind: "decided" }
  /** The desk keeps it. Its rows are stored. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }

export async function approveTogether(
  transaction: RecordTransaction,
  approve: TogetherApprove,
  { access, sending }: { readonly access: Access; readonly sending: SendingApprovals },
): Promise<Together> {
  const { needed, item, content, session, intent } = approve
  const another = await sending.findOther(transaction, item, intent.key_hash)
  if (another !== undefined) return { kind: "another is sent", intent: another }
  if (await isDecided(transaction, item)) return { kind: "decided" }
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
  { item, content, mutation, intent, attempts }: TogetherApprove,
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

/** Whether the service would accept the body of an approve: the desk keeps no other. */
export function isApprove(body: JsonObject | undefined): boolean {
  if (body === undefined) return false
  const { decision, comment, ...others } = body
  const isComment =
    comment === undefined || (typeof comment === "string" && countCharacters(comment) <= COMMENT_MAX_CHARACTERS)
  return decision === "approve" && isComment && Object.keys(others).length === 0
}
