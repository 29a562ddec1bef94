/** Reads the body of a request, within its limit and time. */
import type { IncomingMessage } from "node:http"
import { mediaTypeOf } from "./http-fields.ts"
import { BODY_MAX_BYTES } from "../../contract/limits.ts"
import { type Refusal, bodyLate, bodyTooLarge } from "./refusals.ts"
import { hasBody, type RequestContext } from "./request-context.ts"
import { Refused } from "./send.ts"

const NO_BODY = Buffer.alloc(0)

/** Counted from the headers. */
const BODY_MS = 30_000

/** The longest body of a request without a session. A logout token has some kilobytes. */
export const PUBLIC_BODY_MAX_BYTES = 65_536

/**
 * Reads the whole body, counting bytes because a chunked body names no length. Never settles if the client breaks off.
 * @throws Refused when the body is longer than `maxBytes` (413) or takes longer than 30 s (408)
 */
export function readBody(
  { request, response }: Pick<RequestContext, "request" | "response">,
  maxBytes: number = BODY_MAX_BYTES,
): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes)
    return Promise.reject(new Refused(bodyTooLarge(maxBytes)))
  if (!hasBody(request)) return Promise.resolve(NO_BODY)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let length = 0
  const stop = () => {
    clearTimeout(timer)
    request.off("data", take).off("end", finish)
  }
  const refuse = (refusal: Refusal) => {
    stop()
    reject(new Refused(refusal))
  }
  const take = (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) refuse(bodyTooLarge(maxBytes))
  }
  const finish = () => {
    stop()
    resolve(Buffer.concat(chunks))
  }
  const timer = setTimeout(() => {
    response.shouldKeepAlive = false
    refuse(bodyLate)
  }, BODY_MS)
  request.on("close", () => clearTimeout(timer))
  request.on("data", take).on("end", finish)
  // Without a listener, the error of a client that breaks off would end the process.
  request.on("error", () => undefined)
  if (request.headers.expect !== undefined) response.writeContinue()
  return promise
}

/** Whether Content-Type names this media type, with any parameters. */
export function hasMediaType({ headers }: IncomingMessage, expected: string): boolean {
  return mediaTypeOf(headers["content-type"] ?? "") === expected
}

/** Whether Content-Type says JSON in UTF-8. Another charset would let a service read other text from the same bytes. */
export function isJson({ headers }: IncomingMessage): boolean {
  return /^\s*application\/json\s*(?:;\s*charset=(?:utf-8|"utf-8")\s*)?$/i.test(headers["content-type"] ?? "")
}
