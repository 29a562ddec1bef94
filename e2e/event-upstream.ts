import { once } from "node:events"
import { createServer, type Server, type Socket } from "node:net"
import type { Approval, Work } from "../src/contract/resources.ts"

/** A request for the event stream, whose connection the test controls. */
export type StreamRequest = {
  /** The sequence that `after` named, as text. */
  readonly after: string
  /** When it arrived, on the clock of `performance.now()`. */
  readonly at: number
  /** Whether its connection is still open. */
  readonly isOpen: () => boolean
  /** Sends the head of a stream that never announces its end. */
  readonly open: () => void
  /** Sends bytes of the stream, as they are. */
  readonly write: (text: string | Uint8Array) => void
  /** Ends the stream as HTTP ends it. */
  readonly end: () => void
  /** Cuts the connection. */
  readonly cut: () => void
  /** Answers with a Problem instead of a stream. */
  readonly refuse: (status: number, headers?: Readonly<Record<string, string>>) => void
}

/** An upstream of one Work. It answers every request except for events, whose bytes the test writes. */
export type EventUpstream = {
  readonly url: string
  readonly workId: string
  /** Every request for events so far, oldest first. */
  readonly streams: readonly StreamRequest[]
  /** Every other request so far: method and path. */
  readonly reads: readonly string[]
  /** Called for each request for events. By default the request stays without an answer. */
  onStream: (request: StreamRequest) => void
  readonly change: (work: Partial<Omit<Work, "version">>) => void
  /** Gives the Work these approvals. */
  readonly ask: (approvals: readonly (Omit<Approval, "version"> & { readonly version: number })[]) => void
  readonly stop: () => Promise<void>
}

const WORK_ID = "work_1"

/** A frame of an event stream (openapi.yaml, streamWorkEvents). */
export function frame(id: number | bigint | string, type: string, data: string): string {
  return `id: ${String(id)}\nevent: ${type}\ndata: ${data}\n\n`
}

/** Starts the upstream on loopback, over plain TCP, so that a test can send what a real server never sends. */
export async function startEventUpstream(): Promise<EventUpstream> {
  const sockets = new Set<Socket>()
  const streams: StreamRequest[] = []
  const reads: string[] = []
  let work: Omit<Work, "version"> & { version: number } = firstWork()
  let approvals: Parameters<EventUpstream["ask"]>[0] = []

  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
    let head = ""
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1")
      for (let end = head.indexOf("\r\n\r\n"); end !== -1; end = head.indexOf("\r\n\r\n")) {
        const [method = "", target = ""] = head.split(" ")
        head = head.slice(end + 4)
        answer(socket, method, target)
      }
    })
  })

  function answer(socket: Socket, method: string, target: string) {
    const { pathname, searchParams } = new URL(target, "http://upstream")
    if (pathname.endsWith("/events")) {
      const request = streamRequest(socket, searchParams.get("after") ?? "")
      streams.push(request)
      upstream.onStream(request)
      return
    }
    reads.push(`${method} ${pathname}`)
    if (pathname === `/api/v1/work/${WORK_ID}`) return json(socket, 200, work)
    if (pathname === "/api/v1/work") return json(socket, 200, { data: [work] })
    return json(socket, 200, { data: pathname.endsWith("/approvals") ? approvals : [] })
  }

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const upstream: EventUpstream = {
    url: `http://127.0.0.1:${String(port)}`,
    workId: WORK_ID,
    streams,
    reads,
    onStream: () => undefined,
    change: (changed) => {
      work = { ...work, ...changed, version: work.version + 1 }
    },
    ask: (asked) => {
      approvals = asked
      upstream.change({ status: "needs_you" })
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
  return upstream
}

function streamRequest(socket: Socket, after: string): StreamRequest {
  return {
    after,
    at: performance.now(),
    isOpen: () => !socket.destroyed && socket.readyState === "open",
    open: () => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    },
    write: (text) => {
      const bytes = Buffer.from(text)
      if (bytes.length === 0) return
      socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]))
    },
    end: () => {
      socket.write("0\r\n\r\n")
    },
    cut: () => socket.resetAndDestroy(),
    refuse: (status, headers = {}) => {
      const problem = {
        type: "about:blank",
        title: `Refused with ${String(status)}`,
        status,
        detail: "The test refused this.",
        instance: "/events",
        code: `TEST_${String(status)}`,
        request_id: `request-${String(status)}`,
        retryable: status === 429,
      }
      write(socket, status, "application/problem+json", JSON.stringify(problem), headers)
    },
  }
}

/** The Work as JSON, with a plain integer as its version. */
function firstWork(): Omit<Work, "version"> & { version: number } {
  return {
    id: WORK_ID,
    title: "Reconcile October supplier invoices",
    objective: "Match every row to a purchase order.",
    status: "working",
    colleague_id: "analyst",
    human_owner_id: "owner_demo",
    visibility_scope: "private",
    priority: "normal",
    version: 1,
    created_by: "sa_demo",
    created_at: "2026-11-20T08:00:00Z",
    updated_at: "2026-11-20T08:00:00Z",
  }
}

function json(socket: Socket, status: number, body: unknown) {
  write(socket, status, "application/json", JSON.stringify(body), {})
}

function write(
  socket: Socket,
  status: number,
  mediaType: string,
  body: string,
  headers: Readonly<Record<string, string>>,
) {
  const lines = Object.entries({ "Content-Type": mediaType, "Content-Length": Buffer.byteLength(body), ...headers })
  const head = lines.map(([name, value]) => `${name}: ${String(value)}\r\n`).join("")
  socket.write(`HTTP/1.1 ${String(status)} Test\r\n${head}\r\n${body}`)
}
