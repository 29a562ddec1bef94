/**
 * The table of all addresses below `/desk`: the method, who may use the address, and the function that answers. `deskRoutes` joins the files of
 * this folder. The router refuses every other address and method, so an address is closed until the table has it.
 */
import type { DeskSession } from "../../../contract/desk-people.ts"
import { draining, isRefusal, type Refusal } from "../../../platform/http/refusals.ts"
import type { People, Session } from "../../people/people-interface.ts"
import { isOverseer, teamsOf } from "../../people/visibility.ts"
import type { DeskRecord } from "../../record/desk-record.ts"
import type { Notices } from "../../notices/notice-service.ts"
import type { Database } from "../../store/database.ts"
import type { DeskQueries } from "../../insight/desk-queries.ts"
import type { SeenWork } from "../../insight/seen-work.ts"
import type { RequestContext } from "../../../platform/http/request-context.ts"
import { Refused, send, sendJson } from "../../../platform/http/send.ts"
import type { Forwarder } from "../../proxy/forward.ts"
import type { LastAnswer } from "../../proxy/upstream.ts"
import type { ClientCost, PersonCost } from "../request-cost.ts"
import { ok, readyAnswer, UPSTREAM_HEALTH, upstreamHealth } from "./health.ts"
import { noticeRoutes } from "./notice-routes.ts"
import { pushRoutes } from "./push-routes.ts"
import { signInRoutes } from "./sign-in-routes.ts"
import { storeRoutes } from "./store-routes.ts"
import { claimRoutes } from "./claim-routes.ts"
import { freezeRoutes } from "./freeze-routes.ts"
import { seenRoutes } from "./seen-routes.ts"
import { watcherRoutes } from "./watcher-routes.ts"

type Method = "GET" | "POST" | "PUT" | "DELETE"

type Handled = void | Promise<void>

export type DeskRoute =
  | {
      /** For everybody. The desk does not look for a session. */
      readonly access: "no-session"
      readonly cost: ClientCost
      /** Whether a request is served for any `Host`, because a probe may use any address of the machine. */
      readonly servesAnyHost?: true
      readonly handle: (context: RequestContext) => Handled
    }
  | {
      /** For everybody. `handle` gets the session or the refusal. */
      readonly access: "optional-session"
      /** For a person. A request without a session is charged to its client. */
      readonly cost: PersonCost
      /** What another site may cause: `navigation` where the identity provider's pages lead, `any` where mail programs lead. Left out: nothing. */
      readonly crossSite?: "navigation" | "any"
      readonly handle: (context: RequestContext, query: string, session: Session | Refusal) => Handled
    }
  | {
      /** `session`: for everybody who is signed in. `role`: for everybody who has any role, because each role may read. */
      readonly access: "session" | "role"
      readonly cost: PersonCost
      /** `ids` are the decoded segments of an address with braces. */
      readonly handle: (context: RequestContext, query: string, session: Session, ids: readonly string[]) => Handled
    }

export type DeskRoutes = { readonly [address: `${Method} /desk/${string}`]: DeskRoute }

export type DeskParts = {
  readonly people: People
  readonly record: DeskRecord
  readonly database: Database
  readonly queries: DeskQueries
  readonly seenWork: SeenWork
  readonly forwarder: Forwarder
  readonly notices: Notices
  readonly description: DeskDescription
  /** Until a client is cut off that reads nothing of an export, in milliseconds. */
  readonly stalledMs: number
  readonly isDraining: () => boolean
  /** How the last request to the service ended. */
  readonly lastAnswer: () => LastAnswer
  readonly countSignIn: (result: string) => void
}

/** The table for a desk with these parts. Only a desk with sign-in has the addresses of sign-in-routes.ts. */
export function deskRoutes(parts: DeskParts): DeskRoutes {
  const { people, queries, forwarder, description, notices } = parts
  const { signIn } = people
  return {
    "GET /desk/health": {
      access: "no-session",
      cost: forProbes,
      servesAnyHost: true,
      handle: (context) => send(context, ok),
    },
    [`GET ${UPSTREAM_HEALTH}`]: {
      access: "session",
      cost: "upstream reads",
      handle: upstreamHealth(forwarder.reads),
    },
    "GET /desk/ready": {
      access: "no-session",
      cost: forProbes,
      servesAnyHost: true,
      // A balancer sends no new requests while the answer is 503.
      handle: (context) => send(context, parts.isDraining() ? draining : readyAnswer(parts.lastAnswer())),
    },
    "GET /desk/session": {
      access: "optional-session",
      cost: { free: "even above the limit, a page must know who is signed in" },
      handle: (context, _, session) => sendJson(context, describeSession(session, people, description)),
    },
    ...watcherRoutes(parts),
    ...noticeRoutes(notices, people),
    ...(notices.push === undefined || signIn === undefined ? {} : pushRoutes(notices.push, people, signIn)),
    ...storeRoutes(parts),
    ...freezeRoutes(parts),
    ...seenRoutes(parts),
    ...(queries.claimRequests && queries.absenceRequests
      ? claimRoutes(queries.claimRequests, queries.absenceRequests, people)
      : {}),
    ...(signIn === undefined ? {} : signInRoutes(signIn, parts.countSignIn)),
  }
}

const forProbes = { free: "a probe reads neither the store nor the upstream" }

export type DeskDescription = Pick<
  Extract<DeskSession, { readonly upstream: string }>,
  "upstream" | "colleagues" | "version" | "build" | "sends_mail"
>

const SIGNED_OUT = 401

/** The answer of `/desk/session`: who is signed in, and what the app needs to know about the desk. @throws Refused */
function describeSession(session: Session | Refusal, people: People, desk: DeskDescription): DeskSession {
  if (isRefusal(session)) {
    if (session.status !== SIGNED_OUT) throw new Refused(session)
    return { mode: "sign-in", person: null, version: desk.version }
  }
  const { person, identity, endsAt } = session
  const access = people.access()
  return {
    ...desk,
    mode: people.mode,
    person,
    contact: access.contact,
    ...(session.roleRequest !== undefined && { role_request: session.roleRequest }),
    ends_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    teams: teamsOf(identity, access),
    ...(people.mode === "sign-in" && isOverseer(session, people) && { is_overseer: true }),
    has_overseers: access.visibility?.overseers !== undefined && access.visibility.overseers.length > 0,
  }
}
