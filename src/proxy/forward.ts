/** Forwards one of the 13 operations: a mutation, a shared read, a shared stream, or a download. */
import type { IncomingMessage } from "node:http"
import type { Operation } from "../contract/document.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { People, Session } from "../people/people.ts"
import type { DeskRecord } from "../people/record/interface.ts"
import type { Watcher } from "../waiting/interface.ts"
import { cut, isRefusal, send, type Answer, type RequestContext } from "./request-context.ts"
import { checkRepeated } from "./guard.ts"
import { Mutations } from "./mutations.ts"
import { SharedReads } from "./reads.ts"
import type { OperationCall } from "./operation-routes.ts"
import { downloadAnswer, type FlatHeaders } from "./security-headers.ts"
import { StreamHub } from "./stream-hub.ts"
import { sendUpstream, type Flow, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

export type ForwarderOptions = {
  readonly upstream: Upstream
  readonly people: People
  readonly record: DeskRecord
  readonly watcher: Watcher
  readonly maxStreams: number
}

export class Forwarder {
  readonly reads: SharedReads
  readonly streams: StreamHub
  readonly mutations: Mutations
  readonly #options: ForwarderOptions

  constructor(options: ForwarderOptions) {
    const { upstream, people, record, watcher, maxStreams } = options
    this.#options = options
    this.reads = new SharedReads(upstream)
    const onEvent = (workId: string) => {
      this.reads.expire()
      watcher.hint(workId)
    }
    this.streams = new StreamHub({ upstream, people, maxStreams, onEvent })
    const onAnswered = (call: OperationCall, answer: Answer | Refusal) => {
      this.reads.expire()
      tellWatcher(watcher, call, answer)
    }
    this.mutations = new Mutations({ upstream, record, onAnswered })
  }

  forward(context: RequestContext, call: OperationCall, session: Session): void | Promise<void> {
    const { operation, target } = call
    const kind = operation.success[200]
    const isPlainRead = operation.method === "GET" && kind === "json"
    const refusal = isPlainRead ? undefined : checkRepeated(context.request)
    if (refusal !== undefined) return send(context, refusal)
    const headers = passUp(context.request, operation)
    if (operation.method === "POST") return this.mutations.forward(context, call, session, headers)
    if (kind === "event-stream") return this.streams.join(context, call, session)
    if (kind === "octet-stream") return download(this.#options.upstream, context, { operation, target, headers })
    const isFresh = /(?:^|[\s,])no-cache(?:$|[\s,])/i.test(context.request.headers["cache-control"] ?? "")
    context.onClose = this.reads.read({ operation, target, headers }, (answer) => send(context, answer), { isFresh })
  }
}

/** What a mutation changes is read again soon; an item that was decided is gone at once. */
function tellWatcher(watcher: Watcher, { operation, ids }: OperationCall, answer: Answer | Refusal): void {
  const [workId, itemId] = ids
  if (operation.id === "createWork") watcher.hintList()
  if (workId === undefined || !operation.path.startsWith("/api/v1/work/")) return
  watcher.hint(workId)
  if (isRefusal(answer) || answer.status !== 200 || itemId === undefined) return
  watcher.decided({ kind: operation.id === "resolveWorkApproval" ? "approval" : "attention", workId, itemId })
}

const PASSED_UP = ["accept", "content-type", "idempotency-key", "if-match"] as const

/** Headers pass by list. Naming them in Connection strips none. Content-Type passes only with a body. */
function passUp({ headers }: IncomingMessage, operation: Operation): FlatHeaders {
  const passed: string[] = []
  for (const name of PASSED_UP) {
    const value = headers[name]
    if (typeof value === "string" && (name !== "content-type" || operation.hasBody)) passed.push(name, value)
  }
  return passed
}

/** Passes the bytes on as fast as the client reads. A download that is cut upstream is cut for the client. */
function download(upstream: Upstream, context: RequestContext, request: UpstreamRequest): void {
  const { response } = context
  let flow: Flow | undefined
  response.on("drain", () => flow?.resume())
  context.onClose = sendUpstream(upstream, request, {
    answered: (answer) => send(context, answer),
    opened(headers, opened) {
      flow = opened
      // The head is not flushed alone: Node would then encode a file name's bytes as UTF-8 once more.
      response.writeHead(200, [...downloadAnswer, ...asAttachment(headers)])
    },
    data(chunk) {
      if (!response.write(chunk)) flow?.pause()
    },
    ended: () => response.end(),
    cut(cause) {
      context.cause = cause
      cut(context)
    },
  })
}

/** Makes every download an attachment. Another disposition, such as `inline`, keeps its parameters only. */
function asAttachment(headers: FlatHeaders): FlatHeaders {
  const index = headers.indexOf("Content-Disposition")
  if (index === -1) return [...headers, "Content-Disposition", "attachment"]
  const value = headers[index + 1] ?? ""
  if (/^\s*attachment\s*(?:;|$)/i.test(value)) return headers
  const parameters = value.includes(";") ? value.slice(value.indexOf(";")) : ""
  return headers.with(index + 1, `attachment${parameters}`)
}
