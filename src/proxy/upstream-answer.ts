/** Checks that an upstream's answer is one that openapi.yaml has for the operation, and picks the headers that the client gets. */
import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import type { Operation, SuccessKind } from "../contract/document.ts"
import { parseJson, stringifyJson } from "../contract/int64.ts"
import { mediaTypeOf } from "../contract/http-fields.ts"
import { isProblem, PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import type { FlatHeaders } from "./security-headers.ts"
import type { Token } from "./token.ts"
import type { Upstream } from "./upstream.ts"

const MEDIA_TYPES = {
  json: "application/json",
  "event-stream": "text/event-stream",
  "octet-stream": "application/octet-stream",
}

// Only these headers pass, and Location (below) and Content-Length (upstream-request.ts). A viewer that joins an open stream gets only
// Content-Type (shared-stream.ts). A download is always an attachment, whatever Content-Disposition says (forward.ts).
const RESPONSE_HEADERS = [
  ["content-type", "Content-Type"],
  ["etag", "ETag"],
  ["retry-after", "Retry-After"],
  ["ratelimit", "RateLimit"],
  ["ratelimit-policy", "RateLimit-Policy"],
  ["idempotent-replayed", "Idempotent-Replayed"],
  ["content-disposition", "Content-Disposition"],
] as const

// Characters that Node's server refuses to send in a header.
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** The kind of an answer by its status and headers. Undefined when openapi.yaml has no such answer for the operation. */
export function classifyAnswer(
  operation: Operation,
  status: number,
  headers: IncomingHttpHeaders,
): SuccessKind | "problem" | undefined {
  if (isEncoded(headers)) return undefined
  const success = operation.success[status]
  if (success !== undefined && isMediaType(headers, MEDIA_TYPES[success])) return success
  return status >= 400 && isMediaType(headers, PROBLEM_MEDIA_TYPE) ? "problem" : undefined
}

function isMediaType(headers: IncomingHttpHeaders, expected: string): boolean {
  return mediaTypeOf(headers["content-type"] ?? "") === expected
}

/** The proxy asks for the identity coding, because it could not check a compressed answer. */
function isEncoded(headers: IncomingHttpHeaders): boolean {
  const { "content-encoding": content = "identity", "transfer-encoding": transfer = "chunked" } = headers
  return content.toLowerCase() !== "identity" || transfer.toLowerCase() !== "chunked"
}

/** A JSON body that may be passed on. */
export type CheckedBody = {
  readonly body: Buffer
  /** The `request_id` of the upstream's Problem. */
  readonly upstreamRequestId?: string
}

// The embedded service's ids have 36 characters. The limit keeps a log line short whatever the upstream sends.
const LOGGED_ID_MAX_CHARACTERS = 200

/**
 * Checks a JSON answer and gives its bytes unchanged, except that the token is replaced. Gives undefined when the body is not a JSON object,
 * or when an error is not a Problem. The members of a success are not checked, because openapi.yaml leaves many values open.
 */
export function checkBody(body: Buffer, status: number, token: Token): CheckedBody | undefined {
  if (!isUtf8(body)) return undefined
  try {
    return status < 400 ? checkSuccess(body, token) : checkProblem(body, token)
  } catch {
    return undefined
  }
}

function checkSuccess(body: Buffer, token: Token): CheckedBody | undefined {
  const value: unknown = JSON.parse(body.toString("utf8"))
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  return isObject ? { body: token.concealBytes(body) } : undefined
}

function checkProblem(body: Buffer, token: Token): CheckedBody | undefined {
  const text = body.toString("utf8")
  const problem = parseJson(text)
  if (!isProblem(problem)) return undefined
  const id = problem.request_id.slice(0, LOGGED_ID_MAX_CHARACTERS)
  const upstreamRequestId = token.isIn(problem.request_id) ? "concealed" : id
  // A JSON escape could hide the token in `text`, but not in the text that is written anew.
  const written = stringifyJson(problem)
  if (!token.isIn(text) && !token.isIn(written)) return { body, upstreamRequestId }
  const concealed = token.conceal(written)
  return token.isIn(concealed) ? undefined : { body: Buffer.from(concealed), upstreamRequestId }
}

/** The headers for the client. A header that holds the token, or that Node would refuse to send, is left out. */
export function pickResponseHeaders(headers: IncomingHttpHeaders, upstream: Upstream, target: string): FlatHeaders {
  const passed: string[] = []
  const canPass = (value: string) => !UNSENDABLE.test(value) && !upstream.token.isIn(value)
  const pass = (name: string, value: string) => {
    if (canPass(value)) passed.push(name, value)
    // Without a type a browser would guess the type.
    else if (name === "Content-Type") passed.push(name, mediaTypeOf(value))
  }
  for (const [name, spelled] of RESPONSE_HEADERS) {
    const value = headers[name]
    if (value !== undefined) pass(spelled, Array.isArray(value) ? value.join(", ") : value)
  }
  const location = headers.location && toRelative(headers.location, upstream, target)
  if (location) pass("Location", location)
  return passed
}

/** Turns a Location below the upstream's `/api/v1` into a path of the proxy. Undefined for any other Location. */
function toRelative(location: string, { origin, basePath }: Upstream, target: string): string | undefined {
  const requested = origin + basePath + target
  if (!URL.canParse(location, requested)) return undefined
  const url = new URL(location, requested)
  if (url.origin !== origin) return undefined
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : url.pathname
  return path.startsWith("/api/v1/") ? path + url.search : undefined
}
