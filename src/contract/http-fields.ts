/** Reads header fields whose rules several parts of the server share. */

/** The media type of a Content-Type field in lower case, without parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
}

/** Whether a Cache-Control field has the directive `no-cache`: the client wants an answer that begins after its request. */
export function hasNoCache(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && /(?:^|[\s,])no-cache(?:$|[\s,])/i.test(cacheControl)
}

/**
 * Whether an If-None-Match field names the ETag, or is `*`. The comparison is weak, and the field may list several tags (RFC 9110, 13.1.2).
 */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const opaque = withoutWeakness(etag)
  return ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || withoutWeakness(tag.trim()) === opaque)
}

const withoutWeakness = (tag: string) => tag.replace(/^W\//, "")
