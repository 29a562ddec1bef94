/** The addresses of a person's choice of mail, and the one that a link in a mail leads to. */
import type { Notices } from "../../notices/notice-service.ts"
import type { People } from "../../people/people-interface.ts"
import { escapeHtml, sendPlainPage, sendJson } from "../../../platform/http/send.ts"
import { sendTagged } from "../../../platform/http/tagged.ts"
import type { RequestContext } from "../../../platform/http/request-context.ts"
import { PUBLIC_BODY_MAX_BYTES, readBody } from "../../../platform/http/request-body.ts"
import { withJsonBody } from "../../proxy/person-body.ts"
import type { DeskRoutes } from "./desk-routes.ts"

export function noticeRoutes(notices: Notices, people: People): DeskRoutes {
  return {
    "GET /desk/notices": {
      access: "role",
      cost: "read",
      handle: async (context, _, { person }) => sendTagged(context, await notices.settings(person.id)),
    },
    "PUT /desk/notices": {
      access: "role",
      cost: "desk write",
      handle: withJsonBody(people, async (context, { person }, body) => {
        const { "if-match": ifMatch } = context.request.headers
        sendTagged(context, await notices.choose(person.id, ifMatch, body))
      }),
    },
    "POST /desk/notices/test": {
      access: "role",
      cost: "desk write",
      handle: async (context, _, { person }) => sendJson(context, await notices.sendTest(person.id)),
    },
    "GET /desk/notices/unsubscribe": {
      access: "optional-session",
      cost: "read",
      crossSite: "any",
      handle: (context, query) => unsubscribe(context, query, notices, false),
    },
    // A mail program sends this without a session (RFC 8058), and so may the page that GET shows.
    "POST /desk/notices/unsubscribe": {
      access: "optional-session",
      cost: "desk write",
      crossSite: "any",
      handle: async (context, query) => {
        await readBody(context, PUBLIC_BODY_MAX_BYTES)
        return unsubscribe(context, query, notices, true)
      },
    },
  }
}

/** Shows a page with a button. With `isConfirmed`, switches the mail off instead. GET changes nothing, because mail programs open every link. */
async function unsubscribe(
  context: RequestContext,
  query: string,
  notices: Notices,
  isConfirmed: boolean,
): Promise<void> {
  const tokens = new URLSearchParams(query).getAll("token")
  const [token = ""] = tokens.length === 1 ? tokens : []
  if (!(await notices.unsubscribe(token, isConfirmed))) {
    const content = `<p>This link is incomplete or has expired. You can change your mail settings on the desk's Notices page.</p>`
    return sendPlainPage(context, { status: 400, title: "This link doesn't work", content })
  }
  if (isConfirmed) {
    const content = `<p>This desk no longer sends you mail. You can turn it on again on the <a href="/notices">Notices</a> page.</p>`
    return sendPlainPage(context, { status: 200, title: "Mail is off", content })
  }
  const action = escapeHtml(`/desk/notices/unsubscribe?token=${encodeURIComponent(token)}`)
  const content = `<p>You'll get no more mail from this desk. You can turn it on again on the Notices page.</p>
<form method="post" action="${action}"><button type="submit">Turn off mail</button></form>`
  sendPlainPage(context, { status: 200, title: "Turn off mail?", content })
}
