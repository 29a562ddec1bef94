/** The desk's HTTP server: connections, requests, and bytes that are not a request. `router.ts` routes each request. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { framesOf, type Log } from "../../platform/log.ts"
import { endMalformed } from "../../platform/http/listen.ts"
import { peerOf, type TrustedProxies } from "../../platform/http/client-address.ts"
import { newRequestId, RequestContext, whenClosed } from "../../platform/http/request-context.ts"
import { acceptsPage } from "../../platform/http/http-fields.ts"
import { plainPage, Refused, send, toAnswer } from "../../platform/http/send.ts"
import { storeUnavailable } from "../../platform/http/refusals.ts"
import { StoreUnavailableError } from "../store/database.ts"
import { EventLoopShare } from "../store/event-loop-share.ts"
import type { Metrics } from "./metrics.ts"
import type { Router } from "./router.ts"
import { headTooLarge, headTooLargePage, hostRefused, internalError, malformed } from "./desk-refusals.ts"

export type ServerOptions = {
  readonly router: Pick<Router, "nameSender" | "route">
  readonly log: Log
  readonly metrics: Metrics | undefined
  readonly isDraining: () => boolean
  readonly trustedProxies: TrustedProxies
  /** Whether people sign in, through a proxy that TRUSTED_PROXIES should name. */
  readonly isSignIn: boolean
}

// Balancers keep idle connections for 60 s (nginx, AWS, HAProxy). The desk keeps them longer, because a request would be lost that a
// balancer sends while the desk closes the connection.
const KEEP_ALIVE_MS = 75_000
// Node also closes an idle connection after this time, so the time is longer than KEEP_ALIVE_MS.
const HEADERS_TIMEOUT_MS = KEEP_ALIVE_MS + 5_000

/** Above this, Node refuses a head itself. The router refuses one of more than 16 KiB, because it knows whether a person waits for a page. */
const PARSED_HEAD_MAX_BYTES = 49_152

/** How long the desk begins requests in one turn of the event loop. Each step of a request waits for a turn. */
const START_MS = 1

/** Logged once. A stranger may have sent the header, so the operator must decide whether it was the proxy. */
const PROXY_NOT_TRUSTED =
  "a request with X-Forwarded-For came from a client that TRUSTED_PROXIES doesn't name: if it is your proxy, name it there, or all people count as one client"

/** Logged once, for the same reason. */
const HOST_NOT_ALLOWED =
  "a request named a host that the desk doesn't serve (421): let the proxy in front pass on the Host header, or add the name to ALLOWED_HOSTS"

/** Makes a server that routes each request, and logs the request when it is over. */
export function createDeskServer(options: ServerOptions): Server {
  const { log } = options
  const connections = new Connections()
  const handle = createHandler(options, connections)
  const server = createServer(
    {
      // `hasAllowedHost` refuses a missing Host with a Problem. Node would answer without a body.
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize: PARSED_HEAD_MAX_BYTES,
      // Most requests are reads without a body. Node then prepares no stream for the body, and `readBody` waits for none.
      optimizeEmptyRequests: true,
    },
    handle,
  )
  // The guards run before the client is asked to send its body (Expect: 100-continue). Other expectations are ignored.
  return server
    .on("connection", (socket: Duplex) => connections.add(socket))
    .on("checkContinue", handle)
    .on("checkExpectation", handle)
    .on("connect", (_: IncomingMessage, socket: Duplex) => {
      // The desk opens no tunnels. Without this listener, Node would close the connection without an answer.
      if (connections.unansweredOn(socket) === undefined) refuseMalformed({}, socket, log)
      else socket.destroy()
    })
    .on("clientError", (error: ParserError, socket: Duplex) => {
      const last = connections.unansweredOn(socket)
      if (last === undefined) return refuseMalformed(error, socket, log)
      // The bytes after a complete request are not valid. The request still gets its answer.
      if (last.request.complete) last.response.once("finish", () => socket.destroy())
      else if (last.response.headersSent) socket.destroy()
      else refuseMalformed(error, socket, log)
    })
}

/** The last request of each connection. A set of all requests would cost more, because V8's garbage collector would copy each request. */
class Connections {
  readonly #connections = new WeakMap<Duplex, { last?: RequestContext }>()

  add(socket: Duplex): void {
    this.#connections.set(socket, {})
  }

  noteRequest(context: RequestContext): void {
    const connection = this.#connections.get(context.request.socket)
    if (connection !== undefined) connection.last = context
  }

  /** The connection's last request, while its answer is not written to the end. */
  unansweredOn(socket: Duplex): RequestContext | undefined {
    const last = this.#connections.get(socket)?.last
    return last?.response.writableFinished === false ? last : undefined
  }
}

