import type { Log } from "../contract/log.ts"
import type { RequestContext } from "./request-context.ts"

// nginx logs this status for a client that left before it was answered.
const CLIENT_LEFT = 499

/**
 * Logs one request, once it is over. `startedAt` is performance.now() at its arrival. The fields are the desk's own words, ids and numbers:
 * no path, query, body or header.
 */
export function logRequest(log: Log, context: RequestContext, startedAt: number): void {
  const { request, response, route, operation, requestId, upstreamRequestId, personId, cause, failure } = context
  const status = response.headersSent ? response.statusCode : CLIENT_LEFT
  const fields = {
    request_id: requestId,
    upstream_request_id: upstreamRequestId,
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
