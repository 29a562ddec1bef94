/** For tests: a watcher over real HTTP without the proxy, and an upstream that records the requests. */
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { onTestFinished } from "vitest"
import { isRefusal, type Refusal } from "../../../platform/http/refusals.ts"
import { type Answer, Refused, toAnswer } from "../../../platform/http/send.ts"
import type { ReadUpstream } from "../read-plan.ts"
import { answerFrom, fakeApproval, fakeWork, range, type FakeWork } from "./simulation.ts"
import { Watcher, type WatcherOptions } from "../watcher.ts"

/**
 * What the test upstream does with a request: gives its usual answer (undefined), gives this answer, never answers, or cuts the connection.
 */
export type Behaviour =
  | undefined
  | "hang"
  | "cut"
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }

/** Calls a function at the end of a test. A concurrent test passes the function of its own context. */
export type AtEnd = (end: () => void | Promise<void>) => void

/** A real HTTP server over `works`, whose faults a test sets while it runs. */
export async function startRecordingUpstream(works: FakeWork[], atEnd: AtEnd = onTestFinished) {
  const heard: { readonly method: string; readonly target: string; readonly at: number }[] = []
  const control = { works, behave: (_target: string): Behaviour => undefined }
  let mostAtOnce = 0
  let atOnce = 0
  const server = createServer((request, response) => {
    const target = request.url ?? ""
    heard.push({ method: String(request.method), target, at: performance.now() })
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
  const stop = () => server.close().closeAllConnections()
  atEnd(() => stop())
  const startAgain = () => listen(server, Number(new URL(url).port))
  return { url, heard, control, mostAtOnce: () => mostAtOnce, stop, startAgain }
}

/** Reads with fetch. An answer that is not valid becomes a Problem of the desk. */
export function createFetchReader(baseUrl: string, token = "", lateAfterMs = 20_000): ReadUpstream {
  return async (_operation, target, signal) => {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(lateAfterMs)])
    try {
      const response = await fetch(baseUrl + target, { headers: { Authorization: `Bearer ${token}` }, signal: ended })
      const isJson = /json/.test(response.headers.get("content-type") ?? "")
      const body = Buffer.from(await response.arrayBuffer())
      if (!isJson) return refused("PROXY_UPSTREAM_INVALID", 502)
      const names = ["Content-Type", "Retry-After", "RateLimit", "RateLimit-Policy"]
      const headers = Object.fromEntries(
        names.map((name) => [name, response.headers.get(name) ?? ""]).filter(([, value]) => value),
      )
      return { status: response.status, headers, body }
    } catch {
      return ended.aborted ? refused("PROXY_UPSTREAM_TIMEOUT", 504) : refused("PROXY_UPSTREAM_UNREACHABLE", 502)
    }
  }
}

const refused = (code: Refusal["code"], status: number) =>
  toAnswer({ code, status, title: "Upstream", detail: "The upstream did not answer.", retryable: true }, "test-1")

/** A desk that serves `GET /desk/waiting` and nothing else. */
export async function startWatcherHost(options: WatcherOptions, atEnd: AtEnd = onTestFinished) {
  const watcher = new Watcher(options)
  const server = createServer((request, response) => {
    const [, query = ""] = (request.url ?? "").split("?")
    const reply = (answer: Answer | Refusal) => {
      const { status, headers, body } = isRefusal(answer) ? toAnswer(answer, "test-1") : answer
      response.writeHead(status, headers)
      response.end(body)
    }
    const asked = { query, ifNoneMatch: request.headers["if-none-match"], audience: () => "everything" as const }
    try {
      response.on("close", watcher.waiting(asked, reply))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      reply(error.answer)
    }
  })
  const url = await listen(server)
  const stop = () => {
    watcher.stop()
    server.close().closeAllConnections()
  }
  atEnd(stop)
  return { url, watcher, stop }
}

async function listen(server: Server, port = 0): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(port, "127.0.0.1", resolve)
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

/** Works that each wait for an approval. The newest has the greatest number. */
export function waitingWorks(count: number): FakeWork[] {
  return range(count).map((index) =>
    fakeWork(`w${index}`, index * 1_000, {
      approvals: [fakeApproval(`a${index}`, { created_at: new Date(index * 1_000).toISOString() })],
    }),
  )
}

/** The watcher aborts a request to the upstream after this time. */
const LATE_AFTER_MS = 2_000

/** A watcher, and its upstream with `works`. */
export async function startDesk(works: FakeWork[], atEnd: AtEnd = onTestFinished) {
  const upstream = await startRecordingUpstream(works, atEnd)
  const readUpstream = createFetchReader(upstream.url, "token", LATE_AFTER_MS)
  const { url, watcher, stop } = await startWatcherHost({ readUpstream }, atEnd)
  const ask = (query = "", etag?: string) => askWaiting(url, query, etag)
  return { upstream, works, watcher, stop, ask }
}

export type Content = {
  readonly attention: readonly { readonly work: { readonly id: string }; readonly item: { readonly id: string } }[]
  readonly approvals: readonly { readonly work: { readonly id: string }; readonly item: { readonly id: string } }[]
  readonly checked: number
  readonly total: number
  readonly complete: boolean
  readonly oldest_check_at: string | null
  readonly problem?: { readonly status: number; readonly code: string }
  readonly retry_at?: string
}

export const isComplete = ({ complete }: Content) => complete
export const contentOf = ({ text }: WaitingReply): Content => JSON.parse(text)
export const approvalsOf = (reply: WaitingReply) => contentOf(reply).approvals.map(({ item }) => item.id)

/** Follows a desk as the app does, until the content is as wanted. */
export async function until(
  { ask }: { readonly ask: (query?: string, etag?: string) => Promise<WaitingReply> },
  wanted: (content: Content) => boolean,
): Promise<WaitingReply> {
  let reply = await ask()
  while (!wanted(contentOf(reply))) {
    const next = await ask("?wait=5", reply.etag)
    if (next.status === 200) reply = next
  }
  return reply
}
