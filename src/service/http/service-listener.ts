/** The HTTP server of the API. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { inBackground } from "../../platform/background.ts"
import { stringifyJson } from "../../contract/int64.ts"
import { acceptWaiting, close, endMalformed, listen, urlOf } from "../../platform/http/listen.ts"
import { discardBody } from "../../platform/http/send.ts"
import { framesOf, type Log } from "../../platform/log.ts"
import { PROBLEM_MEDIA_TYPE } from "../../contract/problem.ts"
import type { Problem } from "../../contract/resources.ts"
import { ProblemError, invalidRequest } from "../problems.ts"
import { isStorageFailure } from "../store/store.ts"
import { type AdmissionParts, checkRequest, type Exchange } from "./check-request.ts"
import type { Handlers, Headers, Reply } from "./handler.ts"
import { splitTarget, withoutIds } from "./target.ts"

export type ApiServerParts = AdmissionParts & { readonly handlers: Handlers; readonly log: Log }

export type ApiServer = {
  readonly url: string
  /** Stops listening, ends the streams, and waits for the requests in progress. After 5 s it closes all connections. */
  close(): Promise<void>
}

const REQUEST_TIMEOUT_MS = 60_000
const KEEP_ALIVE_MS = 65_000
const CLOSE_TIMEOUT_MS = 5000

const COMMON_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" }

/** Serves the 13 operations on `host` and `port` (0 takes any free port). @throws ConfigurationError when it cannot listen there */
export async function serveApi(parts: ApiServerParts, host: string, port: number): Promise<ApiServer> {
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    inBackground(() => answerRequest(parts, request, response))
  const server = createServer({
    requireHostHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.on("request", answer)
  // Without this listener Node answers 100 Continue before the request is checked.
  server.on("checkContinue", answer)
  server.on("clientError", (_error, socket) => {
    if (!socket.writable) return void socket.destroy()
    const body = Buffer.from(stringifyJson(invalidRequest("The request is not valid HTTP").toProblem("/")))
    endMalformed(socket, { status: 400, headers: { "Content-Type": PROBLEM_MEDIA_TYPE }, body })
  })
  const takenPort = await listen(server, { host, port }, { host: "SERVICE_HOST", port: "SERVICE_PORT" })
  return {
    url: urlOf(host, takenPort),
    async close() {
      await acceptWaiting(server)
      const closed = close(server, AbortSignal.timeout(CLOSE_TIMEOUT_MS))
      parts.streams.close()
      await closed
    },
  }
}

async function answerRequest(parts: ApiServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange: Exchange = {
    request,
    response,
    ...splitTarget(request.url ?? ""),
    headers: { ...COMMON_HEADERS },
    begun: performance.now(),
    operation: undefined,
  }
  try {
    const { operation, checked } = await checkRequest(parts, exchange)
    send(exchange, await parts.handlers[operation].answer(checked))
    parts.log.debug({ operation, status: response.statusCode, ms: millisecondsSince(exchange) }, "service request")
  } catch (error) {
    if (response.headersSent) return void response.destroy()
    const problemError = toProblemError(error)
    // RFC 9110, section 10.1.1: a refused client may still send its announced body, so the connection cannot be used again.
    if (request.headers.expect !== undefined && !request.complete) exchange.headers["Connection"] = "close"
    const problem = problemError.toProblem(problemError.status === 404 ? withoutIds(exchange.path) : exchange.path)
    const headers = { ...problemError.headers, "Content-Type": PROBLEM_MEDIA_TYPE }
    sendBody(exchange, problemError.status, stringifyJson(problem), headers)
    logProblem(parts.log, problem, exchange, error)
  }
  if (!request.complete) discardBody(request)
}

function millisecondsSince({ begun }: Exchange): number {
  return Math.round(performance.now() - begun)
}

/** Logs a Problem with the `request_id` that a person may report. Of an unexpected error only the place is logged: its message could quote a text. */
function logProblem(log: Log, { request_id, status, code }: Problem, exchange: Exchange, error: unknown): void {
  const fields = { request_id, operation: exchange.operation, status, code, ms: millisecondsSince(exchange) }
  if (status < 500) return log.info(fields, "service request")
  if (error instanceof ProblemError) return log.error({ ...fields, cause: "refused" }, "service request")
  if (isStorageFailure(error)) log.error({ ...fields, cause: "refused", failure: String(error) }, "service request")
  else log.error({ ...fields, cause: "fault", stack: framesOf(error) }, "service request")
}

function toProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (!isStorageFailure(error)) return new ProblemError("INTERNAL_ERROR", "The service failed to handle this request")
  const detail = "The service can't read or store its data, so nothing was stored"
  return new ProblemError("STORAGE_UNAVAILABLE", detail, { retryable: true })
}

function send(exchange: Exchange, reply: Reply): void {
  switch (reply.kind) {
    case "json":
      return sendBody(exchange, reply.status, reply.body, { ...reply.headers, "Content-Type": "application/json" })
    case "bytes":
      return sendBody(exchange, 200, reply.body, { ...reply.headers, "Content-Type": "application/octet-stream" })
    case "stream":
      return reply.open(exchange.response, exchange.headers)
  }
}

function sendBody({ response, headers }: Exchange, status: number, body: string | Uint8Array, more: Headers): void {
  if (response.destroyed) return
  response.writeHead(status, { ...headers, ...more, "Content-Length": Buffer.byteLength(body) })
  response.end(body)
}
