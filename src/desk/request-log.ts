/** What the log says about a request. */
import type { Log } from "../platform/log.ts"
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
