/** What waits across all Work: the watcher of `src/waiting` reads the upstream through here, and answers its addresses. */
import { operations } from "../contract/document.ts"
import type { Log } from "../contract/log.ts"
import { isProblem } from "../contract/problem.ts"
import { toProblem, type Refusal } from "../contract/refusal.ts"
import type { OperationId } from "../contract/resources.ts"
import type { People, Session } from "../people/people.ts"
import type { DeskRecord } from "../people/record/interface.ts"
import { signedOut } from "../people/refusals.ts"
import type { DeskAnswer, ReadUpstream, UpstreamAnswer, Watcher } from "../waiting/interface.ts"
import type { DeskRoutes } from "./desk-routes.ts"
import { gzipOnce, readAcceptEncoding } from "./encoding.ts"
import { isRefusal, newRequestId, send, sendJson, type Answer, type RequestContext } from "./request-context.ts"
import { neverFlows } from "./reads.ts"
import { apiAnswer } from "./security-headers.ts"
import { sendUpstream } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

/** What waits in hundreds of Works is some hundred kilobytes, and each change is sent to every browser. */
const COMPRESSED_FROM_BYTES = 4_096

export function waitingRoutes(watcher: Watcher, people: People, record: DeskRecord): DeskRoutes {
  const sendAnswer = (context: RequestContext, answer: DeskAnswer | Refusal) =>
    send(context, isRefusal(answer) ? answer : toAnswer(answer))
  return {
    "GET /desk/waiting": {
      access: "role",
      handle: (context, query, session) => serveWaiting(context, query, session, { watcher, people }),
    },
    "GET /desk/overview": {
      access: "role",
      handle: async (context, query) => sendAnswer(context, await watcher.overview(query)),
    },
    "GET /desk/work": {
      access: "role",
      handle: async (context, query) => {
        const isFresh = /\bno-cache\b/i.test(context.request.headers["cache-control"] ?? "")
        sendAnswer(context, await watcher.work(query, isFresh))
      },
    },
    "GET /desk/context": {
      access: "role",
      handle: async (context, query, session) => {
        const found = await watcher.context(query)
        if (!("context" in found)) return sendAnswer(context, found)
        const may = found.pending && (await record.mayApprove(session, found.pending))
        sendJson(context, { ...found.context, ...(may !== undefined && { may }) })
      },
    },
  }
}

function serveWaiting(
  context: RequestContext,
  query: string,
  session: Session,
  { watcher, people }: { watcher: Watcher; people: People },
): void {
  const { "if-none-match": ifNoneMatch, "accept-encoding": accepted } = context.request.headers
  const isCompressed = readAcceptEncoding(accepted)("gzip") > 0
  const leave = watcher.waiting({ query, ifNoneMatch }, (answer) => {
    if (isRefusal(answer)) return send(context, answer)
    if (!isCompressed || answer.body.length < COMPRESSED_FROM_BYTES) return send(context, toAnswer(answer))
    const sendCompressed = (body: Buffer) => {
      const headers = [...answer.headers, "Content-Encoding", "gzip", "Vary", "Accept-Encoding"]
      send(context, toAnswer({ ...answer, headers, body }))
    }
    gzipOnce(answer.body).then(sendCompressed, () => send(context, toAnswer(answer)))
  })
  const forgetSession = people.onSessionEnd(session, () => send(context, signedOut))
  context.onClose = () => {
    forgetSession()
    leave()
  }
}

function toAnswer({ status, headers, body, cause }: DeskAnswer): Answer {
  const upstreamRequestId = status < 400 ? undefined : requestIdIn(body.toString("utf8"))
  return { status, headers: [...apiAnswer, ...headers], body, cause, upstreamRequestId }
}

/** The id of a Problem that the proxy has checked or made. */
function requestIdIn(text: string): string | undefined {
  const problem: unknown = JSON.parse(text)
  return isProblem(problem) ? problem.request_id : undefined
}

/** How the watcher reads the upstream. A read that fails has a log line, with the id of the Problem that the app shows. */
export function readerOf(upstream: Upstream, log: Log): ReadUpstream {
  return (operation, target, signal) => {
    const { promise, resolve } = Promise.withResolvers<UpstreamAnswer>()
    const request = { operation: operations[operation], target, headers: ["accept", "application/json"] }
    const abort = sendUpstream(upstream, request, {
      answered: (answer) => {
        const requestId = newRequestId()
        logFailure(log, { requestId, operation, answer })
        resolve(toUpstreamAnswer(answer, requestId))
      },
      opened: neverFlows,
      data: neverFlows,
      ended: neverFlows,
      cut: neverFlows,
    })
    signal.addEventListener("abort", abort, { once: true })
    return promise.finally(() => signal.removeEventListener("abort", abort))
  }
}

type Read = {
  readonly requestId: string
  readonly operation: OperationId
  readonly answer: Answer | Refusal
}

function logFailure(log: Log, { requestId: request_id, operation, answer }: Read): void {
  const { status } = answer
  if (status < 400) return
  const about = isRefusal(answer)
    ? { code: answer.code, cause: answer.cause }
    : { upstream_request_id: answer.upstreamRequestId, cause: status >= 500 ? "refused" : undefined }
  const fields = { request_id, operation, status, ...about }
  // A Work whose lists are refused or gone is no failure of the watcher, which reads every such Work again in its turn.
  if (operation !== "listWork" && (status === 403 || status === 404)) log.debug(fields, "a read of the watcher")
  else log.warn(fields, "a read of the watcher")
}

function toUpstreamAnswer(answer: Answer | Refusal, requestId: string): UpstreamAnswer {
  if (isRefusal(answer)) {
    const body = JSON.stringify(toProblem(answer, requestId))
    return { status: answer.status, headers: {}, body, cause: answer.cause }
  }
  const headers: Record<string, string> = {}
  for (let index = 0; index < answer.headers.length; index += 2) {
    headers[(answer.headers[index] ?? "").toLowerCase()] = answer.headers[index + 1] ?? ""
  }
  return { status: answer.status, headers, body: answer.body.toString("utf8") }
}