function createHandler(options: ServerOptions, connections: Connections): RequestListener {
  const { router, log, metrics, isDraining, trustedProxies } = options
  const requests = new EventLoopShare(START_MS)
  const warnings = new ProxyWarnings(options)
  return (request, response) => {
    const startedAt = performance.now()
    const context = new RequestContext(request, response, trustedProxies)
    warnings.checkForwarded(context)
    connections.noteRequest(context)
    // A draining desk closes each connection after its answer, so that the balancer connects to the other desks.
    if (isDraining()) response.shouldKeepAlive = false
    whenClosed(context, () => {
      logRequest(log, context, startedAt)
      warnings.checkHost(context)
      metrics?.observe(context, (performance.now() - startedAt) / 1_000)
    })
    const route = () => {
      // The client may have left while the request waited for its turn.
      if (response.closed) return
      try {
        const routed = router.route(context)
        if (routed instanceof Promise) routed.catch((error: unknown) => fail(context, error, log))
      } catch (error) {
        fail(context, error, log)
      }
    }
    requests.begin(route, () => router.nameSender(context))
  }
}

/** Warns once of a proxy that TRUSTED_PROXIES doesn't name, and once of a host that the desk doesn't serve. */
class ProxyWarnings {
  readonly #log: Log
  readonly #trustedProxies: TrustedProxies
  #mayWarnOfProxy: boolean
  #mayWarnOfHost: boolean

  constructor({ log, trustedProxies, isSignIn }: ServerOptions) {
    this.#log = log
    this.#trustedProxies = trustedProxies
    this.#mayWarnOfProxy = isSignIn
    this.#mayWarnOfHost = isSignIn
  }

  checkForwarded({ request, client }: RequestContext): void {
    if (!this.#mayWarnOfProxy || request.headers["x-forwarded-for"] === undefined) return
    this.#mayWarnOfProxy = false
    if (!this.#trustedProxies.has(peerOf(request))) this.#log.warn({ client }, PROXY_NOT_TRUSTED)
  }

  /** Call this when the request is over. */
  checkHost({ refusalCode, client }: RequestContext): void {
    if (!this.#mayWarnOfHost || refusalCode !== hostRefused.code) return
    this.#mayWarnOfHost = false
    this.#log.warn({ client }, HOST_NOT_ALLOWED)
  }
}

/** An error of Node's parser. `rawPacket` holds the bytes that were read last. */
type ParserError = { readonly code?: string; readonly rawPacket?: Buffer }

function fail(context: RequestContext, error: unknown, log: Log): void {
  if (error instanceof Refused) return send(context, error.answer)
  if (error instanceof StoreUnavailableError) return send(context, storeUnavailable(error.logCause))
  const fields = { request_id: context.requestId, stack: framesOf(error) }
  log.error(fields, "the desk failed to handle a request")
  send(context, internalError)
}

/** Answers what Node's parser refuses (bytes that are not HTTP, a slow request, headers that are too large), then closes the connection. */
function refuseMalformed({ code, rawPacket }: ParserError, socket: Duplex, log: Log): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy()
  const refusal = malformed(code)
  const requestId = newRequestId()
  log.info({ request_id: requestId, status: refusal.status }, "not a valid HTTP request")
  const hasPage = refusal === headTooLarge && rawPacket !== undefined && wantsPageIn(rawPacket)
  endMalformed(socket, hasPage ? plainPage(headTooLargePage, requestId) : toAnswer(refusal, requestId))
}

/** Whether bytes that aren't a whole request begin with a browser's request for a page. */
function wantsPageIn(bytes: Buffer): boolean {
  const head = bytes.toString("latin1")
  return head.startsWith("GET ") && acceptsPage(/\r\naccept:([^\r\n]*)/i.exec(head)?.[1])
}

// nginx logs this status when the client left before the answer.
const CLIENT_LEFT = 499

/** The fields hold words, ids and numbers of the desk, and no path, query, body or header (`docs/operating.md`, "Health, metrics and logs"). */
function logRequest(log: Log, context: RequestContext, startedAt: number): void {
  const { request, response, route, operation, requestId, upstreamRequestId, personId, cause, failure, trace } = context
  const status = response.headersSent ? response.statusCode : CLIENT_LEFT
  const fields = {
    request_id: requestId,
    upstream_request_id: upstreamRequestId,
    trace_id: trace.traceId,
    span_id: trace.spanId,
    client: context.client,
    person: personId,
    operation,
    method: request.method,
    route,
    status,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    code: context.refusalCode,
    cause,
    failure,
  }
  if (status >= 500) log.error(fields, "request")
  else if (cause !== undefined || failure !== undefined) log.warn(fields, "request")
  else log.info(fields, "request")
}
