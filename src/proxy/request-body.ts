import type { IncomingMessage } from "node:http"
import { mediaTypeOf } from "../contract/http-fields.ts"
import { BODY_MAX_BYTES } from "../contract/limits.ts"
import { isRefusal, type Refusal } from "../contract/refusal.ts"
import type { OperationId } from "../contract/resources.ts"
import type { People, Session } from "../people/people.ts"
import { hasBody, type RequestContext } from "./request-context.ts"
import { send } from "./send.ts"
import { bodyLate, bodyTooLarge, mediaTypeRefused } from "../contract/refusals.ts"

const NO_BODY = Buffer.alloc(0)

/** How long a body may take after the headers. */
const BODY_MS = 30_000

/**
 * Reads the body of a person's request, and then checks session and role again, because the person may have lost both while the body arrived.
 * With `operation`, the person needs a role that has the operation; without, any role.
 * @returns the body with the session as it is now, or a refusal (401, 403, 408, 413, 503)
 */
export async function readBodyOfPerson(
  context: RequestContext,
  people: People,
  operation?: OperationId,
): Promise<{ readonly body: Buffer; readonly session: Session } | Refusal> {
  const body = await readBody(context)
  if (isRefusal(body)) return body
  const session = await people.identify(context.request.headers.cookie)
  if (isRefusal(session)) return session
  return people.refusalFor(session, operation) ?? { body, session }
}

/** Makes the handler of a route with a JSON body. */
export function withJsonBody(
  people: People,
  handle: (context: RequestContext, session: Session, body: Buffer) => Promise<void>,
): (context: RequestContext) => Promise<void> {
  return async (context) => {
    if (!hasMediaType(context.request, "application/json")) return send(context, mediaTypeRefused)
    const read = await readBodyOfPerson(context, people)
    return isRefusal(read) ? send(context, read) : handle(context, read.session, read.body)
  }
}

/**
 * Reads the whole body. Refuses a body that is longer than 1 MiB (413) or takes longer than 30 s (408). The bytes are counted, because a chunked
 * body names no length. Never settles when the client breaks off before the end of the body.
 */
export function readBody({ request, response }: RequestContext): Promise<Buffer | Refusal> {
  if (!hasBody(request)) return Promise.resolve(NO_BODY)
  const { promise, resolve } = Promise.withResolvers<Buffer | Refusal>()
  const chunks: Buffer[] = []
  let length = 0
  const settle = (result: Buffer | Refusal) => {
    clearTimeout(timer)
    request.off("data", take).off("end", finish)
    resolve(result)
  }
  const take = (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > BODY_MAX_BYTES) settle(bodyTooLarge)
  }
  const finish = () => settle(Buffer.concat(chunks))
  const timer = setTimeout(() => {
    response.shouldKeepAlive = false
    settle(bodyLate)
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
