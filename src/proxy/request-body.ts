import type { IncomingMessage } from "node:http"
import { BODY_MAX_BYTES } from "../contract/limits.ts"
import { hasBody, type RequestContext } from "./request-context.ts"

const NO_BODY = Buffer.alloc(0)

/**
 * Reads the whole body; undefined where it is longer than 1 MiB. The bytes are counted, because a body need not say its length. Never
 * settles where the client breaks off before the end.
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
  // Without a listener the error of a client that breaks off would end the process.
  request.on("error", () => undefined)
  if (request.headers.expect !== undefined) response.writeContinue()
  return promise
}

/** Whether the body is said to be of a media type, whatever its parameters. */
export function hasMediaType({ headers }: IncomingMessage, expected: string): boolean {
  const [essence = ""] = (headers["content-type"] ?? "").split(";", 1)
  return essence.trim().toLowerCase() === expected
}
