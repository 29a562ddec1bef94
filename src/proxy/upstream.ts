/** Asking the upstream one operation, and telling an answer that is the operation's own from every other. */
import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import { Pool, type Dispatcher } from "undici"
import type { Operation } from "../contract/document.ts"
import { parseJson, stringifyJson } from "../contract/int64.ts"
import { isProblem, PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import { upstreamAbsent, upstreamBroken, upstreamLate, type Refusal } from "./problem.ts"
import { apiAnswer, type FlatHeaders } from "./security-headers.ts"
import type { Token } from "./token.ts"
import type { Answer } from "./visit.ts"

/** How long the upstream may take, in milliseconds. */
export type Patience = {
  /** To begin an answer. */
  readonly headers: number
  /** To finish a JSON answer, from the question on. */
  readonly json: number
  /** A download that says nothing, while we want to hear. */
  readonly silentDownload: number
  /** A stream that says nothing: three heartbeats. */
  readonly silentStream: number
}

export const PATIENCE: Patience = { headers: 20_000, json: 30_000, silentDownload: 60_000, silentStream: 45_000 }

export type Upstream = {
  readonly pool: Pool
  /** `http://host:port`. */
  readonly origin: string
  /** The path of the base address, without a trailing slash. */
  readonly basePath: string
  readonly token: Token
  readonly patience: Patience
}

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

const MEDIA_TYPES = {
  json: "application/json",
  "event-stream": "text/event-stream",
  "octet-stream": "application/octet-stream",
}

// Headers pass by list (the design); Location, Content-Disposition and Content-Length have rules of their own.
const PASSED_DOWN = [
  ["content-type", "Content-Type"],
  ["etag", "ETag"],
  ["retry-after", "Retry-After"],
  ["ratelimit", "RateLimit"],
  ["ratelimit-policy", "RateLimit-Policy"],
  ["idempotent-replayed", "Idempotent-Replayed"],
  ["content-disposition", "Content-Disposition"],
] as const

// What Node's server refuses to send.
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** Connects to nothing yet. `baseUrl` has no trailing slash. */
export function openUpstream(baseUrl: string, token: Token, patience: Patience): Upstream {
  const { origin, pathname } = new URL(baseUrl)
  // No pipelining and no retries: a mutation is sent once. HTTP/1.1 only, so that letting go of one answer touches no other.
  const pool = new Pool(origin, {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: patience.headers,
  })
  return { pool, origin, basePath: pathname.replace(/\/$/, ""), token, patience }
}

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

class Exchange implements Dispatcher.DispatchHandler {
  readonly #upstream: Upstream
  readonly #question: Question
  readonly #listener: Listener
  readonly #headersTimer: NodeJS.Timeout
  readonly #jsonTimer: NodeJS.Timeout
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
    this.#headersTimer = setTimeout(() => this.#fail(upstreamLate), upstream.patience.headers)
    this.#jsonTimer = setTimeout(() => this.#fail(upstreamLate), upstream.patience.json)
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
    clearTimeout(this.#headersTimer)
    const kind = this.#question.operation.success[status]
    const isOwn = kind !== undefined && isMediaType(headers, MEDIA_TYPES[kind])
    const isError = status >= 400 && isMediaType(headers, PROBLEM_MEDIA_TYPE)
    if ((!isOwn && !isError) || isEncoded(headers)) return this.#fail(upstreamBroken)
    this.#status = status
    this.#headers = passDown(headers, this.#upstream, this.#question.target)
    if (!isOwn || kind === "json") return
    clearTimeout(this.#jsonTimer)
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
    clearTimeout(this.#headersTimer)
    clearTimeout(this.#jsonTimer)
    return true
  }
}

function isMediaType(headers: IncomingHttpHeaders, expected: string): boolean {
  const [essence = ""] = (headers["content-type"] ?? "").split(";", 1)
  return essence.trim().toLowerCase() === expected
}

/** We asked for identity: nothing that was packed on the way can be checked or counted. */
function isEncoded(headers: IncomingHttpHeaders): boolean {
  const { "content-encoding": content = "identity", "transfer-encoding": transfer = "chunked" } = headers
  return content.toLowerCase() !== "identity" || transfer.toLowerCase() !== "chunked"
}

/**
 * A JSON answer as it is passed on: byte for byte, but never with the token in it. Undefined when it is no JSON object, or an error that
 * is no Problem. Its members are not looked at further: unknown is normal.
 */
function checkBody(body: Buffer, status: number, token: Token): Buffer | undefined {
  if (!isUtf8(body)) return undefined
  try {
    const text = body.toString("utf8")
    if (status < 400) {
      const value: unknown = JSON.parse(text)
      return typeof value === "object" && value !== null && !Array.isArray(value) ? token.concealBytes(body) : undefined
    }
    const problem = parseJson(text)
    if (!isProblem(problem)) return undefined
    // Written anew, every escape that could disguise the token is gone.
    const written = stringifyJson(problem)
    return token.isIn(text) || token.isIn(written) ? Buffer.from(token.conceal(written)) : body
  } catch {
    return undefined
  }
}

function passDown(headers: IncomingHttpHeaders, upstream: Upstream, target: string): FlatHeaders {
  const passed: string[] = []
  const pass = (name: string, value: string) => {
    if (!UNSENDABLE.test(value) && !upstream.token.isIn(value)) passed.push(name, value)
  }
  for (const [name, spelled] of PASSED_DOWN) {
    const value = headers[name]
    if (value !== undefined) pass(spelled, Array.isArray(value) ? value.join(", ") : value)
  }
  const location = headers.location && toRelative(headers.location, upstream, target)
  if (location) pass("Location", location)
  return passed
}

/** A Location below the upstream's `/api/v1`, as it is below ours; undefined for every other. */
function toRelative(location: string, { origin, basePath }: Upstream, target: string): string | undefined {
  const asked = origin + basePath + target
  if (!URL.canParse(location, asked)) return undefined
  const url = new URL(location, asked)
  if (url.origin !== origin) return undefined
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : url.pathname
  return path.startsWith("/api/v1/") ? path + url.search : undefined
}

/** Whether there was an answer, though none that HTTP allows; every other error is a connection that failed. */
function isMalformed(error: Error): boolean {
  return "code" in error && typeof error.code === "string" && /^HPE_|^UND_ERR_(?:HEADERS|RES)/.test(error.code)
}
