/** START HERE for the proxy: one request's way is host guard → `/api`, `/desk` or the app's files. */
import { ConfigurationError } from "../contract/configuration-error.ts"
import { createServer, type RequestListener, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import { type Colleague, type DashboardConfiguration, type UpstreamConfiguration } from "./config.ts"
import { localSession, serveDesk } from "./desk-session.ts"
import { Forwarder } from "./forward.ts"
import { checkHost, checkOrigin } from "./guard.ts"
import { RequestLog, type Log } from "./log.ts"
import { toProblem } from "../contract/refusal.ts"
import { internalError, malformed } from "./problem.ts"
import { findOperation } from "./routes.ts"
import { apiAnswer, everyAnswer } from "./security-headers.ts"
import { Site } from "./site.ts"
import { openUpstream, PATIENCE, type Patience } from "./upstream.ts"
import { isRefusal, newRequestId, newVisit, send, type Visit } from "./exchange.ts"

export type ProxyOptions = {
  readonly configuration: Pick<DashboardConfiguration, "host" | "port" | "allowedHosts">
  readonly upstream: UpstreamConfiguration
  readonly colleagues: readonly Colleague[]
  readonly version: string
  /** Where `npm run build` puts the app. */
  readonly distFolder: string
  /** Serves what is neither the API's nor the desk's instead of the built files: Vite, in development. */
  readonly fallback?: RequestListener
  readonly log: Log
  readonly patience?: Patience
}

export type RunningProxy = {
  readonly url: string
  readonly server: Server
  /** Takes no more requests, lets those in progress finish, ends the streams; done within 10 s. */
  stop(): Promise<void>
}

// Within the 10 s that the design gives to the whole end.
const STOP_MS = 8_000
const STOP_LOOK_MS = 50

/** Starts to listen. @throws ConfigurationError when the address cannot be listened at */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const upstream = openUpstream(options.upstream.baseUrl, options.upstream.token, options.patience ?? PATIENCE)
  const forwarder = new Forwarder(upstream)
  const log = new RequestLog(options.log)
  // A connection's last request. No set of those in progress: V8 would carry each through its young generation's collections.
  const connections = new WeakMap<Duplex, { visit?: Visit }>()
  const route = createRouter(options, forwarder)
  const handle: RequestListener = (request, response) => {
    const began = performance.now()
    const visit = newVisit(request, response)
    const connection = connections.get(request.socket)
    if (connection !== undefined) connection.visit = visit
    response.on("close", () => {
      visit.onClose()
      log.add(visit, began)
    })
    try {
      route(visit)
    } catch {
      send(visit, internalError)
    }
  }
  // A missing Host is refused by our own guard, with a Problem.
  const server = createServer({ requireHostHeader: false }, handle)
  // Nothing is asked to send a body before the guards have let it pass; expectations that we do not know are ignored.
  server
    .on("connection", (socket: Duplex) => connections.set(socket, {}))
    .on("checkContinue", handle)
    .on("checkExpectation", handle)
    .on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      // In the middle of another answer there is no room for one.
      if (connections.get(socket)?.visit?.response.writableFinished === false) socket.destroy()
      else refuseMalformed(error, socket)
    })
  await listen(server, options.configuration)
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : options.configuration.port
  const { host } = options.configuration
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    server,
    async stop() {
      forwarder.streams.stop()
      await close(server)
      options.upstream.token.stop()
      upstream.deadlines.stop()
      await upstream.pool.destroy()
      log.flush()
    },
  }
}

function createRouter(options: ProxyOptions, forwarder: Forwarder): (visit: Visit) => void {
  const allowedHosts = new Set(options.configuration.allowedHosts)
  const { colleagues, version } = options
  const session = localSession({ upstream: options.upstream.name, colleagues, version })
  const site = new Site(options.distFolder)

  return (visit) => {
    const { request, response } = visit
    const hostRefusal = checkHost(request, allowedHosts)
    if (hostRefusal !== undefined) return send(visit, hostRefusal)
    const target = request.url ?? ""
    const mark = target.indexOf("?")
    const path = mark === -1 ? target : target.slice(0, mark)
    const query = mark === -1 ? "" : target.slice(mark + 1)
    const isApi = path === "/api" || path.startsWith("/api/")
    if (!isApi && path !== "/desk" && !path.startsWith("/desk/")) {
      if (options.fallback === undefined) return site.serve(visit, path)
      for (let index = 0; index < everyAnswer.length; index += 2) {
        response.setHeader(everyAnswer[index] ?? "", everyAnswer[index + 1] ?? "")
      }
      visit.route = "/"
      return options.fallback(request, response)
    }
    const originRefusal = checkOrigin(request)
    if (originRefusal !== undefined) return send(visit, originRefusal)
    if (!isApi) return serveDesk(visit, path, query, session, forwarder.reads)
    const asked = findOperation(request.method ?? "", path, query)
    if (isRefusal(asked)) return send(visit, asked)
    visit.route = asked.operation.path
    forwarder.forward(visit, asked)
  }
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

/** What Node's parser takes for no request (also one too slow or with too much in its head) is answered before its connection ends. */
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

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  // A connection that is kept alive for nobody is closed as soon as its request is done.
  const look = setInterval(() => server.closeIdleConnections(), STOP_LOOK_MS)
  const last = setTimeout(() => server.closeAllConnections(), STOP_MS)
  await promise
  clearInterval(look)
  clearTimeout(last)
}
