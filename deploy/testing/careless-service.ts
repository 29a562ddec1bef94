/**
 * Services that read a request less strictly than the desk. An ordinary framework decodes a path before it compares it, reads a body by the charset
 * that Content-Type names, and finds an item by its id alone.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import { freePort } from "../../src/desk/store/testing/free-port.ts"
import { findOrInstall } from "./programs.ts"

export type CarelessService = {
  readonly url: string
  /** The mutations that it has performed: the decoded path, and the body as it reads it. */
  readonly performed: { readonly path: string; readonly body: Readonly<Record<string, unknown>> }[]
  /** The approvals of every Work. */
  readonly approvals: object[]
  /** The decoded paths of all requests. */
  readonly heard: string[]
  /** From now on no list of Works can be read, so that the desks do not learn which there are. */
  readonly failLists: () => void
}

type Work = Readonly<Record<string, unknown>>

/** Starts the service. The id of a new Work is its title, and each Work has a clarification, an Artifact and the same approvals. */
export async function startCarelessService(): Promise<CarelessService> {
  const works = new Map<string, Work>()
  const performed: CarelessService["performed"] = []
  const approvals: object[] = []
  const heard: string[] = []
  const uploads = new Set<string>()
  let areListsFailing = false
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { pathname, searchParams } = new URL(
        (request.url ?? "").replaceAll(/%2f|%5c/gi, "/"),
        "http://service.test",
      )
      const path = decodeURIComponent(pathname.replaceAll("%00", ""))
        .replaceAll(/\/{2,}/g, "/")
        .replace(/(?<=.)\/$/, "")
      const [, , , kind, id = "", list, itemId] = path.split("/")
      heard.push(path)
      const json = (status: number, value: object) =>
        response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value))
      const isMutation = request.method === "POST"
      const body = isMutation ? readBody(Buffer.concat(chunks), request.headers["content-type"]) : {}
      if (isMutation) performed.push({ path, body })
      if (kind === "uploads" && isMutation && id === "") uploads.add(String(body["name"]))
      const upload = id === "" ? body["name"] : id
      if (kind === "uploads" && uploads.has(String(upload)))
        return json(isMutation ? 201 : 200, { id: upload, status: "ready" })
      if (isMutation && id === "") {
        const work = workOf(body)
        works.set(String(body["title"]), work)
        return json(201, work)
      }
      if (isMutation) return json(200, { status: "resolved" })
      if (id === "" && areListsFailing) return response.writeHead(500).end()
      if (id === "") {
        const data = [...works.values()].filter(({ status }) => status === (searchParams.get("status") ?? "working"))
        return json(200, { data })
      }
      const work = works.get(id)
      if (path.endsWith("/content"))
        return response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(`content of ${itemId}`)
      if (work === undefined || kind === "uploads") {
        response.writeHead(404, { "Content-Type": "application/problem+json" })
        const problem = { type: "x", title: "x", detail: "x", instance: "x", code: "X", request_id: "x" }
        return response.end(JSON.stringify({ ...problem, status: 404, retryable: false }))
      }
      if (list === undefined) return json(200, work)
      const own = { work_id: id, version: 1, status: "open", title: id, created_at: "2026-11-21T10:00:00Z" }
      const data =
        list === "approvals" ? approvals.map((item) => ({ ...item, work_id: id })) : [{ ...own, id: `of-${id}` }]
      return json(200, { data })
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    performed,
    approvals,
    heard,
    failLists: () => (areListsFailing = true),
  }
}

function workOf({ title, objective, visibility_scope, colleague_id }: Readonly<Record<string, unknown>>): Work {
  const at = "2026-11-21T10:00:00Z"
  const said = { id: title, title, objective, colleague_id, visibility_scope, status: "working", priority: "normal" }
  return { ...said, version: 1, created_at: at, updated_at: at }
}

/** Reads JSON in the charset of its type, of which UTF-7 hides quotes in plain letters. The last of two members counts. */
function readBody(bytes: Buffer, type = ""): Readonly<Record<string, unknown>> {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "")
  const value: unknown = JSON.parse((/charset=utf-7/i.test(type) ? text.replaceAll("+ACI-", '"') : text) || "{}")
  return typeof value === "object" && value !== null ? { ...value } : {}
}

/** Runs nginx before a service, with a path in `proxy_pass`, so that nginx decodes each path. Returns the base address. */
export async function startNginxWithPath(service: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-nginx-path-"))
  const port = await freePort()
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")
  const file = join(folder, "nginx.conf")
  writeFileSync(
    file,
    `pid ${folder}/pid; error_log ${folder}/error.log; events {}
     http { access_log off; ${temporary}
       server { listen 127.0.0.1:${port}; location /base/ { proxy_pass ${service}/; proxy_buffering off; } } }`,
  )
  const child = spawn(findOrInstall("nginx", "nginx-light"), ["-c", file, "-g", "daemon off;"], { stdio: "ignore" })
  onTestFinished(async () => {
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const listens = async () => {
    const socket = connect(port, "127.0.0.1")
    const found = await once(socket, "connect").then(Boolean, () => false)
    socket.destroy()
    return found
  }
  await expect.poll(listens, { timeout: 10_000 }).toBe(true)
  return `http://127.0.0.1:${port}/base`
}
