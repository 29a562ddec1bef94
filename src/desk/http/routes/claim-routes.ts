/** The addresses of `src/desk/inbox`: who looks at an item, to whom an item is given, and what a person has set aside. */
import type { People } from "../../people/people-interface.ts"
import type { AbsenceRequests, AbsenceAnswer } from "../../inbox/absence-requests.ts"
import type { ClaimRequests } from "../../inbox/claim-requests.ts"
import { withJsonBody } from "../../proxy/person-body.ts"
import type { RequestContext } from "../../../platform/http/request-context.ts"
import { jsonAnswer, send, sendJson } from "../../../platform/http/send.ts"
import { sendTagged } from "../../../platform/http/tagged.ts"
import type { PersonCost } from "../request-cost.ts"
import type { DeskRoute, DeskRoutes } from "./desk-routes.ts"

export function claimRoutes(claims: ClaimRequests, away: AbsenceRequests, people: People): DeskRoutes {
  const withBody = (cost: PersonCost, handle: Parameters<typeof withJsonBody>[1]): DeskRoute => ({
    access: "role",
    cost,
    handle: withJsonBody(people, handle),
  })
  return {
    "POST /desk/presence": withBody("presence", async (context, session, body) => {
      await claims.report(session, body)
      sendJson(context, {})
    }),
    "PUT /desk/assignment": withBody("desk write", async (context, session, body) => {
      const answer = await claims.assign(session, body, context.request.headers["if-match"], context.requestId)
      sendJson(context, answer, { ETag: answer.assignment?.etag ?? `"none"` })
    }),
    "PUT /desk/aside": withBody("desk write", async (context, session, body) =>
      sendJson(context, await claims.setAside(session, body)),
    ),
    "GET /desk/away": {
      access: "role",
      cost: "read",
      handle: async (context, query, session) => sendAway(context, await away.read(session, query)),
    },
    "PUT /desk/away": withBody("desk write", async (context, session, body, query) => {
      const { "if-match": ifMatch } = context.request.headers
      sendAway(context, await away.change(session, query, body, ifMatch, context.requestId))
    }),
    "GET /desk/people": {
      access: "role",
      cost: "read",
      handle: async (context, query, session) => {
        // Two lists: with an item, to whom it may be handed; without a query, who may stand in for somebody.
        const isOfItem = new URLSearchParams(query).size > 0
        sendJson(context, isOfItem ? await claims.assignees(session, query) : await away.possibleStandIns())
      },
    },
  }
}

function sendAway(context: RequestContext, { away, etag }: AbsenceAnswer): void {
  if (away === null) send(context, jsonAnswer("null", { ETag: etag }))
  else sendTagged(context, { document: away, etag })
}
