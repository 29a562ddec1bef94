/** Checks whether an upstream's answer is one of the operation's own, and picks what is passed on. */
import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import type { Operation, SuccessKind } from "../contract/document.ts"
import { parseJson, stringifyJson } from "../contract/int64.ts"
import { isProblem, PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import type { FlatHeaders } from "./security-headers.ts"
import type { Token } from "./token.ts"
import type { Upstream } from "./upstream.ts"

const MEDIA_TYPES = {
  json: "application/json",
  "event-stream": "text/event-stream",
  "octet-stream": "application/octet-stream",
}

// Headers pass by list. Location, Content-Disposition and Content-Length have rules of their own.
const PASSED_DOWN = [
  ["content-type", "Content-Type"],
  ["etag", "ETag"],
  ["retry-after", "Retry-After"],
  ["ratelimit", "RateLimit"],
  ["ratelimit-policy", "RateLimit-Policy"],
  ["idempotent-replayed", "Idempotent-Replayed"],
  ["content-disposition", "Content-Disposition"],
] as const

// Node's server refuses to send these.
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** The kind of the operation's answer, by status and headers; undefined when openapi.yaml has no such answer. */
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
  return essenceOf(headers["content-type"] ?? "") === expected
}

const essenceOf = (mediaType: string) => (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase()

/** The proxy asks for identity: a compressed answer could not be checked or measured. */
function isEncoded(headers: IncomingHttpHeaders): boolean {
  const { "content-encoding": content = "identity", "transfer-encoding": transfer = "chunked" } = headers
  return content.toLowerCase() !== "identity" || transfer.toLowerCase() !== "chunked"
}

/** A JSON body as it is passed on. */
export type CheckedBody = {
  readonly body: Buffer
  /** In a Problem: the upstream's id of the request. */
  readonly upstreamRequestId?: string
}

// The embedded service's ids have 36 characters. A log line must not grow with what somebody sends.
const LOGGED_ID_MAX_CHARACTERS = 200

/**
 * A JSON answer as it is passed on: byte for byte, but without the token. Undefined when the body is no JSON object, or an error that is
 * no Problem. Other members are not checked, because openapi.yaml leaves many values open.
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
  // After parsing and writing, no JSON escape can hide the token.
  const written = stringifyJson(problem)
  if (!token.isIn(text) && !token.isIn(written)) return { body, upstreamRequestId }
  const concealed = token.conceal(written)
  return token.isIn(concealed) ? undefined : { body: Buffer.from(concealed), upstreamRequestId }
}

/** The headers that pass, without those that hold the token or that Node would refuse to send. */
export function passDown(headers: IncomingHttpHeaders, upstream: Upstream, target: string): FlatHeaders {
  const passed: string[] = []
  const canPass = (value: string) => !UNSENDABLE.test(value) && !upstream.token.isIn(value)
  const pass = (name: string, value: string) => {
    if (canPass(value)) passed.push(name, value)
    // Without a type a browser would guess one.
    else if (name === "Content-Type") passed.push(name, essenceOf(value))
  }
  for (const [name, spelled] of PASSED_DOWN) {
    const value = headers[name]
    if (value !== undefined) pass(spelled, Array.isArray(value) ? value.join(", ") : value)
  }
  const location = headers.location && toRelative(headers.location, upstream, target)
  if (location) pass("Location", location)
  return passed
}

/** A Location below the upstream's `/api/v1`, as a path of the proxy; undefined for every other. */
function toRelative(location: string, { origin, basePath }: Upstream, target: string): string | undefined {
  const requested = origin + basePath + target
  if (!URL.canParse(location, requested)) return undefined
  const url = new URL(location, requested)
  if (url.origin !== origin) return undefined
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : url.pathname
  return path.startsWith("/api/v1/") ? path + url.search : undefined
}
