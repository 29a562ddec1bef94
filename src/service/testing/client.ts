/** An HTTP client for tests of the service. */
import { randomUUID } from "node:crypto"
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"
import { parseJson, stringifyJson } from "../../contract/int64.ts"

/** A request of a test. A `body` that is a string or bytes is sent unchanged, any other value as JSON. */
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
  /** The parsed JSON body with exact int64 values. Undefined for a body that is not JSON. */
  readonly body: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends a request and reads the whole answer. The target is sent exactly as given; fetch would normalise it. */
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

/** Sends a request and returns the response as soon as its headers have arrived. For streams. */
export function open(base: string, method: string, target: string, options: Call = {}): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { hostname, port } = new URL(base)
  const payload = payloadOf(options.body)
  const sent = request({ hostname, port, method, path: target, agent, headers: headersOf(options, payload) }, resolve)
  sent.on("error", reject)
  sent.end(payload)
  return promise
}

/** A new Idempotency-Key. */
export function newKey(): string {
  return randomUUID()
}

/** The member of a JSON object. Undefined when `body` is no object or has no such member. */
export function member(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined
}

/** The member of a JSON object. @throws TypeError when the member is not a string */
export function textOf(body: unknown, name: string): string {
  const value = member(body, name)
  if (typeof value !== "string") throw new TypeError(`${name} is no text in ${stringifyJson(body)}`)
  return value
}

/** The member `data` of a list. @throws TypeError when it is not a list */
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
