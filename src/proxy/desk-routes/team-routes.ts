/** The addresses of `src/waiting/team`: who looks at an item, to whom an item is given, and what a person has set aside. */
import { isRefusal, type Refusal } from "../../contract/refusal.ts"
import type { People, Session } from "../../people/people.ts"
import type { TeamRequests } from "../../waiting/team/team-requests.ts"
import { hasMediaType, readBodyOfPerson } from "../request-body.ts"
import type { RequestContext } from "../request-context.ts"
import { send, sendJson } from "../send.ts"
import type { DeskRoute, DeskRoutes } from "./desk-routes.ts"
import { mediaTypeRefused } from "../../contract/refusals.ts"

export function teamRoutes(team: TeamRequests, people: People): DeskRoutes {
  /** A route with a JSON body. It does not count among the person's requests, because a page sends it without the person's doing. */
  const withBody = (answer: (context: RequestContext, session: Session, body: Buffer) => Promise<void>): DeskRoute => ({
    access: "role",
    isUncounted: true,
    handle: async (context) => {
      if (!hasMediaType(context.request, "application/json")) return send(context, mediaTypeRefused)
      const read = await readBodyOfPerson(context, people)
      return isRefusal(read) ? send(context, read) : answer(context, read.session, read.body)
    },
  })
  return {
    "POST /desk/presence": withBody(async (context, session, body) => {
      answerWith(context, (await team.report(session, body)) ?? {})
    }),
    "PUT /desk/assignment": withBody(async (context, session, body) => {
      const answer = await team.assign(session, body, context.request.headers["if-match"], context.requestId)
      if (isRefusal(answer)) return send(context, answer)
      sendJson(context, answer, ["ETag", answer.assignment?.etag ?? `"none"`])
    }),
    "PUT /desk/aside": withBody(async (context, session, body) =>
      answerWith(context, await team.setAside(session, body)),
    ),
    "GET /desk/people": {
      access: "role",
      handle: async (context, query, session) => answerWith(context, await team.assignees(session, query)),
    },
  }
}

function answerWith(context: RequestContext, value: object | Refusal): void {
  if (isRefusal(value)) send(context, value)
  else sendJson(context, value)
}
