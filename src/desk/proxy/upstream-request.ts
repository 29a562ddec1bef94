/** Sends the request of one operation to the upstream, with the token, and checks the answer. */
import type { IncomingHttpHeaders } from "node:http"
import type { Dispatcher } from "undici"
import type { Operation } from "../../contract/operation.ts"
import { type HeaderFields, type Refusal, upstreamInvalid, upstreamTooLarge } from "../../platform/http/refusals.ts"
import { pickResponseHeaders } from "./passed-headers.ts"
import { checkBody, classifyAnswer, isOfAddress } from "./upstream-answer.ts"
import { causeOf, isNotConnected, type Cause } from "../../platform/cause.ts"
import type { Answer } from "../../platform/http/send.ts"
import { apiAnswer } from "../../platform/http/security-headers.ts"
import type { Origin } from "../../platform/http/request-context.ts"
import { traceparentOf } from "../../platform/http/trace.ts"
import { countFailure, type Upstream } from "./upstream.ts"
import { tooLate, upstreamTimeout, upstreamUnreachable } from "./proxy-refusals.ts"

/** A request to the upstream for one operation. */
export type UpstreamRequest = {
  readonly operation: Operation
  /** Below the upstream's base address, with the query. */
  readonly target: string
  readonly headers: HeaderFields
  readonly body?: Buffer | undefined
  readonly origin: Origin
  /** After this time of `performance.now()` the request must not leave any more. */
  readonly leaveBy?: number | undefined
}

/** For a read of the desk itself. */
export const ACCEPT_JSON: HeaderFields = { accept: "application/json" }

/** Pauses and resumes the reading of a stream or download. */
export type Flow = { pause(): void; resume(): void }

/** Receives the bytes of a stream or download, and then whether it ended or broke off. */
export type Sink = { data(chunk: Buffer): void; ended(): void; cut(cause: Cause): void }

/** Closes the connection at once. Nothing is called afterwards. */
export type Abort = () => void

type Answered = (answer: Answer | Refusal) => void
type Opened = (headers: HeaderFields, flow: Flow) => Sink

// A page of 100 Works has at most some megabytes, and a Problem some hundred bytes. Parsing a longer answer would block all requests.
const JSON_MAX_BYTES = 33_554_432
const PROBLEM_MAX_BYTES = 65_536
const UNAUTHORIZED = 401

/**
 * Sends a request. `answered` gets the checked answer, or the refusal that says why there is none; of a stream or download that begins, `opened`
 * gets the headers instead. `sendUpstream` returns before either is called, even when the request cannot be sent.
 */
export function sendUpstream(upstream: Upstream, request: UpstreamRequest, answered: Answered, opened?: Opened): Abort {
  const pending = new PendingRequest(upstream, request, answered, opened)
  const { operation, target, headers, body = null, origin } = request
  const options = {
    method: operation.method,
    path: upstream.basePath + target,
    headers: upstream.token.authorize({
      "accept-encoding": "identity",
      traceparent: traceparentOf(origin.trace),
      ...headers,
    }),
    body,
    // 0: undici sets no limit. `#checkBegun` limits a JSON answer, and SharedStream limits a stream.
    bodyTimeout: operation.success[200] === "octet-stream" ? upstream.timeouts.silentDownload : 0,
  }
  if (operation.method === "GET") origin.charges.upstreamRead()
  queueMicrotask(() => upstream.pool.dispatch(options, pending))
  return () => pending.abort()
}

class PendingRequest implements Dispatcher.DispatchHandler {
  readonly #upstream: Upstream
  readonly #request: UpstreamRequest
  readonly #answered: Answered
  readonly #opened: Opened | undefined
  #deadline: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #isFinished = false
  #sink: Sink | undefined
  #isPaused = false
  #status = 0
  #headers: HeaderFields = {}
  #chunks: Buffer[] = []
  #length = 0

  constructor(upstream: Upstream, request: UpstreamRequest, answered: Answered, opened: Opened | undefined) {
    this.#upstream = upstream
    this.#request = request
    this.#answered = answered
    this.#opened = opened
    this.#deadline = setTimeout(() => this.#checkBegun(), upstream.timeouts.headers)
  }

