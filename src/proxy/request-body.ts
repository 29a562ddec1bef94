import type { IncomingMessage } from "node:http"
import { mediaTypeOf } from "../contract/http-fields.ts"
import { BODY_MAX_BYTES } from "../contract/limits.ts"
import { hasBody, type RequestContext } from "./request-context.ts"

const NO_BODY = Buffer.alloc(0)

/**
 * Reads the whole body. Gives undefined when the body is longer than 1 MiB. The bytes are counted, because a chunked body names no length.
 * Never settles when the client breaks off before the end of the body.
 */
export function readBody({ request, response }: RequestContext): Promise<Buffer | undefined> {
  if (!hasBody(request)) return Promise.resolve(NO_BODY)
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
  const chunks: Buffer[] = []
  let length = 0
  const take = (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length <= BODY_MAX_BYTES) return
    request.off("data", take).off("end", finish)
    resolve(undefined)
  }
  const finish = () => resolve(Buffer.concat(chunks))
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
