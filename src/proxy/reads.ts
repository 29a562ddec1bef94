/** How the desk reads the upstream: shared reads for people, and the reads of the watcher in `src/waiting`. */
import { operations } from "../contract/document.ts"
import type { Log } from "../contract/log.ts"
import { isRefusal, toProblem, type Refusal } from "../contract/refusal.ts"
import type { OperationId } from "../contract/resources.ts"
import type { ReadUpstream, UpstreamAnswer } from "../waiting/answers.ts"
import { newRequestId } from "./request-context.ts"
import type { Answer } from "./send.ts"
import { newTrace, type Trace } from "./trace.ts"
import { ACCEPT_JSON, sendUpstream, type Abort, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

type Reader = (answer: Answer | Refusal) => void

type Read = { readonly readers: Set<Reader>; abort: Abort }

const nothing = () => undefined

/** Sends identical GETs that are in flight to the upstream once. No answer is kept. */
export class SharedReads {
  readonly #upstream: Upstream
  readonly #inFlight = new Map<string, Read>()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /**
   * Lets nobody join the reads that are in flight now. Their readers still get the answer. Call this when a mutation was answered or an event
   * was relayed, because a later reader must see the effect.
   */
  expire(): void {
    this.#inFlight.clear()
  }

  /**
   * Sends the request, or joins an identical one that is in flight. A fresh read joins none, but others may join the fresh read.
   * Gives a function with which the reader leaves. When the last reader has left, the request is aborted.
   */
  read(request: UpstreamRequest, reader: Reader, { isFresh = false } = {}): Abort {
    const key = JSON.stringify([request.target, request.headers])
    const read = (isFresh ? undefined : this.#inFlight.get(key)) ?? this.#start(key, request)
    read.readers.add(reader)
    return () => {
      if (!read.readers.delete(reader) || read.readers.size > 0) return
      this.#forget(key, read)
      read.abort()
    }
  }

  /** Reads as `read` does, for a reader that does not leave. */
  get(request: UpstreamRequest, { isFresh = false } = {}): Promise<Answer | Refusal> {
    const { promise, resolve } = Promise.withResolvers<Answer | Refusal>()
    this.read(request, resolve, { isFresh })
    return promise
  }

  #start(key: string, request: UpstreamRequest): Read {
    const read: Read = { readers: new Set(), abort: nothing }
    this.#inFlight.set(key, read)
    read.abort = sendUpstream(this.#upstream, request, (answer) => {
      this.#forget(key, read)
      for (const reader of read.readers) reader(answer)
      // Releases the readers at once: an old table of a Map may keep the read in memory for longer.
      read.readers.clear()
      read.abort = nothing
    })
    return read
  }

  #forget(key: string, read: Read): void {
    if (this.#inFlight.get(key) === read) this.#inFlight.delete(key)
  }
}

const FORBIDDEN = 403
const NOT_FOUND = 404

/** Makes the function with which the watcher reads. The log line of a failure has the id of the Problem that the app shows. */
export function createUpstreamReader(upstream: Upstream, log: Log): ReadUpstream {
  return (operation, target, signal) => {
    const { promise, resolve } = Promise.withResolvers<UpstreamAnswer>()
    const trace = newTrace()
    const request = { operation: operations[operation], target, headers: ACCEPT_JSON, trace }
    const abort = sendUpstream(upstream, request, (answer) => {
      const requestId = newRequestId()
      if (answer.status >= 400) logFailure(log, operation, answer, { requestId, trace })
      resolve(toUpstreamAnswer(answer, requestId))
    })
    signal.addEventListener("abort", abort, { once: true })
    return promise.finally(() => signal.removeEventListener("abort", abort))
  }
}

function logFailure(
  log: Log,
  operation: OperationId,
  answer: Answer | Refusal,
  { requestId, trace }: { readonly requestId: string; readonly trace: Trace },
): void {
  const { status } = answer
  const reason = isRefusal(answer)
    ? { code: answer.code, cause: answer.cause }
    : { upstream_request_id: answer.upstreamRequestId, cause: status >= 500 ? "refused" : undefined }
  const ids = { request_id: requestId, trace_id: trace.traceId, span_id: trace.spanId }
  const fields = { ...ids, operation, status, ...reason }
  // A Work whose lists are forbidden or gone is ordinary, and the watcher reads each such Work again and again.
  if (operation !== "listWork" && (status === FORBIDDEN || status === NOT_FOUND))
    log.debug(fields, "watcher read failed")
  else log.warn(fields, "watcher read failed")
}

function toUpstreamAnswer(answer: Answer | Refusal, requestId: string): UpstreamAnswer {
  if (isRefusal(answer)) {
    const body = JSON.stringify(toProblem(answer, requestId))
    return { status: answer.status, headers: {}, body, cause: answer.cause }
  }
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { status: answer.status, headers, body: answer.body.toString("utf8") }
}
