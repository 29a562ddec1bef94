/** The addresses for probes: whether the process serves, whether it takes traffic, and whether the upstream answers. */
import { operations } from "../../../contract/operations.ts"
import { isRefusal, type Refusal } from "../../../platform/http/refusals.ts"
import type { RequestContext } from "../../../platform/http/request-context.ts"
import { send, type Answer } from "../../../platform/http/send.ts"
import type { SharedReads } from "../../proxy/shared-reads.ts"
import type { LastAnswer } from "../../proxy/upstream.ts"
import { apiAnswer } from "../../../platform/http/security-headers.ts"
import { ACCEPT_JSON } from "../../proxy/upstream-request.ts"
import { upstreamUnhealthy } from "../desk-refusals.ts"

/**
 * The answer of `/desk/ready` while the desk takes traffic. Its status does not depend on the service, because a balancer would then remove all
 * desks at once. Its text names a failure of the last request to the service. No request is sent for this.
 */
export function readyAnswer({ fault, at }: LastAnswer): Answer {
  if (fault === undefined) return ok
  const failed = fault === "token refused" ? "refused the token" : `gave no answer (${fault})`
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1_000))
  return { ...ok, body: Buffer.from(`ok, but the service ${failed} ${seconds} s ago`) }
}

/** The answer of `/desk/health`, for which neither the upstream nor the store is asked. */
export const ok: Answer = {
  status: 200,
  headers: { ...apiAnswer, "Content-Type": "text/plain; charset=utf-8" },
  body: Buffer.from("ok"),
}

/** The address of the question whether the upstream answers. The router takes any query of `/desk/health` with `upstream` for it. */
export const UPSTREAM_HEALTH = "/desk/health?upstream"

/** Whether a request asks for `UPSTREAM_HEALTH`. */
export function asksUpstream(path: string, query: string): boolean {
  return path === "/desk/health" && query.split("&").some((pair) => pair.split("=", 1)[0] === "upstream")
}

/** Within this time, everybody who asks gets the same answer about the upstream. */
const ANSWER_KEPT_MS = 5_000

/** Makes the handler of `/desk/health?upstream`. The address needs a session, because each read uses up the quota that all people share. */
export function upstreamHealth(reads: SharedReads): (context: RequestContext) => Promise<void> {
  let asked: { readonly askedAt: number; readonly answer: Promise<Answer | Refusal> } | undefined
  return async (context) => {
    const now = performance.now()
    if (asked === undefined || now - asked.askedAt >= ANSWER_KEPT_MS) {
      const request = { operation: operations.listWork, target: "/api/v1/work?limit=1", headers: ACCEPT_JSON }
      asked = { askedAt: now, answer: reads.get({ ...request, origin: context }) }
    }
    const answer = await asked.answer
    const cause = (isRefusal(answer) ? answer.cause : undefined) ?? "refused"
    send(context, isAlive(answer) ? ok : { ...upstreamUnhealthy, cause })
    if (!isRefusal(answer)) context.upstreamRequestId = answer.upstreamRequestId
  }
}

/** A service that works can answer 403 or 429. After 401 no operation works, because the service refuses the credential. */
function isAlive(answer: Answer | Refusal): boolean {
  return !isRefusal(answer) && (answer.status < 300 || answer.status === 403 || answer.status === 429)
}
