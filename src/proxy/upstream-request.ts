/** Asking the upstream one operation. */
import type { IncomingHttpHeaders } from "node:http"
import type { Dispatcher } from "undici"
import type { Operation } from "../contract/document.ts"
import { checkBody, kindOf, passDown } from "./answers.ts"
import type { Timed } from "./deadlines.ts"
import { type Refusal } from "../contract/refusal.ts"
import { upstreamAbsent, upstreamBroken, upstreamLate } from "./problem.ts"
import { apiAnswer, type FlatHeaders } from "./security-headers.ts"
import type { Upstream } from "./upstream.ts"
import type { Answer } from "./exchange.ts"

/** A question: an operation with everything of the client's request that passes. */
export type Question = {
  readonly operation: Operation
  readonly target: string
  readonly headers: FlatHeaders
  readonly body?: Buffer | undefined
}

/** Holds back, lets go on. */
export type Flow = { pause(): void; resume(): void }

/** Who wants the answer. Either `answered` is called, or, for a stream or download, `opened`, then `data`, then `ended` or `cut`. */
export type Listener = {
  answered(answer: Answer | Refusal): void
  opened(headers: FlatHeaders, flow: Flow): void
  data(chunk: Buffer): void
  ended(): void
  cut(): void
}

// A page of 100 Works is at most some megabytes; an endless answer must not fill the memory.
const JSON_MAX_BYTES = 33_554_432

/** Asks, and tells the listener; gives a function that lets go: the connection is closed at once, and the listener hears nothing more. */
export function ask(upstream: Upstream, question: Question, listener: Listener): () => void {
  const exchange = new Exchange(upstream, question, listener)
  const { operation, target, headers, body = null } = question
  const request = {
    method: operation.method,
    path: upstream.basePath + target,
    headers: ["authorization", upstream.token.authorization(), "accept-encoding", "identity", ...headers],
    body,
    bodyTimeout: operation.success[200] === "octet-stream" ? upstream.patience.silentDownload : 0,
  }
  // The listener never hears before this function has returned, not even of a question that cannot be sent.
  queueMicrotask(() => upstream.pool.dispatch(request, exchange))
  return () => exchange.letGo()
}

class Exchange implements Dispatcher.DispatchHandler, Timed {
  readonly #upstream: Upstream
  readonly #question: Question
  readonly #listener: Listener
  readonly #began = performance.now()
  place = -1
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #isFlowing = false
  #status = 0
  #headers: FlatHeaders = []
  #chunks: Buffer[] = []
  #length = 0

  constructor(upstream: Upstream, question: Question, listener: Listener) {
    this.#upstream = upstream
    this.#question = question
    this.#listener = listener
    upstream.deadlines.add(this)
  }

  look(now: number): void {
    const { headers, json } = this.#upstream.patience
    if (now - this.#began >= (this.#status === 0 ? headers : json)) this.#fail(upstreamLate)
  }

  letGo(): void {
    if (this.#over()) this.#controller?.abort(new Error("let go"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Let go while it waited for a connection: it is never sent.
    if (this.#isOver) controller.abort(new Error("let go"))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#isOver) return
    const kind = kindOf(this.#question.operation, status, headers)
    if (kind === undefined) return this.#fail(upstreamBroken)
    this.#status = status
    this.#headers = passDown(headers, this.#upstream, this.#question.target)
    if (kind === "json" || kind === "problem") return
    this.#upstream.deadlines.remove(this)
    this.#isFlowing = true
    const length = kind === "octet-stream" ? headers["content-length"] : undefined
    const { pause, resume } = this
    this.#listener.opened(length === undefined ? this.#headers : [...this.#headers, "Content-Length", length], {
      pause,
      resume,
    })
  }

  readonly pause = (): void => this.#controller?.pause()

  readonly resume = (): void => {
    if (!this.#isOver) this.#controller?.resume()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#isFlowing) return this.#listener.data(chunk)
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length > JSON_MAX_BYTES) this.#fail(upstreamBroken)
  }

  onResponseEnd(): void {
    if (!this.#over()) return
    if (this.#isFlowing) return this.#listener.ended()
    const [first] = this.#chunks
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
    const checked = checkBody(body, this.#status, this.#upstream.token)
    this.#listener.answered(
      checked === undefined
        ? upstreamBroken
        : { status: this.#status, headers: [...apiAnswer, ...this.#headers], body: checked },
    )
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (!this.#over()) return
    if (this.#isFlowing) return this.#listener.cut()
    this.#listener.answered(this.#status === 0 && !isMalformed(error) ? upstreamAbsent : upstreamBroken)
  }

  #fail(refusal: Refusal): void {
    if (!this.#over()) return
    this.#controller?.abort(new Error(refusal.code))
    this.#listener.answered(refusal)
  }

  /** Marks the end; false when it was over before. */
  #over(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#upstream.deadlines.remove(this)
    return true
  }
}

/** Whether there was an answer, though none that HTTP allows; every other error is a connection that failed. */
function isMalformed(error: Error): boolean {
  return "code" in error && typeof error.code === "string" && /^HPE_|^UND_ERR_(?:HEADERS|RES)/.test(error.code)
}
