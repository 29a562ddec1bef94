/**
 * Checks HOST, PORT and PUBLIC_URL. If no desk is running, the check itself listens at HOST and PORT and sends a request to PUBLIC_URL: what
 * arrives shows what the proxy in front passes on.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { randomUUID } from "node:crypto"
import { request } from "undici"
import type { DeskConfiguration } from "../../desk/http/desk-configuration.ts"
import { peerOf } from "../../platform/http/client-address.ts"
import { parseObject } from "../../platform/http/json-object.ts"
import { listen, urlOf } from "../../platform/http/listen.ts"
import { isFolderInUse } from "./machine-checks.ts"
import { ANSWER_MS, bad, type CheckLine, describeFailure, good } from "./check-line.ts"
import { probe } from "./probe-request.ts"

/** If the heartbeat hasn't arrived by then, a proxy buffers event streams. */
const HELD_BACK_MS = 3_000

type Configuration = Pick<
  DeskConfiguration,
  "host" | "port" | "people" | "trustedProxies" | "dataFolder" | "databaseUrl" | "metrics"
>

export async function checkAddresses(configuration: Configuration): Promise<readonly CheckLine[]> {
  const { people, metrics } = configuration
  await using listener = await startListener(configuration)
  const publicUrl = people.mode === "local" ? undefined : people.publicUrl
  const isOwn = "fault" in listener && listener.fault.includes("in use") && (await isDeskThere(configuration))
  const folder = checkOneDesk(configuration, isOwn)
  const lines = [checkPort(listener, isOwn), ...(folder === undefined ? [] : [folder])]
  if (metrics !== undefined && !isOwn) lines.push(await checkMetrics(metrics))
  if (publicUrl === undefined) {
    return [...lines, good("PUBLIC_URL", "not set: the desk serves only this machine, without sign-in")]
  }
  return [...lines, ...(await checkPublicUrl(publicUrl, configuration, "fault" in listener ? undefined : listener))]
}

/** If this desk isn't running, another desk must have the lock on its SQLite database. */
function checkOneDesk({ dataFolder, databaseUrl }: Configuration, isOwn: boolean): CheckLine | undefined {
  if (databaseUrl !== undefined || isOwn || !isFolderInUse(dataFolder)) return undefined
  const change = "give each desk its own DATA_DIR, or all desks one DESK_DATABASE_URL"
  return bad("data folder", "another desk uses this DATA_DIR", change)
}

type Listener = AsyncDisposable & {
  readonly path: string
  readonly requests: readonly IncomingMessage[]
}
type NoListener = AsyncDisposable & { readonly fault: string }

/** Answers one random path, as the desk answers an event stream. */
async function startListener({ host, port }: Configuration): Promise<Listener | NoListener> {
  const path = `/desk/check-${randomUUID()}`
  const requests: IncomingMessage[] = []
  const server = createServer((incoming, response) => {
    if (incoming.url !== path) {
      response.writeHead(503, { "Content-Type": "text/plain", "Retry-After": "5" })
      response.end("Workdesk is being checked and isn't running yet.")
      return
    }
    requests.push(incoming)
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
    })
    response.write(": heartbeat\n\n")
    setTimeout(() => response.end(), ANSWER_MS).unref()
  })
  try {
    await listen(server, { host, port })
  } catch (error) {
    const fault = error instanceof Error ? error.message : "PORT can't be used"
    return { fault, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  return {
    path,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server.close(), "close")
      server.closeAllConnections()
      await closed
    },
  }
}

function checkPort(listener: Listener | NoListener, isOwn: boolean): CheckLine {
  if (!("fault" in listener)) return good("port", "HOST and PORT are free")
  if (isOwn) return good("port", "a desk is listening at HOST and PORT")
  const other = listener.fault.includes("in use")
  return bad("port", listener.fault, other ? "stop the other program, or set another PORT" : "correct HOST and PORT")
}

async function checkMetrics({ host, port }: { readonly host: string; readonly port: number }): Promise<CheckLine> {
  const server = createServer()
  try {
    await listen(server, { host, port }, { host: "METRICS_HOST", port: "METRICS_PORT" })
    return good("metrics", "METRICS_HOST and METRICS_PORT are free")
  } catch (error) {
    const fault = error instanceof Error ? error.message : "METRICS_PORT can't be used"
    return bad("metrics", fault, "set another METRICS_PORT, or correct METRICS_HOST")
  } finally {
    server.close()
  }
}

/** Whether a desk answers at HOST and PORT. */
async function isDeskThere({ host, port, people }: Configuration): Promise<boolean> {
  const at = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  const name = people.mode === "local" ? {} : { host: people.publicUrl.host }
  return isDesk(`${urlOf(at, port)}/desk/session`, name)
}

async function isDesk(url: string, headers: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const answer = await probe(url, { headers }).catch(() => undefined)
  const session = answer && parseObject(answer.text)
  return typeof session?.["version"] === "string" && typeof session["mode"] === "string"
}

