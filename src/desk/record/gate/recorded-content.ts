/** Reads what the record keeps of the approval, clarification, Work or upload of a mutation. */
import * as v from "valibot"
import { parseJson } from "../../../contract/int64.ts"
import { isTooLarge } from "../../../contract/limits.ts"
import type { RecordOperation } from "../../../contract/desk-work.ts"
import type { OperationId } from "../../../contract/resources.ts"
import { canonicalJson, namedHash } from "../canonical-json.ts"
import type { JsonObject } from "../../../platform/http/json-object.ts"
import { upstreamInvalid } from "../../../platform/http/refusals.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { OutcomeRow } from "../record-rows.ts"

// The record keeps the beginning of a longer text. The hash covers the whole text.
const TEXT_MAX_CHARACTERS = 4_000

const shortened = v.pipe(
  v.string(),
  v.transform((text) =>
    text.length > TEXT_MAX_CHARACTERS ? `${text.slice(0, TEXT_MAX_CHARACTERS).toWellFormed()}…` : text,
  ),
)
/** A text for the record. Undefined if the upstream sent none, or another type. */
const optionalText = v.fallback(v.optional(shortened), undefined)

const approval = v.looseObject({
  id: v.string(),
  work_id: v.string(),
  status: v.string(),
  version: v.bigint(),
  requested_by_colleague: v.string(),
  destination: v.string(),
})
const approvalList = v.looseObject({ data: v.array(v.unknown()) })

/** The members of an approval that the rules and the record need. */
export type ApprovalRead = {
  readonly isPending: boolean
  readonly version: bigint
  readonly colleague: string
  readonly destination: string
  /** Whether its texts are longer than anybody can read at the desk. */
  readonly isTooLarge: boolean
  readonly about: AboutContent
}

export type AboutContent = Pick<
  OutcomeRow,
  "summary" | "destination" | "subject" | "content_hash" | "payload_hash" | "colleague" | "reason" | "asked_at"
>

/**
 * Finds an approval in the answer to listWorkApprovals; undefined if it isn't there. Its `work_id` must equal `workId`, because the service may
 * accept another spelling of the id, under which the record would not find the Work's creator. @throws Refused when the list is invalid or has the
 * approval twice
 */
export function findApproval(body: Buffer, workId: string, id: string): ApprovalRead | undefined {
  try {
    const { data } = v.parse(approvalList, parseJson(body.toString("utf8")))
    const [found, another] = data.filter((item) => v.is(v.looseObject({ id: v.literal(id) }), item))
    if (found === undefined) return undefined
    if (another !== undefined) throw new Refused(upstreamInvalid)
    const { work_id, status, version, requested_by_colleague: colleague, destination } = v.parse(approval, found)
    if (work_id !== workId) return undefined
    const facts = { isPending: status === "pending", isTooLarge: isTooLarge(found) }
    return { ...facts, version, colleague, destination, about: aboutApproval(found) }
  } catch {
    // Not JSON, not valid, or nested too deeply for the canonical form.
    throw new Refused(upstreamInvalid)
  }
}

const approvalTexts = v.object({
  summary: optionalText,
  destination: optionalText,
  subject: optionalText,
  proposed_action_payload_hash: optionalText,
  requested_by_colleague: optionalText,
  policy_reason: optionalText,
  created_at: optionalText,
})

/** The members of the record about an approval, which must be an object. */
function aboutApproval(content: unknown): AboutContent {
  const { proposed_action_payload_hash, requested_by_colleague, policy_reason, created_at, ...texts } = v.parse(
    approvalTexts,
    content,
  )
  return {
    ...texts,
    payload_hash: proposed_action_payload_hash,
    content_hash: contentHash(content),
    colleague: requested_by_colleague,
    reason: policy_reason,
    asked_at: created_at,
  }
}

/** The `content_hash` of an approval, from its JSON text with exact numbers. */
export function contentHashOf(json: string): string {
  return contentHash(parseJson(json))
}

/** The SHA-256 of the canonical form (canonical-json.ts). */
function contentHash(content: unknown): string {
  return namedHash(canonicalJson(content))
}

const returned = v.looseObject({
  id: optionalText,
  title: optionalText,
  name: optionalText,
  resolution_actor: optionalText,
  resolved_by: optionalText,
  created_at: optionalText,
})

/** Reads the answer to a successful mutation: who resolved the item for the service, what was created, and the returned content. */
export function readAnswer(operation: OperationId, body: Buffer): Omit<OutcomeRow, "kind" | "intent" | "outcome"> {
  const content = parseReturned(body)
  const found = v.safeParse(returned, content)
  if (!found.success) return {}
  const { id, title, name, resolution_actor, resolved_by, created_at: asked_at } = found.output
  if (operation === "createWork") return { work_id: id, summary: title }
  if (operation === "resolveWorkAttention") {
    return { summary: title, service_actor: resolved_by, content_hash: contentHash(content), asked_at }
  }
  if (operation === "resolveWorkApproval") {
    return { ...aboutApproval(content), service_actor: resolution_actor }
  }
  // The other two operations answer with an upload.
  return { item_id: id, summary: name }
}

function parseReturned(body: Buffer): unknown {
  try {
    const content = parseJson(body.toString("utf8"))
    // Throws for content that is nested too deeply. The record then keeps nothing of the content.
    canonicalJson(content)
    return content
  } catch {
    return undefined
  }
}

/** Reads from a request the title of Work and its colleague, or the name of an upload. */
export function readRequest(
  operation: RecordOperation,
  body: JsonObject | undefined,
): Pick<AboutContent, "summary" | "colleague"> {
  if (operation === "createWork") {
    return { summary: v.parse(optionalText, body?.["title"]), colleague: v.parse(optionalText, body?.["colleague_id"]) }
  }
  return operation === "createInputUpload" ? { summary: v.parse(optionalText, body?.["name"]) } : {}
}
