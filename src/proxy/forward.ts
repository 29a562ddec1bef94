/** Forwards a request for one of the 13 operations: as a mutation, a shared read, a shared stream, or a download. */
import { hasNoCache } from "../contract/http-fields.ts"
import { isRefusal, type Refusal } from "../contract/refusal.ts"
import type { People, Session } from "../people/people.ts"
import type { DeskRecord } from "../record/desk-record.ts"
import type { Hints } from "../waiting/shared-hints.ts"
import { type RequestContext, whenClosed } from "./request-context.ts"
import { ReadingCheck } from "./reading-check.ts"
import { cut, send, type Answer } from "./send.ts"
import { checkRepeated } from "./guard.ts"
import { Mutations } from "./mutations.ts"
import { SharedReads } from "./reads.ts"
import type { OperationCall } from "./operation-routes.ts"
import { pickRequestHeaders } from "./passed-headers.ts"
import { downloadAnswer, type FlatHeaders } from "./security-headers.ts"
import { StreamHub } from "./stream-hub.ts"
import { sendUpstream, type Flow, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

export type ForwarderOptions = {
  readonly upstream: Upstream
  readonly people: People
  readonly record: DeskRecord
  readonly hints: Hints
  /** How many streams this desk may open to the upstream at once. */
  readonly maxStreams: () => number
}

export class Forwarder {
  readonly reads: SharedReads
  readonly streams: StreamHub
  readonly mutations: Mutations
  readonly #options: ForwarderOptions

  constructor(options: ForwarderOptions) {
    const { upstream, people, record, hints, maxStreams } = options
    this.#options = options
    this.reads = new SharedReads(upstream)
    const onEvent = (workId: string) => {
      this.reads.expire()
      hints.hint(workId)
    }
    this.streams = new StreamHub({ upstream, people, maxStreams, onEvent })
    const onAnswered = (call: OperationCall, answer: Answer | Refusal) => {
      this.reads.expire()
      tellWatchers(hints, call, answer)
    }
    this.mutations = new Mutations({ upstream, people, record, onAnswered })
  }

  /** Forwards a request whose session, role and person were checked, and answers the client. */
  forward(context: RequestContext, call: OperationCall, session: Session): void | Promise<void> {
    const { operation, target } = call
    const kind = operation.success[200]
    const isPlainRead = operation.method === "GET" && kind === "json"
    const refusal = isPlainRead ? undefined : checkRepeated(context.request)
    if (refusal !== undefined) return send(context, refusal)
    const headers = pickRequestHeaders(context.request, operation)
    if (operation.method === "POST") return this.mutations.forward(context, call, headers)
    if (kind === "event-stream") return this.streams.join(context, call, session)
    if (kind === "octet-stream") {
      return download(this.#options.upstream, context, { operation, target, headers, trace: context.trace })
    }
    const isFresh = hasNoCache(context.request.headers["cache-control"])
    const { trace } = context
    const leave = this.reads.read({ operation, target, headers, trace }, (answer) => send(context, answer), { isFresh })
    whenClosed(context, leave)
  }
}

/** Asks the watchers to read the changed Work again. A decided item leaves their answers at once. */
function tellWatchers(hints: Hints, { operation, ids }: OperationCall, answer: Answer | Refusal): void {
  const [workId, itemId] = ids
  if (operation.id === "createWork") hints.hintList()
  if (workId === undefined || !operation.path.startsWith("/api/v1/work/")) return
  hints.hint(workId)
  if (isRefusal(answer) || answer.status !== 200 || itemId === undefined) return
  hints.decided({ kind: operation.id === "resolveWorkApproval" ? "approval" : "attention", workId, itemId })
}

// A client that reads nothing is noticed at the latest after so much more of the time-out.
const CHECKS_PER_TIMEOUT = 10

/** Streams a download as fast as the client reads. A client that reads nothing for some time is cut off. A download that breaks off upstream breaks off for the client too. */
function download(upstream: Upstream, context: RequestContext, request: UpstreamRequest): void {
  const { response } = context
  const { stalledDownload } = upstream.timeouts
  const reading = new ReadingCheck(context)
  const timer = setInterval(() => {
    if (reading.isStalled(stalledDownload)) cut(context)
  }, stalledDownload / CHECKS_PER_TIMEOUT)
  let flow: Flow | undefined
  response.on("drain", () => flow?.resume())
  const abort = sendUpstream(upstream, request, {
    answered: (answer) => send(context, answer),
    opened(headers, opened) {
      flow = opened
      // Do not flush the head alone: Node would then encode the bytes of a file name as UTF-8 a second time.
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
  whenClosed(context, () => {
    clearInterval(timer)
    abort()
  })
}

/** Makes every download an attachment. Of another disposition, such as `inline`, only the parameters stay. */
function asAttachment(headers: FlatHeaders): FlatHeaders {
  const index = headers.indexOf("Content-Disposition")
  if (index === -1) return [...headers, "Content-Disposition", "attachment"]
  const value = headers[index + 1] ?? ""
  if (/^\s*attachment\s*(?:;|$)/i.test(value)) return headers
  const parameters = value.includes(";") ? value.slice(value.indexOf(";")) : ""
  return headers.with(index + 1, `attachment${parameters}`)
}
