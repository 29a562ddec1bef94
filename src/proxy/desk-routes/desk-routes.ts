/**
 * The table of all addresses below `/desk`: the method, who may use the address, and the function that answers. `deskRoutes` joins the entries
 * below with those of watcher-routes.ts, store-routes.ts and sign-in-routes.ts. The router refuses every other address and method, so an address
 * is closed until the table has it. (The 13 operations below `/api` come from openapi.yaml.)
 */
import type { People, Session } from "../../people/people.ts"
import type { DeskRecord } from "../../record/desk-record.ts"
import type { Database } from "../../store/database.ts"
import type { DeskQueries } from "../../overview/desk-queries.ts"
import type { RequestContext } from "../request-context.ts"
import type { SharedReads } from "../reads.ts"
import { serveSession, type DeskDescription } from "./desk-session.ts"
import { asksUpstream, serveHealth, serveReady } from "./health.ts"
import { signInRoutes } from "./sign-in-routes.ts"
import { storeRoutes } from "./store-routes.ts"
import { watcherRoutes } from "./watcher-routes.ts"

type Method = "GET" | "POST" | "PUT"

export type DeskRoute =
  | {
      readonly access: "public"
      /** Whether a request with this query is served for any `Host`, because a probe may use any address of the machine. */
      readonly servesAnyHost?: (query: string) => boolean
      /** Set where the identity provider's pages lead. Every other address refuses a request that another site caused. */
      readonly crossSiteNavigation?: true
      readonly handle: (context: RequestContext, query: string) => void | Promise<void>
    }
  | {
      /** `session`: for everybody who is signed in. `role`: for everybody who has any role, because each role may read. */
      readonly access: "session" | "role"
      readonly handle: (context: RequestContext, query: string, session: Session) => void | Promise<void>
    }

export type DeskRoutes = { readonly [address: `${Method} /desk/${string}`]: DeskRoute }

/** What the functions that answer need. */
export type DeskParts = {
  readonly people: People
  readonly record: DeskRecord
  readonly database: Database
  readonly queries: DeskQueries
  readonly description: DeskDescription
  readonly reads: SharedReads
  readonly isDraining: () => boolean
  /** Called with the result of each sign-in. */
  readonly countSignIn: (result: string) => void
}

/** The table for a desk with these parts. Only a desk with sign-in has the addresses of sign-in-routes.ts. */
export function deskRoutes({
  people,
  record,
  database,
  queries,
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
    ...watcherRoutes(queries, people, record),
    ...storeRoutes(people, record, database),
    ...(people.signIn === undefined ? {} : signInRoutes(people.signIn, countSignIn)),
  }
}
