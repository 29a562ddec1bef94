/** Sends answers to clients. */
import type { IncomingMessage } from "node:http"
import { stringifyJson } from "../../contract/int64.ts"
import type { JsonObject } from "./json-object.ts"
import { PROBLEM_MEDIA_TYPE } from "../../contract/problem.ts"
import { type HeaderFields, isRefusal, toProblem, type Refusal, notFound } from "./refusals.ts"
import { hasBody, whenClosed, type RequestContext } from "./request-context.ts"
import { apiAnswer } from "./security-headers.ts"

/** A complete answer: the checked answer of the upstream, or an answer of the desk. `send` adds the Content-Length. */
export type Answer = {
  readonly status: number
  readonly headers: HeaderFields
  readonly body: Buffer
  /** The body of the upstream's success, parsed. An integer beyond 2^53 is not exact in it. */
  readonly json?: JsonObject | undefined
  /** The `request_id` of the upstream's Problem. */
  readonly upstreamRequestId?: string | undefined
  /** For the log: why there is no better answer, when this is a Problem of 5xx. */
  readonly cause?: Refusal["cause"]
}

/** Ends a request with an answer, from wherever it is thrown. `desk/http/http-server.ts` catches it and sends the answer. */
export class Refused extends Error {
  readonly answer: Answer | Refusal

  constructor(answer: Answer | Refusal) {
    super(isRefusal(answer) ? answer.code : `status ${answer.status}`)
    this.answer = answer
  }
}

const NO_CONTENT = 204
const NOT_MODIFIED = 304
const FORBIDDEN = 403
const NOT_FOUND = 404
const ONE_WRITE_BYTES = 16_384

const DISCARDED_MAX_BYTES = 1_048_576
const DISCARD_MS = 1_000

/** For the log. The desk's own 403 is a refusal, so this one comes from the service. */
const SCOPE_MISSING = "the service refuses this operation: the token may lack its scope, npm run check tells"

/** Sends an answer, unless the client has left or already has an answer. */
export function send(context: RequestContext, given: Answer | Refusal): void {
  const { response, request } = context
  if (response.headersSent || response.destroyed) return
  if (!request.complete && hasBody(request)) discardBody(request)
  if (!isRefusal(given) && given.status >= 400) context.upstreamRequestId = given.upstreamRequestId
  if (!isRefusal(given) && given.status === FORBIDDEN) context.failure = SCOPE_MISSING
  const chosen = !isRefusal(given) && given.status === NOT_FOUND && context.hasOwnNotFound ? notFound : given
  if (isRefusal(chosen)) context.refusalCode = chosen.code
  const { status, headers, body, cause } = isRefusal(chosen) ? toAnswer(chosen, context.requestId) : chosen
  // The page of a failed sign-in has set the cause already.
  if (status >= 500) context.cause ??= cause ?? "refused"
  if (status === NOT_MODIFIED || status === NO_CONTENT) {
    response.writeHead(status, headers)
    return void response.end()
  }
  response.writeHead(status, { ...headers, "Content-Length": String(body.length) })
  // Node sends a text and the head in one write. latin1 keeps every byte. For a long body the copy costs more than a second write.
  if (body.length < ONE_WRITE_BYTES) response.end(body.toString("latin1"), "latin1")
  else response.end(body)
}

/** The Problem of a refusal for the request with this id. */
export function toAnswer(refusal: Refusal, requestId: string): Answer {
  const { status, allow, retryAfterSeconds, headers, cause } = refusal
  return {
    status,
    headers: {
      ...apiAnswer,
      "Content-Type": PROBLEM_MEDIA_TYPE,
      ...(allow !== undefined && { Allow: allow }),
      ...headers,
      ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    },
    body: Buffer.from(JSON.stringify(toProblem(refusal, requestId))),
    cause,
  }
}

export const noContent: Answer = { status: 204, headers: apiAnswer, body: Buffer.alloc(0) }

/** Sends a value as JSON. */
export function sendJson(context: RequestContext, value: object, headers: HeaderFields = {}, status = 200): void {
  send(context, jsonAnswer(stringifyJson(value), headers, status))
}

/** An answer with JSON text. */
export function jsonAnswer(text: string, headers: HeaderFields = {}, status = 200): Answer {
  return { status, headers: { ...apiAnswer, "Content-Type": "application/json", ...headers }, body: Buffer.from(text) }
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** A text as HTML, for an element or for an attribute in double quotes. */
export const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)

/** A page for a browser that cannot have the app. `content` is HTML, in which every text from outside is escaped. */
export type PlainPage = { readonly status: number; readonly title: string; readonly content: string }

export function sendPlainPage(context: RequestContext, page: PlainPage): void {
  send(context, plainPage(page, context.requestId))
}

/** The answer with a page, for the request with this id. */
export function plainPage(page: PlainPage, requestId: string): Answer {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Workdesk</title>
<h1>${escapeHtml(page.title)}</h1>
${page.content}
<p>Request ID: <code>${escapeHtml(requestId)}</code></p>
</html>
`
  const headers = { ...apiAnswer, "Content-Type": "text/html; charset=utf-8" }
  return { status: page.status, headers, body: Buffer.from(html) }
}

/** Breaks off an answer that has begun. In HTTP/1.0, which has no chunks, only a reset of the connection shows the break. */
export function cut({ request, response }: RequestContext): void {
  if (request.httpVersion === "1.0") request.socket.resetAndDestroy()
  else response.destroy()
}

/** How often a client is looked at within its time. */
const CHECKS = 10

/** Cuts off a client that has read none of the bytes that wait for it for so many milliseconds. */
export function cutWhenStalled(context: RequestContext, milliseconds: number): void {
  const { response, request } = context
  let read = 0
  let idleChecks = 0
  const timer = setInterval(() => {
    const readNow = request.socket.bytesWritten - request.socket.writableLength
    idleChecks = response.writableLength > 0 && readNow === read ? idleChecks + 1 : 0
    read = readNow
    if (idleChecks > CHECKS) cut(context)
  }, milliseconds / CHECKS)
  timer.unref()
  whenClosed(context, () => clearInterval(timer))
}

/** Discards the rest of a body that was answered early, within limits: a client whose connection is closed at once can't read the answer. */
export function discardBody(request: IncomingMessage): void {
  let left = DISCARDED_MAX_BYTES
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.pause()
  })
  // Without a listener, the error of a client that breaks off would end the process.
  request.on("error", () => undefined)
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy()
  }, DISCARD_MS)
  timer.unref()
}
