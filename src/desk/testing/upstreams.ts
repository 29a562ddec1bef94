/** The upstreams of the desk's tests: they record requests, or misbehave. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net"
import { onTestFinished } from "vitest"

export type Heard = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: readonly string[]
  readonly body: string
}
export type Answering = (heard: Heard, response: ServerResponse) => void
export type TestUpstream = { readonly url: string; readonly heard: Heard[]; readonly openStreams: () => number }

export const answerJson: Answering = ({ url }, response) => {
  response.writeHead(200, { "Content-Type": "application/json" })
  response.end(ownJson(url))
}

/** The least JSON that answers a request for this target: a list, with the id of the Work or upload that the target names. */
export function ownJson(target: string): string {
  const id = /\/api\/v1\/(?:work|uploads)\/([^/?]+)(?:\?|$)/.exec(target)?.[1]
  return JSON.stringify(id === undefined ? { data: [] } : { id: decodeURIComponent(id), data: [] })
}

/** Gives the same answer to every request. */
export const reply =
  (status: number, type: string, body: string | Buffer, headers = {}): Answering =>
  (_, response) => {
    response.writeHead(status, { "Content-Type": type, ...headers })
    response.end(body)
  }

/** A real HTTP server that records each request before it answers. */
export async function startUpstream(answer: Answering = answerJson): Promise<TestUpstream> {
  const heard: Heard[] = []
  let open = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { method = "", url = "", headers, rawHeaders } = request
      const entry = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString() }
      heard.push(entry)
      open++
      response.once("close", () => open--)
      answer(entry, response)
    })
  })
  const url = await listening(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url, heard, openStreams: () => open }
}

/** A TCP server that calls `converse` with each chunk that it receives. */
export async function startRawUpstream(converse: (socket: Socket, sent: string) => void): Promise<{ url: string }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    socket.on("data", (chunk) => converse(socket, chunk.toString("latin1")))
  })
  const url = await listening(server)
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url }
}

async function listening(server: Server): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  return `http://127.0.0.1:${portOf(server)}`
}

export function portOf(server: Server): number {
  const address = server.address()
  return isAddressInfo(address) ? address.port : 0
}

const isAddressInfo = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === "object" && address !== null
