/** Forwards one of the 13 operations: checks of mutations, the list of headers, and the three kinds of answer. */
import type { IncomingMessage } from "node:http"
import { BODY_MAX_BYTES, IDEMPOTENCY_KEY_MAX_CHARACTERS } from "../contract/limits.ts"
import type { Operation } from "../contract/document.ts"
import { checkRepeated } from "./guard.ts"
import { type Refusal } from "../contract/refusal.ts"
import { bodyTooLarge, keyRequired, mediaTypeRefused } from "./problem.ts"
import { SharedReads } from "./reads.ts"
import { readBody } from "./request-body.ts"
import type { OperationCall } from "./routes.ts"
import { downloadAnswer, type FlatHeaders } from "./security-headers.ts"
import { StreamHub } from "./stream-hub.ts"
import { sendUpstream, type Flow, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"
import { cut, send, type Exchange } from "./exchange.ts"

export class Forwarder {
  readonly reads: SharedReads
  readonly streams: StreamHub
  readonly #upstream: Upstream

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.reads = new SharedReads(upstream)
    this.streams = new StreamHub(upstream, () => this.reads.expire())
  }

  forward(exchange: Exchange, call: OperationCall): void | Promise<void> {
    const { operation, target } = call
    const refusal = checkRepeated(exchange.request) ?? checkMutation(exchange.request, operation)
    if (refusal !== undefined) return send(exchange, refusal)
    const request = { operation, target, headers: passUp(exchange.request, operation) }
    if (operation.method === "POST") return this.#mutate(exchange, request)
    const kind = operation.success[200]
    if (kind === "event-stream") return this.streams.join(exchange, call)
    if (kind === "octet-stream") return download(this.#upstream, exchange, request)
    exchange.onClose = this.reads.read(request, (answer) => send(exchange, answer))
  }

  /** Sends a mutation once: never shared, never retried. */
  async #mutate(exchange: Exchange, request: UpstreamRequest): Promise<void> {
    const body = await readBody(exchange)
    if (body === undefined) return send(exchange, bodyTooLarge)
    if (exchange.response.destroyed) return
    const abort = sendUpstream(this.#upstream, request.operation.hasBody ? { ...request, body } : request, {
      answered: (answer) => {
        this.reads.expire()
        send(exchange, answer)
      },
      opened: neverFlows,
      data: neverFlows,
      ended: neverFlows,
      cut: neverFlows,
    })
    exchange.onClose = () => {
      this.reads.expire()
      abort()
    }
  }
}

const neverFlows = () => {
  throw new Error("a mutation's answer does not flow")
}

/** A mutation needs headers that a page of another site cannot set: the browser asks first, and the proxy never allows it. */
function checkMutation({ headers }: IncomingMessage, operation: Operation): Refusal | undefined {
  if (operation.method !== "POST") return undefined
  const key = headers["idempotency-key"]
  if (typeof key !== "string" || key === "" || key.length > IDEMPOTENCY_KEY_MAX_CHARACTERS) return keyRequired
  if (!operation.hasBody) return undefined
  const [essence = ""] = (headers["content-type"] ?? "").split(";", 1)
  if (essence.trim().toLowerCase() !== "application/json") return mediaTypeRefused
  return Number(headers["content-length"] ?? 0) > BODY_MAX_BYTES ? bodyTooLarge : undefined
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
function download(upstream: Upstream, exchange: Exchange, request: UpstreamRequest): void {
  const { response } = exchange
  let flow: Flow | undefined
  response.on("drain", () => flow?.resume())
  exchange.onClose = sendUpstream(upstream, request, {
    answered: (answer) => send(exchange, answer),
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
      exchange.cause = cause
      cut(exchange)
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
