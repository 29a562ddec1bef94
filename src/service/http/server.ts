import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { stringifyJson } from "../../contract/int64.ts"
import { BODY_MAX_BYTES } from "../../contract/limits.ts"
import { framesOf, type Log } from "../../contract/log.ts"
import { PROBLEM_MEDIA_TYPE } from "../../contract/problem.ts"
import type { OperationId, Problem } from "../../contract/resources.ts"
import { parameterFault } from "../validation.ts"
import type { RateLimiter } from "../admission/rate.ts"
import { readIfMatch } from "../admission/if-match.ts"
import type { Credentials } from "../admission/credentials.ts"
import * as problems from "../problems.ts"
import { isStorageFailure } from "../store/store.ts"
import type { Streams } from "../streams.ts"
import { readJsonBody } from "./body.ts"
import type { CheckedRequest, Handlers, Reply } from "./handler.ts"
import { findRoute, readQuery, splitTarget, withoutIds } from "./target.ts"
import type { Route } from "./target.ts"

export type ApiServerParts = {
  readonly handlers: Handlers
  readonly credentials: Credentials
  readonly rates: RateLimiter
  readonly streams: Streams
  readonly log: Log
  readonly isBehindProxy: boolean
}

export type ApiServer = {
  readonly url: string
  /** Stops listening, ends the streams, and waits for the requests in progress. After 5 s it closes all connections. */
  close(): Promise<void>
}

const REQUEST_TIMEOUT_MS = 60_000
const KEEP_ALIVE_MS = 65_000
const CLOSE_TIMEOUT_MS = 5000

// How much of a refused body is read after the answer, and for how long. Closing the connection at once would reset it, and the client
// would lose the answer.
const DRAINED_BYTES = 4 * BODY_MAX_BYTES
const DRAINED_MS = 2000

const COMMON_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" }

