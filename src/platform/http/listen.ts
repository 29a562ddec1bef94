/** The life of an HTTP server: it listens, answers bytes that are no request, and closes. */
import { once } from "node:events"
import { type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { ConfigurationError } from "../configuration-error.ts"
import type { Answer } from "./send.ts"

// At most so many connections wait to be accepted: Node's default for `listen`.
const BACKLOG = 511

// A server that stops closes each connection at most this long after the connection's last answer.
const CLOSE_IDLE_INTERVAL_MS = 50

/**
 * Listens at an address; port 0 is any free port. `variables` are the names of the environment variables with the address. @returns the port
 * @throws ConfigurationError when the desk cannot listen there; the message names the variable and not its value
 */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  variables = { host: "HOST", port: "PORT" },
): Promise<number> {
  await once(server.listen(port, host), "listening").catch(({ code }: NodeJS.ErrnoException) => {
    throw new ConfigurationError(listenFault(code, variables))
  })
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : port
}

function listenFault(
  code: string | undefined,
  { host, port }: { readonly host: string; readonly port: string },
): string {
  if (code === "EADDRINUSE") return `${port} is in use by another program`
  if (code === "EACCES") return `${port} is not allowed for this user`
  return `${host} is not an address to listen on (${code})`
}

/** The address of a server, without a trailing slash. */
export const urlOf = (host: string, port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** Answers bytes for which Node makes no response, and closes the connection. */
export function endMalformed(socket: Duplex, { status, headers, body }: Answer): void {
  const all = { ...headers, "Content-Length": body.length, Connection: "close" }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n`)
  socket.end(body)
}

/** Accepts the waiting connections. Call `close` in the same turn of the event loop: the kernel resets connections that wait at that moment. */
export async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0
  const count = () => accepted++
  server.on("connection", count)
  // libuv accepts one connection in a turn.
  for (let turns = 1; turns <= BACKLOG; turns++) {
    await nextTurn()
    if (accepted < turns) break
  }
  server.off("connection", count)
}

/** Stops listening, and closes each connection after its request. When `late` aborts, closes all connections that are still open. */
export async function close(server: Server, late: AbortSignal): Promise<void> {
  const closed = once(server.close(), "close")
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS)
  late.addEventListener("abort", () => server.closeAllConnections())
  await closed
  clearInterval(closeIdle)
}
