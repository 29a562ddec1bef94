/** The watcher on real HTTP, before an upstream that records: for tests, without the proxy's sign-in and guards. */
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { onTestFinished } from "vitest"
import { toProblem, type Refusal } from "../contract/refusal.ts"
import type { DeskAnswer, ReadUpstream } from "./interface.ts"
import { answerFrom, type FakeWork } from "./simulation.ts"
import { createWatcher, type WatcherOptions } from "./watcher.ts"

/** What the test upstream does with one request: answers as usual, answers so, hangs, or cuts the connection. */
export type Behaviour =
  | undefined
  | "hang"
  | "cut"
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }

/** A real HTTP server over `works`, whose faults a test sets while it runs. */
export async function startRecordingUpstream(works: FakeWork[]) {
  const heard: { readonly target: string; readonly at: number }[] = []
  const control = { works, behave: (_target: string): Behaviour => undefined }
  let mostAtOnce = 0
  let atOnce = 0
  const server = createServer((request, response) => {
    const target = request.url ?? ""
    heard.push({ target, at: performance.now() })
    atOnce++
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    response.once("close", () => atOnce--)
    const behaviour = control.behave(target)
    if (behaviour === "hang") return
    if (behaviour === "cut") return void request.socket.destroy()
    const answer: { status: number; body: unknown; headers?: Readonly<Record<string, string>> } =
      behaviour ?? answerFrom(control.works, target)
    response.writeHead(answer.status, {
      "Content-Type": answer.status < 400 ? "application/json" : "application/problem+json",
      ...answer.headers,
    })
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body))
  })
  const url = await listen(server)
  onTestFinished(() => server.close().closeAllConnections())
  return { url, heard, control, mostAtOnce: () => mostAtOnce, stop: () => server.close().closeAllConnections() }
}

/** Reads with fetch; what is no answer of the operation is the desk's own Problem. */
export function readerOf(baseUrl: string, token = "", lateAfterMs = 20_000): ReadUpstream {
  return async (_operation, target, signal) => {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(lateAfterMs)])
    try {
      const response = await fetch(baseUrl + target, { headers: { Authorization: `Bearer ${token}` }, signal: ended })
      const isJson = /json/.test(response.headers.get("content-type") ?? "")
      const body = await response.text()
      if (!isJson) return refused("PROXY_UPSTREAM_INVALID", 502)
      return { status: response.status, headers: Object.fromEntries(response.headers), body }
    } catch {
      return ended.aborted ? refused("PROXY_UPSTREAM_TIMEOUT", 504) : refused("PROXY_UPSTREAM_UNREACHABLE", 502)
    }
  }
}

function refused(code: Refusal["code"], status: number) {
  const refusal = { code, status, title: "Upstream", detail: "The upstream did not answer.", retryable: true }
  return { status, headers: {}, body: JSON.stringify(toProblem(refusal, "test-1")) }
}

/** A desk that serves `GET /desk/waiting` and nothing else. */
export async function startWatcherHost(options: WatcherOptions) {
  const watcher = createWatcher(options)
  const server = createServer((request, response) => {
    const [, query = ""] = (request.url ?? "").split("?")
    const leave = watcher.waiting({ query, ifNoneMatch: request.headers["if-none-match"] }, (answer) => {
      const { status, headers, body } = toAnswer(answer)
      response.writeHead(status, [...headers])
      response.end(body)
    })
    response.on("close", leave)
  })
  const url = await listen(server)
  const stop = async () => {
    await watcher.stop()
    server.close().closeAllConnections()
  }
  onTestFinished(stop)
  return { url, watcher, stop }
}

function toAnswer(answer: DeskAnswer | Refusal): DeskAnswer {
  if (!("code" in answer)) return answer
  const headers = ["Content-Type", "application/problem+json"]
  return { status: answer.status, headers, body: Buffer.from(JSON.stringify(toProblem(answer, "test-1"))) }
}

async function listen(server: Server): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  const address = server.address()
  if (!isAddress(address)) throw new Error("the server listens on no port")
  return `http://127.0.0.1:${address.port}`
}

const isAddress = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === "object" && address !== null

export type WaitingReply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly etag: string
  readonly ms: number
}

/** Asks `GET /desk/waiting`. */
export async function askWaiting(url: string, query = "", etag?: string): Promise<WaitingReply> {
  const began = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = etag === undefined ? {} : { "If-None-Match": etag }
  httpRequest(`${url}/desk/waiting${query}`, { headers, agent: false }, resolve).on("error", reject).end()
  const response = await promise
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(Buffer.from(chunk))
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
    etag: response.headers.etag ?? "",
    ms: performance.now() - began,
  }
}
