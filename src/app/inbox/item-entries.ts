import { bigint, custom, exactOptional, literal, looseObject, object, picklist, string } from "valibot"
import type { Approval, ApprovalStatus } from "../../contract/resources.ts"
import { defineIntents } from "../client/stored-intent.ts"
import { defineKind } from "../client/storage.ts"
import type { Clarification } from "../client/waiting.ts"
import type { ItemId, ItemInput } from "./item-variant.ts"

const DAY_MS = 24 * 60 * 60_000

/** What a person has typed about an item and not sent: an answer, or the comment of a decision. */
export const itemDrafts = defineKind<readonly [variant: "answer" | "approval", workId: string, id: string], string>({
  name: "draft",
  version: 1,
  schema: string(),
  forgetAfterMs: 90 * DAY_MS,
})

/** Members that a later version of the service adds are kept and shown. So is an unknown status. */
const approvalSchema = looseObject({
  id: string(),
  work_id: string(),
  action_id: string(),
  requested_by_colleague: string(),
  summary: string(),
  risk: string(),
  destination: string(),
  subject: string(),
  body: string(),
  proposed_action_payload_hash: string(),
  policy_reason: string(),
  status: custom<ApprovalStatus>((status) => typeof status === "string"),
  version: bigint(),
  created_at: string(),
  resolved_at: exactOptional(string()),
  resolution_actor: exactOptional(string()),
  resolution_comment: exactOptional(string()),
})

const clarificationSchema = looseObject({
  id: string(),
  work_id: string(),
  kind: literal("clarification"),
  source_id: string(),
  title: string(),
  what_happened: string(),
  why_needed: string(),
  recommended_action: string(),
  consequences: string(),
  status: custom<Clarification["status"]>((status) => typeof status === "string"),
  version: bigint(),
  created_at: string(),
  resolved_at: exactOptional(string()),
  resolved_by: exactOptional(string()),
  resolution: exactOptional(string()),
})

/** The version that was on the screen when an answer or a decision was sent. After a 412 it is shown beside the new version. */
const SNAPSHOT = { version: 1, forgetAfterMs: DAY_MS }
export const approvalSnapshots = defineKind<ItemId, Approval>({
  ...SNAPSHOT,
  name: "approval-snapshot",
  schema: approvalSchema,
})
export const clarificationSnapshots = defineKind<ItemId, Clarification>({
  ...SNAPSHOT,
  name: "clarification-snapshot",
  schema: clarificationSchema,
})

export type DecisionInput = ItemInput & { readonly decision: "approve" | "decline" }
export const approvalIntents = defineIntents<ItemId, DecisionInput, Approval>({
  name: "approval-intent",
  input: object({ version: bigint(), text: string(), decision: picklist(["approve", "decline"]) }),
  result: approvalSchema,
})
export const answerIntents = defineIntents<ItemId, ItemInput, Clarification>({
  name: "answer-intent",
  input: object({ version: bigint(), text: string() }),
  result: clarificationSchema,
})

/**
 * The clarifications of a Work that this person answered from this browser within the last day, the oldest first. The service lists only open
 * clarifications (openapi.yaml, listWorkAttention).
 */
export function readAnswered(workId: string): readonly Clarification[] {
  return answerIntents
    .ids()
    .flatMap((id) => {
      const intent = id[0] === workId ? answerIntents(...id).read() : undefined
      return intent?.state === "recorded" ? { item: intent.result, since: intent.since } : []
    })
    .sort((a, b) => a.since - b.since)
    .map(({ item }) => item)
}
