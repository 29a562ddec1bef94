/** The addresses that are answered from what the watcher has read: what waits, the overview, open Work, and the context of a decision. */
import { hasNoCache } from "../../contract/http-fields.ts"
import { isProblem } from "../../contract/problem.ts"
import { isRefusal, type Refusal } from "../../contract/refusal.ts"
import type { People, Session } from "../../people/people.ts"
import type { DeskRecord } from "../../record/desk-record.ts"
import { signedOut } from "../../people/refusals.ts"
import type { DeskQueries } from "../../overview/desk-queries.ts"
import type { DeskAnswer, Watcher } from "../../waiting/watcher-interface.ts"
import { gzipOnce, readAcceptEncoding } from "../encoding.ts"
import { type RequestContext, whenClosed } from "../request-context.ts"
import { send, sendJson, type Answer } from "../send.ts"
import { apiAnswer } from "../security-headers.ts"
import type { DeskRoutes } from "./desk-routes.ts"

// With hundreds of Works the answer has some hundred kilobytes, and each change is sent to every browser.
const COMPRESSED_FROM_BYTES = 4_096

export function watcherRoutes(queries: DeskQueries, people: People, record: DeskRecord): DeskRoutes {
  return {
    "GET /desk/waiting": {
      access: "role",
      handle: (context, query, session) => serveWaiting(context, query, session, { watcher: queries.watcher, people }),
    },
    "GET /desk/overview": {
      access: "role",
      handle: async (context, query) => sendAnswer(context, await queries.overview(query)),
    },
    "GET /desk/work": {
      access: "role",
      handle: async (context, query) => {
        const isFresh = hasNoCache(context.request.headers["cache-control"])
        sendAnswer(context, await queries.work(query, isFresh))
      },
    },
    "GET /desk/context": {
      access: "role",
      handle: async (context, query, session) => {
        const found = await queries.contexts.find(query)
        if (!("context" in found)) return sendAnswer(context, found)
        const may = found.pending && (await record.mayApprove(session, found.pending))
        sendJson(context, { ...found.context, ...(may !== undefined && { may }) })
      },
    },
  }
}

/** Answers at once or at the next change. Ends with the session. */
function serveWaiting(
  context: RequestContext,
  query: string,
  session: Session,
  { watcher, people }: { watcher: Watcher; people: People },
): void {
  const { "if-none-match": ifNoneMatch, "accept-encoding": accepted } = context.request.headers
  const acceptsGzip = readAcceptEncoding(accepted)("gzip") > 0
  const leave = watcher.waiting({ query, ifNoneMatch }, (answer) => {
    if (isRefusal(answer) || !acceptsGzip || answer.body.length < COMPRESSED_FROM_BYTES) {
      return sendAnswer(context, answer)
    }
    const sendCompressed = (body: Buffer) => {
      const headers = [...answer.headers, "Content-Encoding", "gzip", "Vary", "Accept-Encoding"]
      sendAnswer(context, { ...answer, headers, body })
    }
    gzipOnce(answer.body).then(sendCompressed, () => sendAnswer(context, answer))
  })
  const forgetSession = people.onSessionEnd(session, () => send(context, signedOut))
  whenClosed(context, () => {
    forgetSession()
    leave()
  })
}

function sendAnswer(context: RequestContext, answer: DeskAnswer | Refusal): void {
  send(context, isRefusal(answer) ? answer : toAnswer(answer))
}

function toAnswer({ status, headers, body, cause }: DeskAnswer): Answer {
  const upstreamRequestId = status < 400 ? undefined : requestIdIn(body.toString("utf8"))
  return { status, headers: [...apiAnswer, ...headers], body, cause, upstreamRequestId }
}

/** The `request_id` of a Problem that the watcher passes on. */
function requestIdIn(text: string): string | undefined {
  const problem: unknown = JSON.parse(text)
  return isProblem(problem) ? problem.request_id : undefined
}
