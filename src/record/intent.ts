/** Makes the intent row of a mutation, and compares a mutation with earlier attempts. */
import { hash } from "node:crypto"
import type { JsonObject } from "../contract/json-object.ts"
import { parseInt64 } from "../contract/int64.ts"
import type { Session } from "../people/people.ts"
import { namedHash } from "../contract/canonical-json.ts"
import { type AboutContent, readRequest } from "./content.ts"
import type { Mutation } from "./desk-record.ts"
import type { Attempt } from "./look-up.ts"
import type { IntentRow } from "./rows.ts"

/** A mutation, or what a person does under a key at the desk alone. */
export type Intended = Omit<Mutation, "operation"> & Pick<IntentRow, "operation">

/** Reads the version from `If-Match`, which must be one strong ETag: an int64 in quotes. */
export function versionOf(ifMatch: string | undefined): bigint | undefined {
  const [, digits] = /^"(\d+)"$/.exec(ifMatch?.trim() ?? "") ?? []
  return digits === undefined ? undefined : parseInt64(digits)
}

/** The record keeps the hash of a key, because a client may have used a secret as its key. */
export const keyHashOf = ({ idempotencyKey }: Pick<Intended, "idempotencyKey">) =>
  hash("sha256", `Idempotency-Key: ${idempotencyKey}`)

type Input = Pick<Intended, "target" | "ifMatch" | "body">

const inputHashOf = ({ target, ifMatch = "", body }: Input) =>
  hash("sha256", JSON.stringify([target, ifMatch, body && hash("sha256", body)]))

/** Whether an attempt had the same path, `If-Match` and body. */
export const isSameInput = ({ intent }: Attempt, input: Input) => intent?.input_hash === inputHashOf(input)

export function intentOf(
  session: Session,
  intended: Intended,
  body: JsonObject | undefined,
  about: AboutContent,
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
export function aboutOf({
  summary,
  destination,
  subject,
  content_hash,
  payload_hash,
}: Partial<IntentRow>): AboutContent {
  return { summary, destination, subject, content_hash, payload_hash }
}
