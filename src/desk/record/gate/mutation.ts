/** A mutation as the record sees it: the request, the answer, and the intent row that is made of the request. */
import { hash } from "node:crypto"
import { namedHash } from "../canonical-json.ts"
import { parseInt64 } from "../../../contract/int64.ts"
import type { JsonObject } from "../../../platform/http/json-object.ts"
import type { OperationId } from "../../../contract/resources.ts"
import type { Session } from "../../people/people-interface.ts"
import { type AboutContent, readRequest } from "./recorded-content.ts"
import type { IntentRow } from "../record-rows.ts"

/** A request for one of the five mutations that has passed the proxy's guards. */
export type Mutation = {
  readonly operation: OperationId
  /** The raw path for the upstream, with the ids as the client wrote them. */
  readonly target: string
  /** The decoded id of the Work, if the path has one. */
  readonly workId?: string
  /** The decoded id of the clarification, approval or upload, if the path has one. */
  readonly itemId?: string
  readonly idempotencyKey: string
  readonly ifMatch: string | undefined
  /** True for an approve that the screen promised to hold: the desk must not send it (the header `Desk-Approve: hold`). */
  readonly mustHold?: boolean
  /** True for a decline that asks for a change (the header `Desk-Wants-Change: true`). */
  readonly wantsChange?: boolean
  /** For a decision that was sent together with others: their common id, a UUID in lower case (the header `Desk-Together`). */
  readonly together?: string | undefined
  /** For createWork: the Work that the new one replaces, which the person can see (the header `Desk-Instead-Of`). */
  readonly insteadOf?: string | undefined
  /** Undefined when the operation has no body. */
  readonly body: Buffer | undefined
  /** The desk's id of the request. */
  readonly requestId: string
}

/** The upstream's answer to a mutation. */
export type MutationAnswer =
  /** A success that openapi.yaml has for the operation. */
  | { readonly kind: "success"; readonly status: number; readonly body: Buffer; readonly replayed: boolean }
  /** A Problem of the upstream, with any status. */
  | { readonly kind: "problem"; readonly status: number }
  /** No valid answer. `unsent`: nothing of the request left the desk, because there was no connection. */
  | { readonly kind: "none"; readonly unsent?: true | undefined }

/** A mutation, or the only action with a key that involves only the desk: `withdrawApproval`. */
export type Intended = Omit<Mutation, "operation"> & Pick<IntentRow, "operation">

/** Reads the version from `If-Match`, which must be one strong ETag: an int64 in quotes. */
export function versionOf(ifMatch: string | undefined): bigint | undefined {
  const [, digits] = /^"(\d+)"$/.exec(ifMatch?.trim() ?? "") ?? []
  return digits === undefined ? undefined : parseInt64(digits)
}

/** The record keeps the hash of a key, because a client may have used a secret as its key. */
export const keyHashOf = ({ idempotencyKey }: Pick<Intended, "idempotencyKey">) =>
  hash("sha256", `Idempotency-Key: ${idempotencyKey}`)

/** The hash of what a replay must repeat: path, `If-Match` and body. */
export const inputHashOf = ({ target, ifMatch = "", body }: Pick<Intended, "target" | "ifMatch" | "body">) =>
  hash("sha256", JSON.stringify([target, ifMatch, body && hash("sha256", body)]))

/** What an intent row says about its item. Only a decision has rules. */
export type IntentContent = AboutContent & Partial<Pick<IntentRow, "rules">>

/** Makes the intent row. A member of `about` replaces what the body says. */
export function intentOf(
  session: Session,
  intended: Intended,
  body: JsonObject | undefined,
  about: IntentContent,
): IntentRow {
  const { operation, workId: work_id, itemId: item_id, ifMatch, requestId: request_id } = intended
  const { id, roles } = session.person
  return {
    kind: "intent",
    person: id,
    roles,
    operation,
    work_id,
    item_id,
    decision: operation === "resolveWorkApproval" ? decisionIn(body) : undefined,
    wants_change: intended.wantsChange === true ? true : undefined,
    together: intended.together,
    version: versionOf(ifMatch),
    ...readRequest(operation, body),
    ...about,
    body_hash: intended.body && namedHash(intended.body),
    request_id,
    key_hash: keyHashOf(intended),
    input_hash: inputHashOf(intended),
  }
}

function decisionIn(body: JsonObject | undefined): "approve" | "decline" | undefined {
  const decision = body?.["decision"]
  return decision === "approve" || decision === "decline" ? decision : undefined
}

/** What an earlier intent says about its item, for a further row about the item. */
export function aboutOf(intent: Partial<IntentRow> | undefined): AboutContent {
  const { summary, destination, subject, content_hash, payload_hash, colleague, reason, asked_at } = intent ?? {}
  return { summary, destination, subject, content_hash, payload_hash, colleague, reason, asked_at }
}

/** What the intent of an earlier attempt says about its item, for another attempt of the same decision. */
export function contentOfAttempt(intent: Partial<IntentRow> | undefined): IntentContent {
  return { ...aboutOf(intent), rules: intent?.rules }
}