async function checkPublicUrl(
  publicUrl: URL,
  configuration: Configuration,
  listener: Listener | undefined,
): Promise<readonly CheckLine[]> {
  const { host } = publicUrl
  if (listener !== undefined) {
    const url = new URL(listener.path, publicUrl)
    const stream = await readHeartbeat(url, "gzip, deflate, br")
    const [seen] = listener.requests
    if (seen !== undefined) {
      // If the stream arrives only when it may not be compressed, the compression holds it back.
      const plain = stream === "held back" ? await readHeartbeat(url, "identity") : stream
      const fault = stream === "held back" && plain === "arrived" ? "compressed" : stream
      return [good("PUBLIC_URL", `${host} leads to this desk`), ...checkProxy(publicUrl, seen, fault, configuration)]
    }
    if (typeof stream === "object") return [describeUnreachable(host, stream.error)]
  }
  return [await checkOtherDesk(publicUrl)]
}

type Stream = "arrived" | "compressed" | "held back" | { readonly error: unknown }

/** Requests the listener's stream through PUBLIC_URL and waits for its heartbeat. */
async function readHeartbeat(url: URL, encodings: string): Promise<Stream> {
  const stop = new AbortController()
  const late = Symbol("late")
  const timer = setTimeout(() => stop.abort(late), HELD_BACK_MS)
  try {
    const headers = { "accept-encoding": encodings, accept: "text/event-stream" }
    const answer = await request(url, { headers, signal: stop.signal })
    answer.body.on("error", () => undefined)
    await once(answer.body, "data", { signal: stop.signal })
    return answer.headers["content-encoding"] === undefined ? "arrived" : "compressed"
  } catch (error) {
    return stop.signal.aborted ? "held back" : { error }
  } finally {
    clearTimeout(timer)
    stop.abort(late)
  }
}

/** Compares what arrived with what was sent, in both directions. */
function checkProxy(
  { host, protocol }: URL,
  seen: IncomingMessage,
  stream: Stream,
  { trustedProxies }: Configuration,
): readonly CheckLine[] {
  const lines: CheckLine[] = []
  if (seen.headers.host !== host) {
    const change = "pass it on: proxy_set_header Host $http_host (nginx); HAProxy and Caddy do so by default"
    lines.push(bad("proxy", "the proxy replaces the Host header, so the desk will answer 421", change))
  }
  const forwarded = seen.headers["x-forwarded-for"]
  const peer = peerOf(seen)
  if (protocol === "https:" && forwarded === undefined) {
    const change = "set it: proxy_set_header X-Forwarded-For $remote_addr (nginx), option forwardfor (HAProxy)"
    lines.push(bad("proxy", "the proxy sends no X-Forwarded-For, so everyone counts as one client", change))
  } else if (forwarded !== undefined && !trustedProxies.has(peer)) {
    lines.push(bad("proxy", "the desk doesn't trust the proxy's X-Forwarded-For", `set TRUSTED_PROXIES=${peer}`))
  }
  if (stream === "compressed") {
    const change = "leave text/event-stream out of the types that the proxy compresses (gzip_types)"
    lines.push(bad("proxy", "the proxy compresses event streams, which delays them", change))
  } else if (stream !== "arrived") {
    const change = "turn off response buffering in the proxy, or let X-Accel-Buffering control it (nginx)"
    lines.push(bad("proxy", "the proxy delays event streams", change))
  }
  if (lines.length > 0) return lines
  if (forwarded === undefined) return [good("proxy", "none: browsers reach the desk itself")]
  return [good("proxy", "it passes on Host, X-Forwarded-For and event streams")]
}

function describeUnreachable(host: string, error: unknown): CheckLine {
  const { found, change } = describeFailure(error, "correct PUBLIC_URL, or start the proxy in front of the desk")
  return bad("PUBLIC_URL", `${host}: ${found}`, change)
}

/** Checks that some desk answers at PUBLIC_URL, if the request didn't reach the listener: a desk is running, or a balancer chose another one. */
async function checkOtherDesk(publicUrl: URL): Promise<CheckLine> {
  const { host } = publicUrl
  try {
    const { status, headers, text } = await probe(new URL("/desk/session", publicUrl).href)
    const session = parseObject(text)
    if (typeof session?.["version"] === "string") {
      const found = `${host} leads to a desk that runs version ${session["version"]}`
      return good("PUBLIC_URL", `${found}; stop that desk to check the proxy`)
    }
    if (status === 421) {
      const change = "pass the Host header on (proxy_set_header Host $http_host), or add its host to ALLOWED_HOSTS"
      return bad("PUBLIC_URL", `the desk at ${host} refuses the Host header that it gets (421)`, change)
    }
    if (status >= 300 && status < 400) {
      const change = `set PUBLIC_URL to the address that ${host} leads to`
      return bad("PUBLIC_URL", `${host} responds with a redirect (${status})`, change)
    }
    const server = typeof headers["server"] === "string" ? `, ${headers["server"].slice(0, 40)}` : ""
    const change = "point the proxy at PUBLIC_URL to HOST and PORT of this desk"
    return bad("PUBLIC_URL", `${host} leads to something that isn't a desk (${status}${server})`, change)
  } catch (error) {
    return describeUnreachable(host, error)
  }
}
