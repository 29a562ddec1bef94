/** The addresses of a freeze (`docs/team.md`, "Freeze"). */
import * as v from "valibot"
import { type FreezeAnswer, type Freezes, FREEZE_REASON_MAX } from "../../../contract/desk-work.ts"
import { isSameText } from "../../../contract/same-text.ts"
import { parseObject } from "../../../platform/http/json-object.ts"
import { readQuery } from "../../../platform/http/query-parameters.ts"
import { bodyInvalid, notFound } from "../../../platform/http/refusals.ts"
import { noContent, Refused, send, sendJson } from "../../../platform/http/send.ts"
import type { People, Session } from "../../people/people-interface.ts"
import { overseersOnly } from "../../people/people-refusals.ts"
import { isOverseer } from "../../people/visibility.ts"
import { withJsonBody } from "../../proxy/person-body.ts"
import { freezeReason, isKnownColleague } from "../../record/freezes.ts"
import type { WatchedWork } from "../../watcher/watched-work.ts"
import type { Watcher } from "../../watcher/watcher.ts"
import type { Reader } from "../../store/database.ts"
import type { DeskParts, DeskRoutes } from "./desk-routes.ts"

const colleague = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000))
const freezeChange = v.strictObject({ colleague: v.nullable(colleague), reason: freezeReason })
const parameters = v.object({ colleague: v.optional(colleague) })

const freezeInvalid = {
  ...bodyInvalid,
  detail: `The body must be {colleague, reason}: an id, or null for the whole desk, and 1 to ${FREEZE_REASON_MAX} characters.`,
}

export function freezeRoutes({ people, record: { freezes }, database, forwarder }: DeskParts): DeskRoutes {
  const { watcher } = forwarder.visibility.parts
  const readAll = async (): Promise<Freezes> => ({ freezes: await freezes.read() })
  return {
    "GET /desk/freeze": {
      access: "role",
      cost: "read",
      handle: async (context) => sendJson(context, await readAll()),
    },
    "PUT /desk/freeze": {
      access: "role",
      cost: forSafety,
      handle: withJsonBody(people, async (context, session, body) => {
        checkOverseer(session, people)
        const change = v.safeParse(freezeChange, parseObject(body.toString("utf8")))
        if (!change.success) throw new Refused(freezeInvalid)
        await freezes.freeze(session.person, change.output, context.requestId)
        const isUnknown = await isUnknownColleague(change.output.colleague, database, watcher)
        sendJson(context, {
          ...(await readAll()),
          ...(isUnknown && { unknown_colleague: true }),
        } satisfies FreezeAnswer)
      }),
    },
    "DELETE /desk/freeze": {
      access: "role",
      cost: forSafety,
      handle: async (context, query, session) => {
        checkOverseer(session, people)
        const { colleague: frozen = null } = readQuery(parameters, query)
        if (!(await freezes.unfreeze(session.person, frozen, context.requestId))) throw new Refused(nothingFrozen)
        send(context, noContent)
      },
    },
  }
}

/** Whether the desk knows every Work, and none has this colleague. The freeze is already stored, so this may wait for the list. */
async function isUnknownColleague(id: string | null, store: Reader, watcher: Watcher): Promise<boolean> {
  if (id === null || (await isKnownColleague(store, id).catch(() => true))) return false
  const { state } = await watcher.readList({ isFresh: false })
  const isWhole = state.knownWhole().level === "whole" && state.unwatched + state.unnamed === 0
  const hasColleague = ({ work, approvals }: WatchedWork) =>
    work.isUnread || [work, ...approvals].some(({ colleague: each }) => isSameText(each, id))
  return isWhole && !state.works.values().some(hasColleague)
}

const forSafety = { free: "freezing and ending a freeze must always be possible" }

const nothingFrozen = { ...notFound, detail: "There is no such freeze." }

function checkOverseer(session: Session, people: People): void {
  if (!isOverseer(session, people)) throw new Refused(overseersOnly(people.access().contact))
}
