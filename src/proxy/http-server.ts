/** The HTTP server of the proxy: connections, requests, and bytes that are no request. `router.ts` shows one request's way. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { ConfigurationError } from "../contract/configuration.ts"
import { framesOf, type Log } from "../contract/log.ts"
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import { toProblem } from "../contract/refusal.ts"
import { newRequestContext, newRequestId, send, type RequestContext } from "./request-context.ts"
import { logRequest } from "./request-log.ts"
import type { Metrics } from "./metrics.ts"
import { internalError, malformed } from "./refusals.ts"
import type { Router } from "./router.ts"
import { apiAnswer } from "./security-headers.ts"

export type ServerOptions = {
  readonly router: Router
  readonly log: Log
  readonly metrics: Metrics | undefined
  readonly isDraining: () => boolean
}

const CLOSE_IDLE_INTERVAL_MS = 50

// Balancers keep idle connections for 60 s (nginx, AWS, HAProxy). The desk keeps them longer: a request that is sent while the desk
// closes the connection would be lost.
const KEEP_ALIVE_MS = 75_000
// Node closes an idle connection after this time, too.
const HEADERS_TIMEOUT_MS = KEEP_ALIVE_MS + 5_000

/** A server that routes each request, logs it when it is over, and answers bytes that are no request. */
export function createListeningServer({ router, log, metrics, isDraining }: ServerOptions): Server {
  // The last request of each connection. One set of all requests in progress would cost more: V8's garbage collector would copy each.
  const connections = new WeakMap<Duplex, { context?: RequestContext }>()
  const handle: RequestListener = (request, response) => {
    const startedAt = performance.now()
    const context = newRequestContext(request, response)
    const connection = connections.get(request.socket)
    if (connection !== undefined) connection.context = context
    // The balancer's connections move to the other desks.
    if (isDraining()) response.shouldKeepAlive = false
    response.on("close", () => {
      context.onClose()
      logRequest(log, context, startedAt)
      metrics?.observe(context, (performance.now() - startedAt) / 1_000)
    })
    try {
      const routed = router.route(context)
      if (routed instanceof Promise) routed.catch((error: unknown) => fail(context, error, log))
    } catch (error) {
      fail(context, error, log)
    }
  }
  // The proxy's own guard refuses a missing Host, with a Problem.
  const server = createServer(
    {
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // Most requests are reads without a body. For them Node then prepares no stream (`readBody` waits for none).
      optimizeEmptyRequests: true,
    },
    handle,
  )
  // The guards run before a client is asked to send its body. Unknown expectations are ignored.
  return server
    .on("connection", (socket: Duplex) => connections.set(socket, {}))
    .on("checkContinue", handle)
    .on("checkExpectation", handle)
    .on("connect", (_: IncomingMessage, socket: Duplex) => {
      // The desk opens no tunnels. Without this listener Node would close the connection without an answer.
      const last = connections.get(socket)?.context
      if (last === undefined || last.response.writableFinished) refuseMalformed(undefined, socket, log)
      else socket.destroy()
    })
    .on("clientError", ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
      const last = connections.get(socket)?.context
      if (last === undefined || last.response.writableFinished) return refuseMalformed(code, socket, log)
      // The bytes behind a complete request are wrong: the request is still answered.
      if (last.request.complete) last.response.once("finish", () => socket.destroy())
      else if (last.response.headersSent) socket.destroy()
      else refuseMalformed(code, socket, log)
    })
}

function fail(context: RequestContext, error: unknown, log: Log): void {
  log.error({ request_id: context.requestId, stack: framesOf(error) }, "a fault of the desk")
  send(context, internalError)
}

/** @throws ConfigurationError when the address cannot be listened at */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once("error", (error: NodeJS.ErrnoException) => {
    const variable = error.code === "EADDRINUSE" || error.code === "EACCES" ? "PORT" : "HOST"
    const reason = error.code === "EADDRINUSE" ? "is taken by another program" : "cannot be listened at"
    reject(new ConfigurationError(`${variable}: ${host}:${port} ${reason}`))
  })
  server.listen(port, host, resolve)
  await promise
}

/** Answers bytes that Node's parser does not take for a request (also a slow one, or one with a long head), then closes. */
function refuseMalformed(code: string | undefined, socket: Duplex, log: Log): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy()
  const refusal = malformed(code)
  const requestId = newRequestId()
  log.info({ request_id: requestId, status: refusal.status }, "no request that HTTP allows")
  const body = JSON.stringify(toProblem(refusal, requestId))
  const headers = [
    ...apiAnswer,
    "Content-Type",
    PROBLEM_MEDIA_TYPE,
    "Content-Length",
    String(Buffer.byteLength(body)),
    "Connection",
    "close",
  ]
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []))
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.title}\r\n${lines.join("\r\n")}\r\n\r\n${body}`)
}

/** Closes each connection as soon as its request is done, and all that are open when `late` says so. */
export async function close(server: Server, late: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS)
  late.addEventListener("abort", () => server.closeAllConnections())
  await promise
  clearInterval(closeIdle)
}
