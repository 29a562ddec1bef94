import { bigint, custom, exactOptional, literal, looseObject, string } from "valibot"
import type { Approval, ApprovalStatus, Attention } from "../../contract/resources.ts"
import { defineKind, type Kind } from "../client/storage.ts"

/** An item that a person answers or decides: an item's id alone is not known to be unique across Work. */
export type ItemId = readonly [noun: "answer" | "approval", workId: string, id: string]

const DAY_MS = 24 * 60 * 60_000

/** What a person has typed about an item and not sent: an answer, or the comment of a decision. */
export const itemDrafts: Kind<ItemId, string> = defineKind({
  name: "draft",
  version: 1,
  schema: string(),
  forgetAfterMs: 90 * DAY_MS,
  maxCharacters: 1_000_000,
  mayGo: false,
})

/** Members that the specification adds later stay, and are shown. */
export const approvalSchema = looseObject({
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
  // A status that this app does not know is shown as it was sent.
  status: custom<ApprovalStatus>((status) => typeof status === "string"),
  version: bigint(),
  created_at: string(),
  resolved_at: exactOptional(string()),
  resolution_actor: exactOptional(string()),
  resolution_comment: exactOptional(string()),
})

export const attentionSchema = looseObject({
  id: string(),
  work_id: string(),
  kind: literal("clarification"),
  source_id: string(),
  title: string(),
  what_happened: string(),
  why_needed: string(),
  recommended_action: string(),
  consequences: string(),
  status: custom<Attention["status"]>((status) => typeof status === "string"),
  version: bigint(),
  created_at: string(),
  resolved_at: exactOptional(string()),
  resolved_by: exactOptional(string()),
  resolution: exactOptional(string()),
})

/** What stood on the screen when an answer or a decision was sent, so that a conflict shows old beside new, after a reload too. */
const SNAPSHOT = { version: 1, forgetAfterMs: 7 * DAY_MS, maxCharacters: 600_000, mayGo: true }
export const approvalSnapshots: Kind<readonly [workId: string, id: string], Approval> = defineKind({
  ...SNAPSHOT,
  name: "approval-snapshot",
  schema: approvalSchema,
})
export const attentionSnapshots: Kind<readonly [workId: string, id: string], Attention> = defineKind({
  ...SNAPSHOT,
  name: "attention-snapshot",
  schema: attentionSchema,
})
