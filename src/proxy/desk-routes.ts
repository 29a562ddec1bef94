/**
 * Every address below `/desk`: method, who may use it, and what answers it. The router refuses every other address and method, so an
 * address is closed until it stands here. openapi.yaml lists the 13 operations below `/api`; each needs a role that has it.
 */
import type { People, Session } from "../people/people.ts"
import type { DeskRecord } from "../people/record/interface.ts"
import type { Database } from "../people/store/database.ts"
import type { Watcher } from "../waiting/interface.ts"
import { serveSession, type DeskDescription } from "./desk-session.ts"
import type { RequestContext } from "./request-context.ts"
import { asksUpstream, serveHealth, serveReady } from "./health.ts"
import type { SharedReads } from "./reads.ts"
import { signInRoutes } from "./sign-in-routes.ts"
import { storedRoutes } from "./store-routes.ts"
import { waitingRoutes } from "./watcher-routes.ts"

type Method = "GET" | "POST" | "PUT"

export type DeskRoute =
  | {
      readonly access: "public"
      /** Whether a request with this query is served for any `Host`: a probe may use any address of the machine. */
      readonly servesAnyHost?: (query: string) => boolean
      /** The identity provider's pages lead here. Everything else refuses requests that another site caused. */
      readonly crossSiteNavigation?: true
      readonly handle: (context: RequestContext, query: string) => void | Promise<void>
    }
  | {
      /** `session`: everybody who signed in. `role`: everybody who has a role; each role may read. */
      readonly access: "session" | "role"
      readonly handle: (context: RequestContext, query: string, session: Session) => void | Promise<void>
    }

export type DeskRoutes = { readonly [address: `${Method} /desk/${string}`]: DeskRoute }

/** What the addresses below `/desk` need to answer. */
export type DeskParts = {
  readonly people: People
  readonly record: DeskRecord
  readonly database: Database
  readonly watcher: Watcher
  readonly description: DeskDescription
  readonly reads: SharedReads
  readonly isDraining: () => boolean
  /** Told how each sign-in ended. */
  readonly countSignIn: (result: string) => void
}

export function deskRoutes({
  people,
  record,
  database,
  watcher,
  description,
  reads,
  isDraining,
  countSignIn,
}: DeskParts): DeskRoutes {
  return {
    "GET /desk/health": {
      access: "public",
      servesAnyHost: (query) => !asksUpstream(query),
      handle: (context, query) => serveHealth(context, query, reads),
    },
    "GET /desk/ready": {
      access: "public",
      servesAnyHost: () => true,
      handle: (context) => serveReady(context, isDraining()),
    },
    "GET /desk/session": { access: "public", handle: (context) => serveSession(context, people, description) },
    ...waitingRoutes(watcher, people, record),
    ...storedRoutes(record, database),
    ...(people.signIn === undefined ? {} : signInRoutes(people.signIn, countSignIn)),
  }
}
