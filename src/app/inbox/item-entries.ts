/** What the browser stores about an item: what was typed, the version that was on the screen, and what was sent. */
import { bigint, exactOptional, literal, object, picklist, string } from "valibot"
import type { Approval } from "../../contract/resources.ts"
import { APPROVAL_MEMBERS, CLARIFICATION_MEMBERS, resourceSchema } from "../client/check-resource.ts"
import { defineKind } from "../client/storage.ts"
import { defineIntents } from "../client/stored-intent.ts"
import type { Clarification } from "../client/waiting.ts"
import type { AnswerInput, DecisionInput, ItemId, ItemKind, Resolved } from "./item.ts"

/** What a person has typed about an item and not sent. The draft of a clarification is stored as `answer`, so that no draft is lost. */
const drafts = defineKind<readonly [kind: "answer" | "approval", workId: string, id: string], string>({
  name: "draft",
  schema: string(),
  keptDays: 90,
})

/** The draft of an answer, or of the comment of a decision. */
export const draftOf = (kind: ItemKind, ...id: ItemId) => drafts(kind === "clarification" ? "answer" : kind, ...id)

/** The drafts about a Work's items, each with its kind: "answer" or "comment". */
export function readDrafts(workId: string): readonly { readonly typed: string; readonly text: string }[] {
  return drafts.ids().flatMap((id) => {
    const text = id[1] === workId ? drafts(...id).read() : undefined
    return text === undefined ? [] : { typed: id[0] === "answer" ? "answer" : "comment", text }
  })
}

/** The version that was on the screen when an answer or a decision was sent. After a 412 the card shows it beside the new version. */
export const approvalSnapshots = defineKind<ItemId, Approval>({
  keptDays: 1,
  name: "approval-snapshot",
  schema: resourceSchema(APPROVAL_MEMBERS),
})
export const clarificationSnapshots = defineKind<ItemId, Clarification>({
  keptDays: 1,
  name: "clarification-snapshot",
  schema: resourceSchema(CLARIFICATION_MEMBERS),
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
    wantsChange: exactOptional(literal(true)),
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