  /** Fails unless the answer has begun. The rest of a JSON answer may take until the second deadline. */
  #checkBegun(): void {
    const late = () => this.#fail(upstreamTimeout, "timeout")
    if (this.#status === 0) return late()
    const { headers, json } = this.#upstream.timeouts
    this.#deadline = setTimeout(late, json - headers)
  }

  abort(): void {
    if (this.#finish()) this.#controller?.abort(new Error("aborted"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The request was aborted while it waited for a connection, so it is not sent.
    if (this.#isFinished) controller.abort(new Error("aborted"))
    // undici calls this when there is a connection, right before it writes the request.
    else if (performance.now() > (this.#request.leaveBy ?? Infinity)) this.#fail(tooLate, "timeout")
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#isFinished) return
    const kind = classifyAnswer(this.#request.operation, status, headers)
    if (kind === undefined) return this.#fail(upstreamInvalid, "not_the_operation")
    this.#status = status
    this.#upstream.last = { fault: status === UNAUTHORIZED ? "token refused" : undefined, at: Date.now() }
    this.#upstream.quotas.note(this.#request.operation.method, status, headers)
    this.#headers = pickResponseHeaders(headers, this.#upstream, this.#request.target)
    if (kind === "json" || kind === "problem") return
    clearTimeout(this.#deadline)
    const length = kind === "octet-stream" ? headers["content-length"] : undefined
    const passed = length === undefined ? this.#headers : { ...this.#headers, "Content-Length": length }
    this.#sink = this.#opened?.(passed, this)
  }

  readonly pause = (): void => {
    this.#isPaused = true
    this.#controller?.pause()
  }

  /** Resumes in a microtask: undici 8.12.4 throws when an answer is resumed while it parses another, and the answer never continues (measured). */
  readonly resume = (): void => {
    this.#isPaused = false
    queueMicrotask(() => {
      if (!this.#isPaused && !this.#isFinished) this.#controller?.resume()
    })
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isFinished) return
    if (this.#sink !== undefined) return this.#sink.data(chunk)
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#status < 400 && this.#length > JSON_MAX_BYTES) this.#fail(upstreamTooLarge, "not_the_operation")
    else if (this.#status >= 400 && this.#length > PROBLEM_MAX_BYTES) this.#fail(upstreamInvalid, "not_the_operation")
  }

  onResponseEnd(): void {
    if (!this.#finish()) return
    if (this.#sink !== undefined) return this.#sink.ended()
    const [first] = this.#chunks
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
    const checked = checkBody(body, this.#status, this.#upstream.token)
    const isOwn =
      checked?.json === undefined || isOfAddress(this.#request.operation, this.#request.target, checked.json)
    if (checked === undefined || !isOwn) return this.#answerFailed(upstreamInvalid, "not_the_operation")
    this.#answered({ status: this.#status, headers: { ...apiAnswer, ...this.#headers }, ...checked })
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (!this.#finish()) return
    const cause = causeOf(error)
    if (this.#sink !== undefined) {
      countFailure(this.#upstream.figures, cause)
      return this.#sink.cut(cause)
    }
    const refusal = this.#status === 0 && cause !== "not_the_operation" ? upstreamUnreachable : upstreamInvalid
    this.#answerFailed(isNotConnected(error) ? { ...refusal, unsent: true } : refusal, cause)
  }

  #fail(refusal: Refusal, cause: Cause): void {
    if (!this.#finish()) return
    this.#controller?.abort(new Error(refusal.code))
    this.#answerFailed(refusal, cause)
  }

  #answerFailed(refusal: Refusal, cause: Cause): void {
    countFailure(this.#upstream.figures, cause)
    this.#upstream.last = { fault: cause, at: Date.now() }
    this.#answered({ ...refusal, cause })
  }

  /** Returns false when the request was finished before. */
  #finish(): boolean {
    if (this.#isFinished) return false
    this.#isFinished = true
    clearTimeout(this.#deadline)
    return true
  }
}
