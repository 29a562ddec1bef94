/** The addresses for probes: whether the process serves, whether it takes traffic, and whether the upstream answers. */
import { operations } from "../../contract/document.ts"
import { isRefusal, type Refusal } from "../../contract/refusal.ts"
import type { RequestContext } from "../request-context.ts"
import { send, type Answer } from "../send.ts"
import { draining, upstreamUnhealthy } from "../refusals.ts"
import type { SharedReads } from "../reads.ts"
import { apiAnswer } from "../security-headers.ts"

const FORBIDDEN = 403
const TOO_MANY = 429

const ok: Answer = {
  status: 200,
  headers: [...apiAnswer, "Content-Type", "text/plain; charset=utf-8"],
  body: Buffer.from("ok"),
}

/** Whether the query of `/desk/health` has `upstream`. */
export function asksUpstream(query: string): boolean {
  return query.split("&").some((pair) => pair.split("=", 1)[0] === "upstream")
}

/** Answers `/desk/health` with 200. With `?upstream` the answer is 200 or 503, by whether the upstream answers an operation. */
export function serveHealth(context: RequestContext, query: string, reads: SharedReads): void {
  if (!asksUpstream(query)) return send(context, ok)
  const request = {
    operation: operations.listWork,
    target: "/api/v1/work?limit=1",
    headers: ["accept", "application/json"],
  }
  context.onClose = reads.read(request, (answer) => {
    const cause = (isRefusal(answer) ? answer.cause : undefined) ?? "refused"
    send(context, isAlive(answer) ? ok : { ...upstreamUnhealthy, cause })
    if (!isRefusal(answer)) context.upstreamRequestId = answer.upstreamRequestId
  })
}

/** Answers `/desk/ready`. A balancer sends no new requests while the answer is 503. */
export function serveReady(context: RequestContext, isDraining: boolean): void {
  send(context, isDraining ? draining : ok)
}

/** A service that works can answer 403 or 429. After 401 no operation works, because the service refuses the credential. */
function isAlive(answer: Answer | Refusal): boolean {
  return !isRefusal(answer) && (answer.status < 300 || answer.status === FORBIDDEN || answer.status === TOO_MANY)
}
