/**
 * A document with its ETag. Who changes it names in If-Match the ETag that they have read, so that two tabs do not overwrite each other's changes
 * (RFC 9110, 13.1.1).
 */
import type { Refusal } from "./refusals.ts"
import type { RequestContext } from "./request-context.ts"
import { Refused, sendJson } from "./send.ts"

export type Tagged<Document extends object> = { readonly document: Document; readonly etag: string }

/** The refusals of a change without If-Match (428, RFC 6585), and of a change with another ETag than the document has now (412). */
export type ChangeRefusals = { readonly missing: Refusal; readonly stale: Refusal }

/** Checks that If-Match has the document's ETag. @throws Refused */
export function checkChange(ifMatch: string | undefined, etag: string, { missing, stale }: ChangeRefusals): void {
  if (ifMatch === undefined) throw new Refused(missing)
  if (ifMatch.trim() !== etag) throw new Refused(stale)
}

/** Sends a document with its ETag, also as its member `etag`: a front that compresses JSON weakens or rewrites the header. */
export function sendTagged(context: RequestContext, { document, etag }: Tagged<object>): void {
  sendJson(context, { ...document, etag }, { ETag: etag })
}
