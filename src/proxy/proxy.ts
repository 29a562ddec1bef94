/** START HERE for the proxy: a server, its router, and its end. `router.ts` shows one request's way. */
import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { ConfigurationError } from "../contract/configuration-error.ts"
import type { Log } from "../contract/log.ts"
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import { toProblem } from "../contract/refusal.ts"
import { openKnownApprovals } from "../people/known-approvals.ts"
import type { People } from "../people/people.ts"
import type { DeskRecord } from "../people/record/interface.ts"
import type { Database } from "../people/store/database.ts"
import type { Watcher } from "../waiting/interface.ts"
import { createWatcher } from "../waiting/watcher.ts"
import {
  DEFAULT_LIMITS,
  type Colleague,
  type DashboardConfiguration,
  type Limits,
  type UpstreamConfiguration,
} from "./config.ts"
import { deskRoutes } from "./desk-routes.ts"
import { newExchange, newRequestId, send, type Exchange } from "./exchange.ts"
import { Forwarder } from "./forward.ts"
import { logExchange } from "./log.ts"
import { internalError, malformed } from "./problem.ts"
import { Router } from "./router.ts"
import { apiAnswer } from "./security-headers.ts"
import { Site } from "./site.ts"
import { readerOf } from "./waiting.ts"
import { openUpstream, TIMEOUTS, type Timeouts } from "./upstream.ts"

export type ProxyOptions = {
  readonly configuration: Pick<DashboardConfiguration, "host" | "port" | "allowedHosts">
  readonly upstream: UpstreamConfiguration
  readonly colleagues: readonly Colleague[]
  readonly version: string
  readonly people: People
  readonly record: DeskRecord
  readonly database: Database
  /** Where `npm run build` puts the app. */
  readonly distFolder: string
  /** Serves the app instead of the built files: Vite, in development. */
  readonly fallback?: RequestListener
  readonly log: Log
  readonly timeouts?: Timeouts
  readonly limits?: Limits
}

export type RunningProxy = {
  readonly url: string
  readonly server: Server
  /** Takes no more requests, lets those in progress finish, and ends the streams. Done within 10 s. */
  stop(): Promise<void>
}

// The whole program has 10 s to end.
const STOP_MS = 8_000
const CLOSE_IDLE_INTERVAL_MS = 50

// Balancers keep idle connections for 60 s (nginx, AWS, HAProxy). The desk keeps them longer: a request that is sent while the desk
// closes the connection would be lost.
const KEEP_ALIVE_MS = 75_000
// Node closes an idle connection after this time, too.
const HEADERS_TIMEOUT_MS = KEEP_ALIVE_MS + 5_000

/** Starts to listen. @throws ConfigurationError when the address cannot be listened at */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const upstream = openUpstream(options.upstream.baseUrl, options.upstream.token, options.timeouts ?? TIMEOUTS)
  const { people, record, database, limits = DEFAULT_LIMITS } = options
  const watcher = createWatcher({
    readUpstream: readerOf(upstream),
    knownApprovals: openKnownApprovals(database),
    readDecisions: (since) => record.decisionsSince(since),
  })
  const forwarder = new Forwarder({ upstream, people, record, watcher, maxStreams: limits.upstreamStreams })
  const server = createListeningServer(createRouter(options, forwarder, watcher), options.log)
  await listen(server, options.configuration)
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : options.configuration.port
  const { host } = options.configuration
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    server,
    async stop() {
      const saved = watcher.stop()
      forwarder.streams.stop()
      const late = AbortSignal.timeout(STOP_MS)
      const ended = Promise.all([close(server, late), forwarder.mutations.finished(), saved])
      await Promise.race([ended, once(late, "abort")])
      options.upstream.token.stop()
      upstream.deadlines.stop()
      await upstream.pool.destroy()
      options.log.flush()
    },
  }
}

function createRouter(options: ProxyOptions, forwarder: Forwarder, watcher: Watcher): Router {
  const { colleagues, version, upstream, people, record, database } = options
  return new Router({
    allowedHosts: new Set(options.configuration.allowedHosts),
    site: new Site(options.distFolder),
    fallback: options.fallback,
    people,
    routes: deskRoutes({
      people,
      record,
      database,
      watcher,
      description: { upstream: upstream.name, colleagues, version },
      reads: forwarder.reads,
      isDraining: () => false,
    }),
    forward: (exchange, call, session) => forwarder.forward(exchange, call, session),
  })
}

function createListeningServer(router: Router, log: Log): Server {
  // The last request of each connection. One set of all requests in progress would cost more: V8's garbage collector would copy each.
  const connections = new WeakMap<Duplex, { exchange?: Exchange }>()
  const handle: RequestListener = (request, response) => {
    const startedAt = performance.now()
    const exchange = newExchange(request, response)
    const connection = connections.get(request.socket)
    if (connection !== undefined) connection.exchange = exchange
    response.on("close", () => {
      exchange.onClose()
      logExchange(log, exchange, startedAt)
    })
    const fail = (error: unknown) => {
      log.error({ request_id: exchange.requestId, stack: framesOf(error) }, "a fault of the desk")
      send(exchange, internalError)
    }
    try {
      const routed = router.route(exchange)
      if (routed instanceof Promise) routed.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
  // The proxy's own guard refuses a missing Host, with a Problem.
  const server = createServer(
    { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_TIMEOUT_MS },
    handle,
  )
  // The guards run before a client is asked to send its body. Unknown expectations are ignored.
  return server
    .on("connection", (socket: Duplex) => connections.set(socket, {}))
    .on("checkContinue", handle)
    .on("checkExpectation", handle)
    .on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      const last = connections.get(socket)?.exchange
      if (last === undefined || last.response.writableFinished) return refuseMalformed(error, socket)
      // The bytes behind a complete request are wrong: the request is still answered.
      if (last.request.complete) last.response.once("finish", () => socket.destroy())
      else if (last.response.headersSent) socket.destroy()
      else refuseMalformed(error, socket)
    })
}

/** Where an error was thrown. Its message is left out, because a value that somebody sent may stand in it. */
function framesOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line))
  return [error instanceof Error ? error.name : typeof error, ...frames].join("\n")
}

async function listen(server: Server, { host, port }: ProxyOptions["configuration"]): Promise<void> {
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
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy()
  const refusal = malformed(error.code)
  const body = JSON.stringify(toProblem(refusal, newRequestId()))
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
async function close(server: Server, late: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS)
  late.addEventListener("abort", () => server.closeAllConnections())
  await promise
  clearInterval(closeIdle)
}
