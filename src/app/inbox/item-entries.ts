import { bigint, custom, entriesFromList, exactOptional, literal, looseObject, object, picklist, string } from "valibot"
import type { Approval, ApprovalStatus } from "../../contract/resources.ts"
import { defineIntents } from "../client/stored-intent.ts"
import { defineKind } from "../client/storage.ts"
import type { Clarification } from "../client/waiting.ts"
import type { AnswerInput, DecisionInput, ItemId, ItemKind, Resolved } from "./item.ts"

const DAY_MS = 24 * 60 * 60_000

/** What a person has typed about an item and not sent. The draft of a clarification is stored as `answer`, so that no draft is lost. */
const drafts = defineKind<readonly [kind: "answer" | "approval", workId: string, id: string], string>({
  name: "draft",
  version: 1,
  schema: string(),
  forgetAfterMs: 90 * DAY_MS,
})

/** The draft of an answer, or of the comment of a decision. */
export const draftOf = (kind: ItemKind, ...id: ItemId) => drafts(kind === "clarification" ? "answer" : kind, ...id)

/** All drafts about the items of a Work, each with the name of what was typed: "answer" or "comment". */
export function readDrafts(workId: string): readonly { readonly typed: string; readonly text: string }[] {
  return drafts.ids().flatMap((id) => {
    const text = id[1] === workId ? drafts(...id).read() : undefined
    return text === undefined ? [] : { typed: id[0] === "answer" ? "answer" : "comment", text }
  })
}

const required = <const Names extends readonly [string, ...string[]]>(names: Names) => entriesFromList(names, string())

/** Members that a later version of the service adds are kept and shown. So is an unknown status. */
const approvalSchema = looseObject({
  ...required(["id", "work_id", "action_id", "requested_by_colleague", "summary", "risk", "destination", "subject"]),
  ...required(["body", "proposed_action_payload_hash", "policy_reason", "created_at"]),
  status: custom<ApprovalStatus>((status) => typeof status === "string"),
  version: bigint(),
  resolved_at: exactOptional(string()),
  resolution_actor: exactOptional(string()),
  resolution_comment: exactOptional(string()),
})

const clarificationSchema = looseObject({
  kind: literal("clarification"),
  ...required(["id", "work_id", "source_id", "title", "what_happened", "why_needed", "recommended_action"]),
  ...required(["consequences", "created_at"]),
  status: custom<Clarification["status"]>((status) => typeof status === "string"),
  version: bigint(),
  resolved_at: exactOptional(string()),
  resolved_by: exactOptional(string()),
  resolution: exactOptional(string()),
})

/** The names of the members that this version of the app knows. */
export const APPROVAL_MEMBERS = Object.keys(approvalSchema.entries)
export const CLARIFICATION_MEMBERS = Object.keys(clarificationSchema.entries)

/** The version that was on the screen when an answer or a decision was sent. After a 412 the card shows it beside the new version. */
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

/** What is kept of a confirmed answer or decision. The letter is not: many long letters would fill the storage of the browser. */
const resolvedSchema = object({
  version: bigint(),
  status: string(),
  title: string(),
  at: exactOptional(string()),
  actor: exactOptional(string()),
  text: exactOptional(string()),
})
export const approvalIntents = defineIntents<ItemId, DecisionInput, Resolved>({
  name: "approval-intent",
  input: object({
    version: bigint(),
    text: string(),
    decision: picklist(["approve", "decline"]),
    mustHold: exactOptional(literal(true)),
  }),
  result: resolvedSchema,
})
export const answerIntents = defineIntents<ItemId, AnswerInput, Resolved>({
  name: "answer-intent",
  input: object({ version: bigint(), text: string() }),
  result: resolvedSchema,
})

/**
 * The clarifications of a Work that this person answered from this browser within the last day, the oldest first. The service lists
 * only open clarifications (openapi.yaml, listWorkAttention).
 */
export function readAnswered(workId: string): readonly (Resolved & { readonly id: string })[] {
  return answerIntents
    .ids()
    .flatMap((id) => {
      const intent = id[0] === workId ? answerIntents(...id).read() : undefined
      return intent?.state === "confirmed" ? { ...intent.result, id: id[1], since: intent.since } : []
    })
    .sort((a, b) => a.since - b.since)
}
