import type { SignedIn } from "../contract/desk.ts"
import { operations } from "../contract/document.ts"
import { type Refusal } from "../contract/refusal.ts"
import { methodRefused, pathUnknown, upstreamUnhealthy } from "./problem.ts"
import type { SharedReads } from "./reads.ts"
import { apiAnswer } from "./security-headers.ts"
import { send, type Answer, type Visit } from "./exchange.ts"

/** What `/desk/session` says of the desk itself. */
export type DeskFacts = Pick<SignedIn, "upstream" | "colleagues" | "version">

/** The session of local mode: one person, who may do everything, and whose session has no end. */
export function localSession(facts: DeskFacts): SignedIn {
  return {
    ...facts,
    mode: "local",
    person: {
      id: "local",
      name: "local",
      roles: ["reader", "answerer", "delegator", "approver"],
      operations: Object.values(operations).map(({ id }) => id),
    },
    contact: null,
    ends_at: null,
  }
}

const FORBIDDEN = 403
const TOO_MANY = 429

/** Answers `/desk/session` and `/desk/health`. */
export function serveDesk(visit: Visit, path: string, query: string, session: SignedIn, reads: SharedReads): void {
  if (path !== "/desk/session" && path !== "/desk/health") return send(visit, pathUnknown)
  visit.route = path
  if (visit.request.method !== "GET") return send(visit, methodRefused("GET"))
  if (path === "/desk/session") return send(visit, plain("application/json", JSON.stringify(session)))
  const asksUpstream = query.split("&").some((pair) => pair.split("=", 1)[0] === "upstream")
  if (!asksUpstream) return send(visit, plain("text/plain; charset=utf-8", "ok"))
  const question = {
    operation: operations.listWork,
    target: "/api/v1/work?limit=1",
    headers: ["accept", "application/json"],
  }
  visit.onClose = reads.read(question, (answer) => {
    send(visit, isAlive(answer) ? plain("text/plain; charset=utf-8", "ok") : upstreamUnhealthy)
  })
}

/** A credential that may not list Work, or not so often, still has a service behind it; one that is refused has none. */
function isAlive(answer: Answer | Refusal): boolean {
  return !("code" in answer) && (answer.status < 300 || answer.status === FORBIDDEN || answer.status === TOO_MANY)
}

function plain(type: string, text: string): Answer {
  return { status: 200, headers: [...apiAnswer, "Content-Type", type], body: Buffer.from(text) }
}
