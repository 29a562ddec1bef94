/** Chooses the headers of a request that go to the upstream, and the headers of the answer that go to the client. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Operation } from "../../contract/operation.ts"
import { mediaTypeOf, readRetryAfter } from "../../platform/http/http-fields.ts"
import type { HeaderFields } from "../../platform/http/refusals.ts"
import { Refused } from "../../platform/http/send.ts"
import { headerRepeated } from "./proxy-refusals.ts"
import type { Upstream } from "./upstream.ts"

// Not here: shared-stream.ts writes the headers of a request for a stream, and token.ts adds Authorization to every request.
const REQUEST_HEADERS = ["accept", "idempotency-key", "if-match"] as const

// Besides these only three headers pass: Retry-After and Location, and Content-Length of a download (upstream-request.ts). A download is always an
// attachment, whatever Content-Disposition says (forward.ts).
const RESPONSE_HEADERS = [
  ["content-type", "Content-Type"],
  ["etag", "ETag"],
  ["ratelimit", "RateLimit"],
  ["ratelimit-policy", "RateLimit-Policy"],
  ["idempotent-replayed", "Idempotent-Replayed"],
  ["content-disposition", "Content-Disposition"],
] as const

// Characters that Node's server refuses to send in a header.
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Only the listed headers pass. A listed header passes even when the client's Connection header names it. A body leaves as exactly
 * `application/json`: a parameter could make the service read the bytes in another charset than the desk has.
 */
export function pickRequestHeaders({ headers }: IncomingMessage, operation: Operation): HeaderFields {
  const passed: Record<string, string> = operation.hasBody ? { "content-type": "application/json" } : {}
  for (const name of REQUEST_HEADERS) {
    const value = headers[name]
    if (typeof value === "string") passed[name] = value
  }
  return passed
}

/** The headers for the client, without any that holds the token or that Node would refuse to send. Content-Type only loses its parameters. */
export function pickResponseHeaders(headers: IncomingHttpHeaders, upstream: Upstream, target: string): HeaderFields {
  const passed: Record<string, string> = {}
  const canPass = (value: string) => !UNSENDABLE.test(value) && !upstream.token.isIn(value)
  const pass = (name: string, value: string) => {
    if (canPass(value)) passed[name] = value
    // Without a type a browser would guess the type.
    else if (name === "Content-Type") passed[name] = mediaTypeOf(value)
  }
  for (const [name, spelled] of RESPONSE_HEADERS) {
    const value = fieldOf(headers, name)
    if (value !== undefined) pass(spelled, value)
  }
  // Always as seconds: the desk's answer has a Date of its own, so a date of the service's clock would say another time.
  const wait = readRetryAfter(fieldOf(headers, "retry-after"), headers.date)
  if (wait !== undefined) pass("Retry-After", String(Math.ceil(wait / 1_000)))
  const location = headers.location && toRelative(headers.location, upstream, target)
  if (location) pass("Location", location)
  return passed
}

/** undici gives a header that came twice as a list, whatever its type says. */
function fieldOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

/** Makes a Location below the upstream's `/api/v1` a path of the proxy, and drops every other one. */
function toRelative(location: string, { origin, basePath }: Upstream, target: string): string | undefined {
  const requested = origin + basePath + target
  if (!URL.canParse(location, requested)) return undefined
  const url = new URL(location, requested)
  if (url.origin !== origin) return undefined
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : url.pathname
  return path.startsWith("/api/v1/") ? path + url.search : undefined
}

const SENT_ONCE = [
  "content-type",
  "idempotency-key",
  "if-match",
  "last-event-id",
  "desk-approve",
  "desk-wants-change",
  "desk-instead-of",
  "desk-together",
]

/** Refuses a repeated header that decides about an effect. Node would join the values, or drop all but one. @throws Refused */
export function checkRepeated({ headersDistinct }: IncomingMessage): void {
  if (SENT_ONCE.some((name) => (headersDistinct[name]?.length ?? 0) > 1)) throw new Refused(headerRepeated)
}
