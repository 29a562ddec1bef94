/** What the log says about a request, and about a fault of the desk itself. */
import type { IncomingMessage } from "node:http"
import { framesOf, type Log, type LogFields } from "../platform/log.ts"
import type { RequestContext } from "../http/request-context.ts"

// nginx logs this status when the client left before the answer.
const CLIENT_LEFT = 499

/**
 * Logs a request that is over. `startedAt` is performance.now() at the request's arrival. The fields hold words, ids and numbers of the
 * desk, and no path, query, body or header (`docs/operating.md`, "Health, metrics and logs").
 */
export function logRequest(log: Log, context: RequestContext, startedAt: number): void {
  const { request, response, route, operation, requestId, upstreamRequestId, personId, cause, failure, trace } = context
  const status = response.headersSent ? response.statusCode : CLIENT_LEFT
  const fields = {
    request_id: requestId,
    upstream_request_id: upstreamRequestId,
    trace_id: trace.traceId,
    span_id: trace.spanId,
    client: context.client,
    person: personId,
    operation,
    method: request.method,
    route,
    status,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    code: context.refusalCode,
    cause,
    failure,
  }
  if (status >= 500) log.error(fields, "request")
  else if (cause !== undefined || failure !== undefined) log.warn(fields, "request")
  else log.info(fields, "request")
}

const MESSAGE_MAX_CHARACTERS = 500
// Shorter values would be found by chance.
const VALUE_MIN_CHARACTERS = 4
const HIDDEN = "…"

/** The fields for a fault while a request was handled: the error's message without values that somebody sent, and the place in the code. */
export function faultFields(error: unknown, request: IncomingMessage): LogFields {
  if (!(error instanceof Error)) return { stack: framesOf(error) }
  // The longest first: a value may be a part of another.
  const values = valuesOf(request).toSorted((one, other) => other.length - one.length)
  const message = values.reduce((text, value) => text.replaceAll(value, HIDDEN), withoutQuotes(error))
  return { error: message.slice(0, MESSAGE_MAX_CHARACTERS), stack: framesOf(error) }
}

/**
 * Errors quote values: those of JSON.parse the text, those of Node the argument. A TypeError or ReferenceError of the engine quotes names of
 * the code, which stay.
 */
function withoutQuotes(error: Error): string {
  const isOfEngine = (error instanceof TypeError || error instanceof ReferenceError) && !("code" in error)
  // A quoted text may itself have quotes, so everything from the first to the last one goes.
  const quoted = isOfEngine ? /(["'`])(?![\w$.]+\1).*?\1/gs : /["'`].*["'`]/gs
  return error.message
    .replaceAll(quoted, HIDDEN)
    .replace(/^Cannot convert .* to a BigInt/s, `Cannot convert ${HIDDEN} to a BigInt`)
}

/** The values that came with a request, raw and decoded. */
function valuesOf({ url = "", rawHeaders }: IncomingMessage): readonly string[] {
  const parts = [...url.split(/[/?&=]/), ...rawHeaders.filter((_, index) => index % 2 === 1)]
  return [...new Set(parts.flatMap((part) => [part, decoded(part)]))].filter(
    (part) => part.length >= VALUE_MIN_CHARACTERS,
  )
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
