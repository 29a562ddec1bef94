/** How the watcher of `src/desk/watcher` reads the upstream. */
import { operations } from "../../contract/operations.ts"
import type { Log } from "../../platform/log.ts"
import { isRefusal, type Refusal } from "../../platform/http/refusals.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { ReadUpstream } from "../watcher/read-plan.ts"
import { newRequestId, ownOrigin } from "../../platform/http/request-context.ts"
import { type Answer, toAnswer } from "../../platform/http/send.ts"
import { newTrace, type Trace } from "../../platform/http/trace.ts"
import { ACCEPT_JSON, sendUpstream } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

/** Makes the function with which the watcher reads. The log line of a failure has the id of the Problem that the app shows. */
export function createUpstreamReader(upstream: Upstream, log: Log): ReadUpstream {
  return (operation, target, signal, origin = ownOrigin(newTrace())) => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const request = { operation: operations[operation], target, headers: ACCEPT_JSON, origin }
    const abort = sendUpstream(upstream, request, (answer) => {
      const requestId = newRequestId()
      if (answer.status >= 400) logFailure(log, operation, answer, { requestId, trace: origin.trace })
      resolve(isRefusal(answer) ? toAnswer(answer, requestId) : answer)
    })
    signal.addEventListener("abort", abort, { once: true })
    return promise.finally(() => signal.removeEventListener("abort", abort))
  }
}

function logFailure(
  log: Log,
  operation: OperationId,
  answer: Answer | Refusal,
  { requestId, trace }: { readonly requestId: string; readonly trace: Trace },
): void {
  const { status } = answer
  const reason = isRefusal(answer)
    ? { code: answer.code, cause: answer.cause }
    : { upstream_request_id: answer.upstreamRequestId, cause: status >= 500 ? "refused" : undefined }
  const { traceId: trace_id, spanId: span_id } = trace
  const fields = { request_id: requestId, trace_id, span_id, operation, status, ...reason }
  // It is ordinary that the lists of a Work are forbidden or no longer exist, and the watcher reads each such Work again and again.
  if (operation !== "listWork" && (status === 403 || status === 404)) log.debug(fields, "watcher read failed")
  else log.warn(fields, "watcher read failed")
}
