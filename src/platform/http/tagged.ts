/** A document with its ETag. A change names in If-Match the ETag that was read, so that two tabs don't overwrite each other (RFC 9110, 13.1.1). */
import type { Refusal } from "./refusals.ts"
import type { RequestContext } from "./request-context.ts"
import { Refused, sendJson } from "./send.ts"

export type Tagged<Document extends object> = { readonly document: Document; readonly etag: string }

/** The refusals of a change without If-Match (428, RFC 6585), and of a change with another ETag than the document has now (412). */
export type ChangeRefusals = { readonly missing: Refusal; readonly stale: Refusal }

/**
 * Checks If-Match. Returns false for a change that is already applied: a balancer may send a request twice, and then the second one succeeds without
 * storing anything, even with an older ETag (RFC 9110, 13.1.1).
 * @throws Refused without If-Match, or with another ETag
 */
export function needsChange(
  ifMatch: string | undefined,
  { etag, isApplied }: { readonly etag: string; readonly isApplied: boolean },
  { missing, stale }: ChangeRefusals,
): boolean {
  if (ifMatch === undefined) throw new Refused(missing)
  if (isApplied) return false
  if (ifMatch.trim() !== etag) throw new Refused(stale)
  return true
}

/** Sends a document with its ETag, also as its member `etag`: a front that compresses JSON weakens or rewrites the header. */
export function sendTagged(context: RequestContext, { document, etag }: Tagged<object>): void {
  sendJson(context, { ...document, etag }, { ETag: etag })
}
