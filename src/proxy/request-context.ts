import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { stringifyJson } from "../contract/int64.ts"
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import type { OperationId } from "../contract/resources.ts"
import { toProblem, type Refusal } from "../contract/refusal.ts"
import { apiAnswer, type FlatHeaders } from "./security-headers.ts"

/** One request to the proxy and its response. */
export type RequestContext = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The proxy's own id, for its Problems and its log line. */
  readonly requestId: string
  /** The path in the log: a template, never the path itself. */
  route: string
  /** For the log. The person is known by an opaque id. */
  operation: OperationId | undefined
  personId: string | undefined
  /** The id of the Problem that the upstream answered with. */
  upstreamRequestId: string | undefined
  /** The code of the desk's own Problem. */
  refusalCode: string | undefined
  /** Why there was no valid answer. Every 5xx has a cause. */
  cause: Refusal["cause"]
  /** Why a sign-in failed, in the desk's own words and the codes of errors. */
  failure: string | undefined
  /** Called when the client has the whole answer, or has left before. */
  onClose: () => void
}

/** A complete answer: the upstream's, checked, or the proxy's own. `send` adds its Content-Length. */
export type Answer = {
  readonly status: number
  readonly headers: FlatHeaders
  readonly body: Buffer
  /** In a Problem of the upstream. */
  readonly upstreamRequestId?: string | undefined
  /** Why a Problem is passed on that the watcher got instead of an answer. */
  readonly cause?: Refusal["cause"]
}

const NOT_MODIFIED = 304
const ONE_WRITE_BYTES = 16_384

// A body that is refused is still read for this long, so that its sender can read the answer.
const DRAIN_BYTES = 1_048_576
const DRAIN_MS = 1_000

// Request ids tell requests apart and keep nothing secret, so one random part for the process is enough.
const PROCESS_ID = randomBytes(6).toString("hex")
let count = 0

export function newRequestContext(request: IncomingMessage, response: ServerResponse): RequestContext {
  // Without a listener, writing to a client that has just left would end the process.
  response.on("error", ignore)
  return {
    request,
    response,
    requestId: newRequestId(),
    route: "none",
    operation: undefined,
    personId: undefined,
    upstreamRequestId: undefined,
    refusalCode: undefined,
    cause: undefined,
    failure: undefined,
    onClose: ignore,
  }
}

export function newRequestId(): string {
  count++
  return `${PROCESS_ID}-${count.toString(36)}`
}

const ignore = () => undefined

export function isRefusal(value: object): value is Refusal {
  return "code" in value
}

/** Sends an answer, unless the client has left or has been answered. */
export function send(context: RequestContext, answer: Answer | Refusal): void {
  const { response, request } = context
  if (response.headersSent || response.destroyed) return
  if (!request.complete && hasBody(request)) drain(request)
  if (isRefusal(answer)) return sendRefusal(context, answer)
  const { status, headers, body } = answer
  if (status >= 400) {
    context.upstreamRequestId = answer.upstreamRequestId
    // A sign-in that failed has said why before.
    if (status >= 500) context.cause ??= answer.cause ?? "refused"
  }
  if (status === NOT_MODIFIED) {
    response.writeHead(status, [...headers])
    return void response.end()
  }
  response.writeHead(status, [...headers, "Content-Length", String(body.length)])
  // As text, byte for byte, a short body leaves with the head in one write. A long one is not worth the copy.
  if (body.length < ONE_WRITE_BYTES) response.end(body.toString("latin1"), "latin1")
  else response.end(body)
}

/** Sends a JSON answer of the desk's own. */
export function sendJson(context: RequestContext, value: unknown, headers: FlatHeaders = []): void {
  send(context, { status: 200, headers: [...jsonAnswer, ...headers], body: Buffer.from(stringifyJson(value)) })
}

const jsonAnswer: FlatHeaders = [...apiAnswer, "Content-Type", "application/json"]

function sendRefusal(context: RequestContext, refusal: Refusal): void {
  const { response, requestId } = context
  // A desk that is about to stop refuses by itself.
  context.cause = refusal.cause ?? (refusal.status >= 500 ? "refused" : undefined)
  const body = JSON.stringify(toProblem(refusal, requestId))
  const { allow, retryAfterSeconds, headers = [] } = refusal
  context.refusalCode = refusal.code
  response.writeHead(refusal.status, [
    ...apiAnswer,
    "Content-Type",
    PROBLEM_MEDIA_TYPE,
    ...(allow === undefined ? [] : ["Allow", allow]),
    ...headers,
    ...(retryAfterSeconds === undefined ? [] : ["Retry-After", String(retryAfterSeconds)]),
    "Content-Length",
    String(Buffer.byteLength(body)),
  ])
  response.end(body)
}

/**
 * Ends an answer that has begun as an error, so that the client does not take it for complete. HTTP/1.0 has no chunks, so only a reset
 * of the connection shows it there.
 */
export function cut({ request, response }: RequestContext): void {
  if (request.httpVersion === "1.0") request.socket.resetAndDestroy()
  else response.destroy()
}

/** Whether the request has a body: its head then names a length or a transfer coding (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
}

/** Reads the rest of a body that was answered before its end, within bounds: closing at once would hide the answer from its sender. */
function drain(request: IncomingMessage): void {
  let left = DRAIN_BYTES
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.pause()
  })
  request.on("error", ignore)
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy()
  }, DRAIN_MS)
  timer.unref()
}
