import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

/** The steps of a decision. The upstream calls the test at each step, and goes on when the call has ended. */
export type Steps = {
  /** The desk has requested the approvals. */
  read?: () => Promise<void> | void
  /** The decision has arrived, and nothing is done yet. */
  heard?: () => Promise<void> | void
  /** The decision is done, and not answered yet. */
  done?: () => Promise<void> | void
  /** The answer has left. */
  answered?: () => Promise<void> | void
}

/**
 * An upstream in which every Work exists, with one pending approval. It treats idempotency keys as openapi.yaml says, and remembers every
 * decision that it received.
 */
export class DecidingUpstream {
  readonly url: string
  /** The keys of the received decisions, in order. A replay is in the list again. */
  readonly heard: string[] = []
  /** The first answer to each key that had an effect. */
  readonly effects = new Map<string, string>()
  /** What the decisions have changed, in order. */
  readonly changes: { readonly key: string; readonly work: string; readonly item: string }[] = []
  steps: Steps = {}
  /** What happens to the next decision: it is done and its answer is lost, or it is refused with a Problem. */
  next: "lose answer" | { readonly status: number; readonly code: string } | undefined
  /** The version of every letter. A test changes it as a colleague would. */
  version = 1
  /** The destination of every letter. */
  destination = "payments@bank.example"
  readonly #close: () => void

  private constructor(url: string, close: () => void) {
    this.url = url
    this.#close = close
  }

  static async start(): Promise<DecidingUpstream> {
    let upstream: DecidingUpstream | undefined
    const server = createServer((request, response) => {
      // The desk may be killed in the middle of its request.
      upstream?.handle(request, response).catch(() => response.destroy())
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    upstream = new DecidingUpstream(`http://127.0.0.1:${port}`, () => {
      server.close()
      server.closeAllConnections()
    })
    return upstream
  }

  stop(): void {
    this.#close()
  }

  #approvalOf(work: string): object {
    const { version, destination } = this
    return { ...approvalOf(work), version, destination }
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, work = "", item] =
      /^\/api\/v1\/work\/([^/]+)\/approvals(?:\/([^/]+)\/resolve)?/.exec(request.url ?? "") ?? []
    if (request.url === "/api/v1/work" && request.method === "POST") {
      const { title } = (await json(request)) as { readonly title?: string }
      return answer(response, workOf(title ?? ""), {}, 201)
    }
    const [, readWork] = /^\/api\/v1\/work\/([^/?]+)$/.exec(request.url ?? "") ?? []
    if (request.method === "GET" && readWork !== undefined) return answer(response, workOf(readWork))
    if (request.method === "GET" && work === "") return answer(response, { data: [] })
    if (request.method === "GET") {
      await this.steps.read?.()
      return answer(response, { data: item === undefined ? [this.#approvalOf(work)] : [] })
    }
    const body = (await json(request)) as { readonly decision?: string }
    const key = String(request.headers["idempotency-key"])
    this.heard.push(key)
    await this.steps.heard?.()
    const { next } = this
    this.next = undefined
    const replay = this.effects.get(key)
    if (typeof next === "object") return refuse(response, next)
    if (replay === undefined && request.headers["if-match"] !== `"${this.version}"`) {
      return refuse(response, { status: 412, code: "VERSION_STALE" })
    }
    const status = body.decision === "approve" ? "approved" : "declined"
    const content = replay ?? JSON.stringify({ ...approvalOf(work), status, version: 2, resolution_actor: "sa_test" })
    if (replay === undefined) this.changes.push({ key, work, item: item ?? "" })
    this.effects.set(key, content)
    await this.steps.done?.()
    if (next === "lose answer") return void response.destroy()
    answer(response, JSON.parse(content), replay === undefined ? {} : { "Idempotent-Replayed": "true" })
    await this.steps.answered?.()
  }
}

function approvalOf(work: string) {
  return {
    id: `approval-${work}`,
    work_id: work,
    action_id: "action",
    requested_by_colleague: "analyst",
    summary: `Send the letter of ${work}`,
    risk: "low",
    destination: "payments@bank.example",
    subject: "A letter",
    body: "Dear bank",
    proposed_action_payload_hash: "sha256:abc",
    policy_reason: "It leaves the house.",
    status: "pending",
    version: 1,
    created_at: "2026-11-21T10:00:00Z",
  }
}

/** A Work whose id is its title. */
function workOf(title: string) {
  return {
    id: title,
    title,
    objective: "An objective",
    status: "working",
    colleague_id: "analyst",
    human_owner_id: "owner_test",
    visibility_scope: "private",
    priority: "normal",
    version: 1,
    created_by: "sa_test",
    created_at: "2026-11-21T10:00:00Z",
    updated_at: "2026-11-21T10:00:00Z",
  }
}

function answer(
  response: ServerResponse,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(content))
}

function refuse(response: ServerResponse, { status, code }: { readonly status: number; readonly code: string }): void {
  const problem = {
    type: "about:blank",
    title: code,
    status,
    detail: code,
    instance: "x",
    code,
    request_id: "y",
    retryable: false,
  }
  response.writeHead(status, { "Content-Type": "application/problem+json" }).end(JSON.stringify(problem))
}
