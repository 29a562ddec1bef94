/** The addresses of the devices to which a person's browsers take push messages. Only a desk with push has them. */
import type { PushRequests } from "../../notices/channels/push-devices.ts"
import type { People } from "../../people/people-interface.ts"
import type { SignIn } from "../../people/sign-in.ts"
import { withJsonBody } from "../../proxy/person-body.ts"
import { noContent, send, sendJson } from "../../../platform/http/send.ts"
import type { DeskRoutes } from "./desk-routes.ts"

export function pushRoutes(push: PushRequests, people: People, signIn: SignIn): DeskRoutes {
  return {
    "GET /desk/push": {
      access: "role",
      cost: "read",
      handle: async (context, _, { person }) => sendJson(context, await push.settings(person.id)),
    },
    "POST /desk/push": {
      access: "role",
      cost: "desk write",
      handle: withJsonBody(people, async (context, { id: sessionId, person }, body) => {
        const browser = signIn.nameBrowser(context.request.headers.cookie)
        const owner = { personId: person.id, sessionId, browserId: browser.id }
        const { device, isNew } = await push.add(owner, body)
        if (!context.response.headersSent) context.response.setHeader("Set-Cookie", browser.setCookies)
        sendJson(context, device, {}, isNew ? 201 : 200)
      }),
    },
    "DELETE /desk/push/{id}": {
      access: "role",
      cost: "desk write",
      handle: async (context, _, { person }, [id = ""]) => {
        await push.remove(person.id, id)
        send(context, noContent)
      },
    },
    "POST /desk/push/{id}/test": {
      access: "role",
      cost: "desk write",
      handle: async (context, _, { person }, [id = ""]) => sendJson(context, await push.test(person.id, id)),
    },
  }
}