/** Serves the 13 operations on `host` and `port` (0 takes any free port). Rejects with the error of `listen`. */
export async function serveApi(parts: ApiServerParts, host: string, port: number): Promise<ApiServer> {
  const answer = (request: IncomingMessage, response: ServerResponse) => void answerRequest(parts, request, response)
  const server = createServer({
    requireHostHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.on("request", answer)
  // Without this listener Node answers 100 Continue before the request is checked.
  server.on("checkContinue", answer)
  server.on("clientError", (_error, socket) => {
    const refusal = problems.invalidRequest("The request is not valid HTTP")
    const body = stringifyJson(refusal.toProblem("/"))
    if (!socket.writable) return void socket.destroy()
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  })
  await listen(server, host, port)
  return { url: urlOf(host, server.address()), close: () => close(server, parts.streams) }
}

async function answerRequest(parts: ApiServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { path, query } = splitTarget(request.url ?? "")
  const headers: Record<string, string> = { ...COMMON_HEADERS }
  const progress: Progress = { begun: performance.now(), operation: undefined }
  try {
    const checked = await checkRequest(parts, request, response, { path, query, headers, progress })
    const reply = await parts.handlers[checked.route.operation.id].answer(checked.request)
    send(response, reply, headers)
    parts.log.debug(
      { operation: progress.operation, status: response.statusCode, ms: since(progress) },
      "service request",
    )
  } catch (error) {
    const refusal = refusalOf(error)
    if (response.headersSent) return void response.destroy()
    // RFC 9110, section 10.1.1: a refused client may still send its announced body, so the connection cannot be used again.
    if (request.headers.expect !== undefined && !request.complete) headers["Connection"] = "close"
    Object.assign(headers, refusal.headers, { "Content-Type": PROBLEM_MEDIA_TYPE })
    const problem = refusal.toProblem(refusal.status === 404 ? withoutIds(path) : path)
    sendBody(response, refusal.status, stringifyJson(problem), headers)
    logProblem(parts.log, problem, progress, error)
  }
  if (!request.complete) drain(request)
}

/** What is known of a request for its line in the log. */
type Progress = { readonly begun: number; operation: OperationId | undefined }

function since({ begun }: Progress): number {
  return Math.round(performance.now() - begun)
}

/**
 * Logs a Problem with its `request_id`, so that a person's report leads to the line. Of an unexpected error only the place in the code is
 * logged, because its message could quote a person's text.
 */
function logProblem(log: Log, { request_id, status, code }: Problem, progress: Progress, error: unknown): void {
  const fields = { request_id, operation: progress.operation, status, code, ms: since(progress) }
  if (status < 500) return log.info(fields, "service request")
  if (error instanceof problems.Refusal) return log.error({ ...fields, cause: "refused" }, "service request")
  if (isStorageFailure(error)) log.error({ ...fields, cause: "refused", failure: String(error) }, "service request")
  else log.error({ ...fields, cause: "fault", stack: framesOf(error) }, "service request")
}

/** Makes the checks that need no resource, in this order: 401, 429, 404 and 405 for the path, 403, 400 and 413. */
async function checkRequest(
  { credentials, rates, streams, isBehindProxy }: ApiServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  {
    path,
    query,
    headers,
    progress,
  }: { path: string; query: string; headers: Record<string, string>; progress: Progress },
): Promise<{ route: Route; request: CheckedRequest }> {
  const method = request.method ?? ""
  const [authorization, ...more] = request.headersDistinct["authorization"] ?? []
  const credential = more.length === 0 ? credentials.authenticate(authorization) : undefined
  const rateClass = method === "GET" || method === "HEAD" ? "read" : "write"
  const admission =
    credential === undefined
      ? rates.take("unauthenticated", lastForwardedAddress(request, isBehindProxy))
      : rates.take(rateClass, credential.id)
  Object.assign(headers, admission.headers)
  if (!admission.admitted) throw problems.tooManyRequests("The budget of this minute is used up", admission.retryAfter)
  if (credential === undefined) throw problems.unauthenticated()

  const route = findRoute(method, path)
  const { operation } = route
  progress.operation = operation.id
  if (operation.id === "streamWorkEvents") streams.checkRoom(credential.id)
  if (!credential.scopes.has(operation.scope)) throw problems.scopeMissing(operation.scope)
  return { route, request: { credential, ...(await readParameters(route, path, query, request, response)) } }
}

/** The address of a client. A proxy appends it to X-Forwarded-For, so only the last entry is the proxy's own. */
function lastForwardedAddress({ headers, socket }: IncomingMessage, isBehindProxy: boolean): string {
  const forwarded = isBehindProxy ? String(headers["x-forwarded-for"] ?? "").split(",") : []
  return forwarded.at(-1)?.trim() || (socket.remoteAddress ?? "")
}

/** Reads and validates the parameters, headers and body of an operation. @throws Refusal 400 or 413 */
async function readParameters(
  { operation, path }: Route,
  rawPath: string,
  rawQuery: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Omit<CheckedRequest, "credential">> {
  const query = readQuery(operation, rawQuery)
  for (const [name, value] of Object.entries(query)) check(parameterFault(operation.id, "query", name, value))
  const lastEventId = operation.id === "streamWorkEvents" ? single(request, "last-event-id") : undefined
  if (lastEventId !== undefined && query["after"] === undefined) {
    check(parameterFault(operation.id, "header", "Last-Event-ID", lastEventId))
  }
  let idempotencyKey = ""
  if (operation.needsIdempotencyKey) {
    idempotencyKey = single(request, "idempotency-key") ?? ""
    if (idempotencyKey === "") throw problems.invalidRequest("Idempotency-Key is required")
    check(parameterFault(operation.id, "header", "Idempotency-Key", idempotencyKey))
  }
  const ifMatch = operation.needsIfMatch ? readIfMatch(request.headers["if-match"]) : undefined
  const body = operation.hasBody ? await readJsonBody(request, response) : undefined
  return { rawPath, path, query, body, idempotencyKey, ifMatch, lastEventId }
}

/** Gives the only value of a header. Node would join repeated values. @throws Refusal 400 when the header is repeated */
function single(request: IncomingMessage, name: string): string | undefined {
  const [value, ...more] = request.headersDistinct[name] ?? []
  if (more.length > 0) throw problems.invalidRequest(`${name} must not be repeated`)
  return value
}

function check(fault: string | undefined): void {
  if (fault !== undefined) throw problems.invalidRequest(fault)
}

function refusalOf(error: unknown): problems.Refusal {
  if (error instanceof problems.Refusal) return error
  return isStorageFailure(error) ? problems.storageFailed() : problems.internalError()
}

function send(response: ServerResponse, reply: Reply, headers: Record<string, string>): void {
  switch (reply.kind) {
    case "json":
      Object.assign(headers, reply.headers, { "Content-Type": "application/json" })
      return sendBody(response, reply.status, reply.body, headers)
    case "bytes":
      Object.assign(headers, reply.headers, { "Content-Type": "application/octet-stream" })
      return sendBody(response, 200, reply.body, headers)
    case "stream":
      Object.assign(headers, { "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform" })
      response.writeHead(200, headers)
      // Otherwise Node would send the headers with the first event, and a quiet stream would seem not to open.
      response.flushHeaders()
      return reply.open(response)
  }
}

function sendBody(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string>,
): void {
  if (response.destroyed) return
  headers["Content-Length"] = String(Buffer.byteLength(body))
  response.writeHead(status, headers)
  response.end(body)
}

/** Reads and discards the rest of a refused body. Closes the connection when the body is too long or takes too long. */
function drain(request: IncomingMessage): void {
  let bytes = 0
  const timer = setTimeout(() => request.socket.destroy(), DRAINED_MS)
  request.once("close", () => clearTimeout(timer))
  request.once("end", () => clearTimeout(timer))
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DRAINED_BYTES) request.socket.destroy()
  })
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once("error", reject)
  server.listen(port, host, resolve)
  await promise
  server.off("error", reject)
}

function urlOf(host: string, address: AddressInfo | string | null): string {
  const port = typeof address === "object" && address !== null ? address.port : 0
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

async function close(server: Server, streams: Streams): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  streams.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
  await promise
  clearTimeout(timer)
}
