import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { stringifyJson } from "../contract/int64.ts"
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import type { OperationId } from "../contract/resources.ts"
import { isRefusal, toProblem, type Refusal } from "../contract/refusal.ts"
import { apiAnswer, type FlatHeaders } from "./security-headers.ts"

/** One request to the proxy, its response, and what the log line and the metrics say about the request. */
export type RequestContext = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The desk's id of the request, for its Problem and its log line. */
  readonly requestId: string
  /** For the log: the template of the path, never the path itself. */
  route: string
  operation: OperationId | undefined
  /** The opaque `person.id`. */
  personId: string | undefined
  /** The `request_id` of the upstream's Problem. */
  upstreamRequestId: string | undefined
  /** The code of the desk's own Problem. */
  refusalCode: string | undefined
  /** Why there was no valid answer. Set for every 5xx. */
  cause: Refusal["cause"]
  /** Why a sign-in failed, in the desk's own words and the codes of errors. */
  failure: string | undefined
  /** Called when the client has the whole answer, or has left. */
  onClose: () => void
}

/** A complete answer: the checked answer of the upstream, or an answer of the desk. `send` adds the Content-Length. */
export type Answer = {
  readonly status: number
  readonly headers: FlatHeaders
  readonly body: Buffer
  /** The `request_id` of the upstream's Problem. */
  readonly upstreamRequestId?: string | undefined
  /** Why the upstream gave no valid answer, when the body is the Problem that the watcher got. */
  readonly cause?: Refusal["cause"]
}

const NOT_MODIFIED = 304
const ONE_WRITE_BYTES = 16_384

// How much of the rest of a refused body is read, and for how long.
const DISCARDED_MAX_BYTES = 1_048_576
const DISCARD_MS = 1_000

// Request ids are not secret, so one random part for the process is enough to tell them apart.
const PROCESS_ID = randomBytes(6).toString("hex")
let count = 0

export function newRequestContext(request: IncomingMessage, response: ServerResponse): RequestContext {
  // Without a listener, an error while writing to a client that has left would end the process.
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

/** Sends an answer. Does nothing when the client has left or already has an answer. */
export function send(context: RequestContext, answer: Answer | Refusal): void {
  const { response, request } = context
  if (response.headersSent || response.destroyed) return
  if (!request.complete && hasBody(request)) discardBody(request)
  if (isRefusal(answer)) return sendRefusal(context, answer)
  const { status, headers, body } = answer
  if (status >= 400) {
    context.upstreamRequestId = answer.upstreamRequestId
    // The page of a failed sign-in has set the cause already.
    if (status >= 500) context.cause ??= answer.cause ?? "refused"
  }
  if (status === NOT_MODIFIED) {
    response.writeHead(status, [...headers])
    return void response.end()
  }
  response.writeHead(status, [...headers, "Content-Length", String(body.length)])
  // Node sends a text and the head in one write. latin1 keeps every byte. For a long body the copy costs more than a second write.
  if (body.length < ONE_WRITE_BYTES) response.end(body.toString("latin1"), "latin1")
  else response.end(body)
}

/** Sends a value as JSON with status 200. `headers` are alternating names and values. */
export function sendJson(context: RequestContext, value: unknown, headers: FlatHeaders = []): void {
  send(context, { status: 200, headers: [...jsonAnswer, ...headers], body: Buffer.from(stringifyJson(value)) })
}

const jsonAnswer: FlatHeaders = [...apiAnswer, "Content-Type", "application/json"]

function sendRefusal(context: RequestContext, refusal: Refusal): void {
  const { response, requestId } = context
  // Only a desk that is about to stop makes a 5xx refusal without a cause.
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
 * Breaks off an answer that has begun, so that the client does not take the answer for complete. In HTTP/1.0, which has no chunks, only a
 * reset of the connection shows the break.
 */
export function cut({ request, response }: RequestContext): void {
  if (request.httpVersion === "1.0") request.socket.resetAndDestroy()
  else response.destroy()
}

/** Whether the request has a body: its headers name a length or a transfer coding (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
}

/**
 * Reads and discards the rest of a body that was answered before its end, within limits. If the desk closed the connection at once, the
 * client could not read the answer.
 */
function discardBody(request: IncomingMessage): void {
  let left = DISCARDED_MAX_BYTES
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.pause()
  })
  request.on("error", ignore)
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy()
  }, DISCARD_MS)
  timer.unref()
}
