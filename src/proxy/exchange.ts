import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import { toProblem, type Refusal } from "../contract/refusal.ts"
import { apiAnswer, type FlatHeaders } from "./security-headers.ts"

/** One request to the proxy, and how it is answered. */
export type Visit = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Ours, in our Problems and in the log line. */
  readonly requestId: string
  /** What the log calls the path: a template, never the path itself. */
  route: string
  /** Called when the client has its answer, or has left without. */
  onClose: () => void
}

/** A whole answer: the upstream's, checked, or our own. Its Content-Length is added when it is sent. */
export type Answer = { readonly status: number; readonly headers: FlatHeaders; readonly body: Buffer }

const ONE_WRITE_BYTES = 16_384

// How much of a body nobody wants is still read, so that its sender gets to read why, and for how long.
const UNWANTED_BYTES = 1_048_576
const UNWANTED_MS = 1_000

// Ids tell requests apart and keep nothing secret: one random part a process is enough, and costs a request nothing.
const PROCESS_ID = randomBytes(6).toString("hex")
let count = 0

export function newVisit(request: IncomingMessage, response: ServerResponse): Visit {
  // Writing to a client that has just left is no reason to end the process.
  response.on("error", nothing)
  return { request, response, requestId: newRequestId(), route: "none", onClose: nothing }
}

export function newRequestId(): string {
  count++
  return `${PROCESS_ID}-${count.toString(36)}`
}

const nothing = () => undefined

export function isRefusal(value: object): value is Refusal {
  return "code" in value
}

/** Sends an answer, unless the client has left or has been answered. */
export function send(visit: Visit, answer: Answer | Refusal): void {
  const { response, request } = visit
  if (response.headersSent || response.destroyed) return
  if (!request.complete && hasBody(request)) letGo(request)
  if (isRefusal(answer)) return sendRefusal(visit, answer)
  const { status, headers, body } = answer
  response.writeHead(status, [...headers, "Content-Length", String(body.length)])
  // As text, byte for byte, it leaves with the head in one write; a long one is not worth the copy.
  if (body.length < ONE_WRITE_BYTES) response.end(body.toString("latin1"), "latin1")
  else response.end(body)
}

function sendRefusal({ response, requestId }: Visit, refusal: Refusal): void {
  const body = JSON.stringify(toProblem(refusal, requestId))
  const allow = refusal.allow === undefined ? [] : ["Allow", refusal.allow]
  const length = String(Buffer.byteLength(body))
  response.writeHead(refusal.status, [
    ...apiAnswer,
    "Content-Type",
    PROBLEM_MEDIA_TYPE,
    ...allow,
    "Content-Length",
    length,
  ])
  response.end(body)
}

/**
 * Ends an answer that has begun as an error: the client must not take it for whole. HTTP/1.0 has no chunks whose end could be missed, so
 * there the connection is reset.
 */
export function cut({ request, response }: Visit): void {
  if (request.httpVersion === "1.0") request.socket.resetAndDestroy()
  else response.destroy()
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
}

/** Reads the rest of a body that was answered before its end, but not for ever: closing at once would hide the answer from its sender. */
function letGo(request: IncomingMessage): void {
  let left = UNWANTED_BYTES
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.pause()
  })
  request.on("error", () => undefined)
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy()
  }, UNWANTED_MS)
  timer.unref()
}
