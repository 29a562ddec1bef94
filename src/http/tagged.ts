/**
 * A document with its ETag. Who changes it names in If-Match the ETag that they have read, so that two tabs do not overwrite each other's changes
 * (RFC 9110, 13.1.1).
 */
import { isRefusal, type Refusal } from "./refusal.ts"
import type { RequestContext } from "./request-context.ts"
import { sendJson } from "./send.ts"

export type Tagged<Document extends object> = { readonly document: Document; readonly etag: string }

/** The refusals of a change without If-Match (428, RFC 6585), and of a change with another ETag than the document has now (412). */
export type ChangeRefusals = { readonly missing: Refusal; readonly stale: Refusal }

/** Why a change is refused. Undefined: If-Match has the document's ETag. */
export function refuseChange(ifMatch: string | undefined, etag: string, refusals: ChangeRefusals): Refusal | undefined {
  if (ifMatch === undefined) return refusals.missing
  return ifMatch.trim() === etag ? undefined : refusals.stale
}

/** Sends a document with its ETag, or a refusal. */
export function sendTagged(context: RequestContext, answer: Tagged<object> | Refusal): void {
  if (isRefusal(answer)) sendJson(context, answer)
  else sendJson(context, answer.document, { ETag: answer.etag })
}
