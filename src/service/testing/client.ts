import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { parseJson, stringifyJson } from "../../contract/int64.ts"

/** One call as a test writes it. A `body` that is no text or bytes is sent as JSON. */
export type Call = {
  readonly token?: string
  readonly key?: string
  readonly ifMatch?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | string[]>>
}

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The JSON body, int64 exact; undefined when it is none. */
  readonly body: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends one request, its target exactly as given (fetch would normalise it), and reads the whole answer. */
export async function call(base: string, method: string, target: string, options: Call = {}): Promise<Answer> {
  const response = await open(base, method, target, options)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(Buffer.from(chunk))
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString()
  const isJson = /json/.test(response.headers["content-type"] ?? "")
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text,
    body: isJson && text !== "" ? parseJson(text) : undefined,
  }
}

/** Sends one request and gives the answer when its headers are there; for streams. */
export function open(base: string, method: string, target: string, options: Call = {}): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { hostname, port } = new URL(base)
  const payload = payloadOf(options.body)
  const sent = request({ hostname, port, method, path: target, agent, headers: headersOf(options, payload) }, resolve)
  sent.on("error", reject)
  sent.end(payload)
  return promise
}

/** A key that no other call has. */
export function newKey(): string {
  return randomUUID()
}

/** The member of a JSON body, which a test knows to be an object. */
export function member(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined
}

/** The text of a member. */
export function textOf(body: unknown, name: string): string {
  const value = member(body, name)
  if (typeof value !== "string") throw new TypeError(`${name} is no text in ${stringifyJson(body)}`)
  return value
}

/** The `data` of a list. */
export function listOf(body: unknown): unknown[] {
  const value = member(body, "data")
  if (!Array.isArray(value)) throw new TypeError(`there is no list in ${stringifyJson(body)}`)
  return value
}

function payloadOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === "string" ? body : stringifyJson(body))
}

function headersOf({ token, key, ifMatch, headers }: Call, payload: Buffer | undefined) {
  const all: Record<string, string | string[]> = {}
  if (token !== undefined) all["authorization"] = `Bearer ${token}`
  if (key !== undefined) all["idempotency-key"] = key
  if (ifMatch !== undefined) all["if-match"] = ifMatch
  if (payload !== undefined) {
    all["content-type"] = "application/json"
    all["content-length"] = String(payload.length)
  }
  return { ...all, ...headers }
}
