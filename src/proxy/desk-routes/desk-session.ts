import type { DeskSession } from "../../contract/desk-people.ts"
import { isRefusal, type Refusal } from "../../contract/refusal.ts"
import type { People, Session } from "../../people/people.ts"
import { teamsOf } from "../../people/visibility.ts"
import type { RequestContext } from "../request-context.ts"
import { send, sendJson } from "../send.ts"

/** What `/desk/session` tells everybody who is signed in about this desk. */
export type DeskDescription = Pick<
  Extract<DeskSession, { readonly upstream: string }>,
  "upstream" | "colleagues" | "version" | "build" | "sends_mail"
>

const SIGNED_OUT = 401

/** Answers `/desk/session`: who is signed in, and what the app needs to know about the desk. */
export function serveSession(
  context: RequestContext,
  session: Session | Refusal,
  people: People,
  desk: DeskDescription,
): void {
  if (isRefusal(session) && session.status !== SIGNED_OUT) return send(context, session)
  sendJson(context, describeSession(session, people, desk))
}

function describeSession(session: Session | Refusal, people: People, desk: DeskDescription): DeskSession {
  if (isRefusal(session)) return { mode: "sign-in", person: null, version: desk.version }
  const { person, identity, endsAt } = session
  const access = people.access()
  return {
    ...desk,
    mode: people.mode,
    person,
    contact: access.contact,
    ends_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    teams: teamsOf(identity, access),
    has_overseers: access.visibility?.overseers !== undefined && access.visibility.overseers.length > 0,
  }
}
