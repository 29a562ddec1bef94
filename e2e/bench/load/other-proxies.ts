/** What the desk is compared with: another proxy, and the least that a Node program can do for a request and for a viewer. */
import { Agent, createServer } from "node:http"
import { connect, createServer as createTcpServer, type Server, type Socket } from "node:net"
import { createProxyServer } from "http-proxy-3"
import { Pool } from "undici"
import { apiAnswer } from "../../../src/platform/http/security-headers.ts"
import { TOKEN } from "./upstream.ts"

export function httpProxy3(upstreamUrl: string): Server {
  const agent = new Agent({ keepAlive: true })
  const proxy = createProxyServer({ target: upstreamUrl, agent, headers: { authorization: `Bearer ${TOKEN}` } })
  proxy.on("error", () => undefined)
  return createServer((request, response) => proxy.web(request, response))
}

/** Node's server, undici and the check of JSON, without guards, log or deadlines: the least that the desk's libraries cost. */
export function undiciAlone(upstreamUrl: string): Server {
  const pool = new Pool(upstreamUrl, { headersTimeout: 0, bodyTimeout: 0 })
  const headers = ["authorization", `Bearer ${TOKEN}`]
  return createServer({ optimizeEmptyRequests: true }, ({ url = "" }, response) => {
    const chunks: Buffer[] = []
    pool.dispatch(
      { method: "GET", path: url, headers },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd() {
          const body = Buffer.concat(chunks)
          JSON.parse(body.toString())
          response.writeHead(200, { ...apiAnswer, "Content-Length": String(body.length) })
          response.end(body.toString("latin1"), "latin1")
        },
        onResponseError: (_, error) => response.destroy(error),
      },
    )
  })
}

/** Writes the bytes of one upstream stream to each viewer's socket, unread: the least that a Node program can do for a viewer. */
export function bareWrites(upstreamUrl: string): Server {
  const viewers = new Set<Socket>()
  let stream: Socket | undefined
  return createTcpServer((socket) => {
    socket
      .on("error", () => undefined)
      .on("close", () => {
        viewers.delete(socket)
        if (viewers.size > 0) return
        stream?.destroy()
        stream = undefined
      })
    socket.once("data", (head) => {
      viewers.add(socket)
      stream ??= openStream(upstreamUrl, head, viewers)
    })
  })
}

function openStream(upstreamUrl: string, head: string | Buffer, viewers: ReadonlySet<Socket>): Socket {
  const { hostname, port } = new URL(upstreamUrl)
  const stream = connect(Number(port), hostname, () => stream.write(head))
  return stream.on("data", (bytes) => {
    for (const viewer of viewers) viewer.write(bytes)
  })
}
