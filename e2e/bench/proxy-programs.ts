/**
 * The programs that the proxy's benchmark measures, each a process of its own: `node proxy-programs.ts <role> [upstream's address]`.
 * A program says its port on its first line, and a desk with sign-in the cookie and the id of somebody who has signed in. Several desks
 * share a PostgreSQL: DESK_DATABASE_URL, and BENCH_SESSION as the first of them has said it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, createServer, type ServerResponse } from "node:http"
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createProxyServer } from "http-proxy-3"
import { Pool } from "undici"
import { hashSecret, newSecret } from "../../src/people/cookies.ts"
import { SessionStore } from "../../src/people/session-store.ts"
import { openDatabase, type StoreConfiguration } from "../../src/people/store/open.ts"
import { apiAnswer } from "../../src/proxy/security-headers.ts"
import { startDesk } from "../../src/server.ts"

const TOKEN = "bench-token-of-some-length"
const JSON_BODY = JSON.stringify({
  data: Array.from({ length: 8 }, (_, index) => ({ id: `work-${index}`, text: "x".repeat(230) })),
})
/** Nobody listens there. */
const NO_ISSUER = "http://127.0.0.1:1"
const DOWNLOAD_BYTES = 1_073_741_824
let sequence = 0

const [role = "", upstreamUrl = ""] = process.argv.slice(2)
const programs: Record<string, () => Promise<number | string>> = {
  upstream,
  ours,
  "ours, signed in": oursSignedIn,
  "http-proxy-3": otherProxy,
  "undici alone": undiciAlone,
  "bare writes": bareWrites,
}
console.log(await programs[role]?.())

/** Answers 2 kB of JSON, streams that publish what `/publish` says with the time of the machine's clock, and a gigabyte. */
async function upstream(): Promise<number> {
  const readers = new Set<ServerResponse>()
  return listen(
    createServer((request, response) => {
      const url = request.url ?? ""
      if (request.headers.authorization !== `Bearer ${TOKEN}` && url !== "/publish") response.writeHead(401).end()
      else if (url === "/publish") {
        const frame = eventFrame()
        for (const reader of readers) reader.write(frame)
        response.end(String(readers.size))
      } else if (url.includes("/events")) {
        response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders()
        readers.add(response)
        response.on("close", () => readers.delete(response))
      } else if (url.includes("/content")) download(response)
      else
        response
          .writeHead(request.method === "POST" ? 201 : 200, {
            "Content-Type": "application/json",
            "Content-Length": JSON_BODY.length,
          })
          .end(JSON_BODY)
    }),
  )
}

function download(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": DOWNLOAD_BYTES })
  const piece = Buffer.alloc(65_536, "download")
  let left = DOWNLOAD_BYTES / piece.length
  const pour = () => {
    while (left > 0) {
      left--
      if (!response.write(piece)) return response.once("drain", pour)
    }
    return response.end()
  }
  pour()
}

function ours(): Promise<number> {
  return startOurs(newFolder(), {})
}

/** A desk with sign-in. The session is written into the store, so that no identity provider is needed. */
async function oursSignedIn(): Promise<string> {
  const folder = newFolder()
  const accessFile = join(folder, "access.json")
  writeFileSync(accessFile, JSON.stringify({ roles: { reader: ["anyone"], delegator: ["anyone"] } }))
  const databaseUrl = process.env["DESK_DATABASE_URL"]
  const session = process.env["BENCH_SESSION"] ?? (await beginSession({ dataFolder: folder, databaseUrl }))
  const port = await startOurs(folder, {
    OIDC_ISSUER: NO_ISSUER,
    OIDC_CLIENT_ID: "bench",
    PUBLIC_URL: "http://127.0.0.1:9",
    ACCESS_FILE: accessFile,
    PERSON_REQUESTS_PER_MINUTE: "1000000",
    ...(databaseUrl !== undefined && { DESK_DATABASE_URL: databaseUrl }),
  })
  return `${port} ${session}`
}

async function beginSession(where: StoreConfiguration): Promise<string> {
  const database = await openDatabase(where)
  const value = newSecret()
  const identity = { issuer: NO_ISSUER, subject: "ada", groups: [] }
  const limits = { idleMs: 3_600_000, maxMs: 3_600_000 }
  const begun = { name: "Ada Lovelace", identity, sid: undefined, authTime: undefined }
  const personId = await new SessionStore(database, limits).begin(hashSecret(value), begun, undefined)
  await database.close()
  return `workdesk-9=${value} ${personId}`
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-bench-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function startOurs(folder: string, more: Record<string, string>): Promise<number> {
  const environment = {
    PORT: "0",
    DATA_DIR: folder,
    WORK_API_URL: upstreamUrl,
    WORK_API_TOKEN: TOKEN,
    UPSTREAM_STREAMS: "5000",
    ...more,
  }
  const desk = await startDesk(environment, { log: () => undefined })
  return Number(new URL(desk.url).port)
}

async function otherProxy(): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const proxy = createProxyServer({ target: upstreamUrl, agent, headers: { authorization: `Bearer ${TOKEN}` } })
  proxy.on("error", () => undefined)
  return listen(createServer((request, response) => proxy.web(request, response)))
}

/** Node's server and undici without guards, log or deadlines: the least that the desk's libraries cost. */
async function undiciAlone(): Promise<number> {
  const pool = new Pool(upstreamUrl, { headersTimeout: 0, bodyTimeout: 0 })
  const headers = ["authorization", `Bearer ${TOKEN}`]
  return listen(
    createServer({ optimizeEmptyRequests: true }, ({ url = "" }, response) => {
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
            response.writeHead(200, [...apiAnswer, "Content-Length", String(body.length)])
            response.end(body.toString("latin1"), "latin1")
          },
          onResponseError: (_, error) => response.destroy(error),
        },
      )
    }),
  )
}

/** Passes an upstream stream's bytes to each viewer's socket, unread: the least that a Node program can do for a viewer. */
async function bareWrites(): Promise<number> {
  const viewers = new Set<Socket>()
  let stream: Socket | undefined
  const server = createTcpServer((socket) => {
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
      stream ??= openStream(head, viewers)
    })
  })
  return listen(server)
}

function openStream(head: string | Buffer, viewers: ReadonlySet<Socket>): Socket {
  const { hostname, port } = new URL(upstreamUrl)
  const stream = connect(Number(port), hostname, () => stream.write(head))
  return stream.on("data", (bytes) => {
    for (const viewer of viewers) viewer.write(bytes)
  })
}

function eventFrame(): string {
  return `id: ${++sequence}\nevent: step.reported\ndata: {"at":"${process.hrtime.bigint()}","text":"${"x".repeat(120)}"}\n\n`
}

async function listen(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  const address = server.address()
  return isAddress(address) ? address.port : 0
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null
}
