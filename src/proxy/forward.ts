/** Forwards one of the 13 operations: guards of mutations, the header list upwards, and the three kinds of answer. */
import type { IncomingMessage } from "node:http"
import { BODY_MAX_BYTES, IDEMPOTENCY_KEY_MAX_CHARACTERS } from "../contract/limits.ts"
import type { Operation } from "../contract/document.ts"
import { checkRepeated } from "./guard.ts"
import { type Refusal } from "../contract/refusal.ts"
import { bodyTooLarge, keyRequired, mediaTypeRefused } from "./problem.ts"
import { SharedReads } from "./reads.ts"
import type { Ask } from "./routes.ts"
import { downloadAnswer, type FlatHeaders } from "./security-headers.ts"
import { StreamHub } from "./streams.ts"
import { ask, type Flow, type Question } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"
import { cut, isRefusal, send, type Visit } from "./exchange.ts"

export class Forwarder {
  readonly reads: SharedReads
  readonly streams: StreamHub
  readonly #upstream: Upstream

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.reads = new SharedReads(upstream)
    this.streams = new StreamHub(upstream, () => this.reads.expire())
  }

  forward(visit: Visit, asked: Ask): void {
    const { operation, target } = asked
    const refusal = checkRepeated(visit.request) ?? checkMutation(visit.request, operation)
    if (refusal !== undefined) return send(visit, refusal)
    const question = { operation, target, headers: passUp(visit.request, operation) }
    if (operation.method === "POST") return this.#mutate(visit, question)
    const kind = operation.success[200]
    if (kind === "event-stream") return this.streams.join(visit, asked)
    if (kind === "octet-stream") return download(this.#upstream, visit, question)
    visit.onClose = this.reads.read(question, (answer) => send(visit, answer))
  }

  /** Sent once: never shared, never retried. */
  #mutate(visit: Visit, question: Question): void {
    readBody(visit, (body) => {
      if (isRefusal(body)) return send(visit, body)
      if (visit.response.destroyed) return
      const letGo = ask(this.#upstream, question.operation.hasBody ? { ...question, body } : question, {
        answered: (answer) => {
          this.reads.expire()
          send(visit, answer)
        },
        opened: neverFlows,
        data: neverFlows,
        ended: neverFlows,
        cut: neverFlows,
      })
      visit.onClose = () => {
        this.reads.expire()
        letGo()
      }
    })
  }
}

const neverFlows = () => {
  throw new Error("a mutation's answer does not flow")
}

/** What a mutation needs: a page of another site cannot set either header without asking first, and no permission is ever given. */
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

/** Headers pass by list; being named in Connection strips none of them. A Content-Type goes with a body. */
function passUp({ headers }: IncomingMessage, operation: Operation): FlatHeaders {
  const passed: string[] = []
  for (const name of PASSED_UP) {
    const value = headers[name]
    if (typeof value === "string" && (name !== "content-type" || operation.hasBody)) passed.push(name, value)
  }
  return passed
}

/** Gives the whole body, counted while it arrives, for it need not say its length; or says that it is too long. */
function readBody(visit: Visit, whenRead: (body: Buffer | Refusal) => void): void {
  const { request, response } = visit
  const chunks: Buffer[] = []
  let length = 0
  const take = (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length <= BODY_MAX_BYTES) return
    request.off("data", take).off("end", finish)
    whenRead(bodyTooLarge)
  }
  const finish = () => whenRead(Buffer.concat(chunks))
  request.on("data", take).on("end", finish)
  // A client that breaks off is not answered; without a listener its error would end the process.
  request.on("error", () => undefined)
  if (request.headers.expect !== undefined) response.writeContinue()
}

/** Bytes as they come, held back as the client's reading demands; cut off upstream is cut off for the client. */
function download(upstream: Upstream, visit: Visit, question: Question): void {
  const { response } = visit
  let flow: Flow | undefined
  response.on("drain", () => flow?.resume())
  visit.onClose = ask(upstream, question, {
    answered: (answer) => send(visit, answer),
    opened(headers, opened) {
      flow = opened
      // Not flushed alone: Node would write a file name's bytes anew in UTF-8.
      response.writeHead(200, [...downloadAnswer, ...asAttachment(headers)])
    },
    data(chunk) {
      if (!response.write(chunk)) flow?.pause()
    },
    ended: () => response.end(),
    cut: () => cut(visit),
  })
}

/** A download is saved, not shown: `inline`, and whatever else is no attachment, keeps at most its parameters. */
function asAttachment(headers: FlatHeaders): FlatHeaders {
  const index = headers.indexOf("Content-Disposition")
  if (index === -1) return [...headers, "Content-Disposition", "attachment"]
  const value = headers[index + 1] ?? ""
  if (/^\s*attachment\s*(?:;|$)/i.test(value)) return headers
  const parameters = value.includes(";") ? value.slice(value.indexOf(";")) : ""
  return headers.with(index + 1, `attachment${parameters}`)
}
