import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Artifact } from "../src/contract/resources.ts"

/** How a result is sent: all of it, the first bytes of it and then a cut, or in portions. */
export type Sending =
  | { readonly kind: "whole" }
  | { readonly kind: "cut"; readonly after: number }
  | { readonly kind: "repeat"; readonly times: number; readonly pause?: () => Promise<void> }
  | { readonly kind: "refuse"; readonly status: number; readonly code: string; readonly retryAfterSeconds?: number }

/** A result of the upstream's only Work. Its members may contradict each other. */
export type Result = {
  readonly path: string
  readonly mediaType?: string
  readonly content: string | Buffer
  readonly version?: number
  readonly id?: string
  readonly hash?: string
  readonly size?: number
  readonly state?: Artifact["processing_state"]
  readonly failureCode?: string
  readonly sending?: Sending
}

/** An upstream of one finished Work. A test defines its results, even ones that no real service should send. */
export type ArtifactUpstream = {
  readonly url: string
  readonly workId: string
  /** The requested paths, in order. */
  readonly asked: string[]
  results: readonly Result[]
  /** Publishes an event to everybody who follows the Work. */
  announce(type: string): void
  stop(): Promise<void>
}

const WORK_ID = "work_1"

/** `sha256:` and the digest in hexadecimal, of a content sent `times` times over. */
export function hashOf(content: string | Buffer, times = 1): string {
  const hash = createHash("sha256")
  for (let count = 0; count < times; count++) hash.update(content)
  return `sha256:${hash.digest("hex")}`
}

/** Starts the upstream on loopback. */
export async function startArtifactUpstream(): Promise<ArtifactUpstream> {
  const streams = new Set<ServerResponse>()
  let sequence = 0
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ""
    upstream.asked.push(path)
    if (path.includes("/events")) {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.flushHeaders()
      streams.add(response)
      response.on("close", () => streams.delete(response))
      return
    }
    const artifacts = upstream.results.map(artifactOf)
    const content = /\/artifacts\/([^/]+)\/content$/.exec(path)?.[1]
    if (content !== undefined) {
      const index = artifacts.findIndex(({ id }) => id === decodeURIComponent(content))
      const result = upstream.results[index]
      return result === undefined
        ? refuse(response, { kind: "refuse", status: 404, code: "NOT_FOUND" })
        : send(response, result)
    }
    if (path.endsWith("/artifacts")) return json(response, { data: artifacts })
    if (path.endsWith(`/work/${WORK_ID}`)) return json(response, WORK)
    if (path.startsWith("/api/v1/work?") || path === "/api/v1/work") return json(response, { data: [WORK] })
    return json(response, { data: [] })
  }

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const upstream: ArtifactUpstream = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    workId: WORK_ID,
    asked: [],
    results: [],
    announce(type) {
      sequence += 1
      for (const stream of streams) stream.write(`id: ${String(sequence)}\nevent: ${type}\ndata: {}\n\n`)
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
  return upstream
}

function artifactOf(result: Result, index: number) {
  const times = result.sending?.kind === "repeat" ? result.sending.times : 1
  return {
    id: result.id ?? `art_${String(index)}`,
    work_id: WORK_ID,
    path: result.path,
    media_type: result.mediaType ?? "application/octet-stream",
    size: result.size ?? Buffer.byteLength(result.content) * times,
    content_hash: result.hash ?? hashOf(result.content, times),
    version: result.version ?? 1,
    created_at: "2026-11-20T08:00:00Z",
    ...(result.state !== undefined && { processing_state: result.state }),
    ...(result.failureCode !== undefined && { failure_code: result.failureCode }),
  }
}

async function send(response: ServerResponse, { content, sending = { kind: "whole" } }: Result): Promise<void> {
  const bytes = Buffer.from(content)
  const times = sending.kind === "repeat" ? sending.times : 1
  if (sending.kind === "refuse") return refuse(response, sending)
  response.writeHead(200, {
    "content-type": "application/octet-stream",
    "content-length": String(bytes.length * times),
    "content-disposition": 'attachment; filename="..\\\\evil.html"',
    etag: '"1"',
  })
  if (sending.kind === "cut") {
    response.write(bytes.subarray(0, sending.after), () => response.destroy())
    return
  }
  for (let count = 0; count < times; count++) {
    if (response.destroyed) return
    if (sending.kind === "repeat" && count === 1) await sending.pause?.()
    if (!response.write(bytes)) await drained(response)
  }
  response.end()
}

/** Resolves when more can be written, or the client has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resolve()
    }
    response.on("drain", done).on("close", done)
  })
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

function refuse(response: ServerResponse, sending: Extract<Sending, { kind: "refuse" }>): void {
  const { status, code, retryAfterSeconds } = sending
  const problem = {
    type: "about:blank",
    title: `Refused with ${String(status)}`,
    status,
    detail: `The test refused this as ${code}.`,
    instance: "/artifacts",
    code,
    request_id: `req_${String(status)}`,
    retryable: retryAfterSeconds !== undefined,
  }
  response
    .writeHead(status, {
      "content-type": "application/problem+json",
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    })
    .end(JSON.stringify(problem))
}

const WORK = {
  id: WORK_ID,
  title: "Results that nobody should trust",
  objective: "Leave them.",
  status: "done",
  colleague_id: "analyst",
  human_owner_id: "owner_demo",
  visibility_scope: "private",
  priority: "normal",
  version: 3,
  created_by: "sa_demo",
  created_at: "2026-11-20T08:00:00Z",
  updated_at: "2026-11-20T08:00:00Z",
}
