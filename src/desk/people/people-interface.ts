/**
 * START HERE for people: who sends a request, and what the person may do. This is the interface that the proxy calls; `open-people.ts`
 * implements it, with sign-in and for local mode. Nothing in this folder knows an address of the desk or an HTTP server.
 */
import type { Person } from "../../contract/desk-people.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { Refusal } from "../../platform/http/refusals.ts"
import type { Access, Identity } from "./access-file.ts"
import type { SignIn } from "./sign-in.ts"
import type { Reader } from "../store/database.ts"

/** A person's session at the time of one request. Local mode has one session, which never ends. */
export type Session = {
  /** The id within the server. It never leaves the server. */
  readonly id: string
  /** With the roles and operations that the access file gives now. */
  readonly person: Person
  /** What the identity provider says about the person. The members of the access file are compared with this. */
  readonly identity: Identity
  /** What a person without any role sends to the operator. Undefined for a person with a role. */
  readonly roleRequest?: string | undefined
  /** When the person last proved who they are (`auth_time`), in milliseconds since 1970. Undefined when the provider did not say. */
  readonly authenticatedAt: number | undefined
  /** In milliseconds since 1970; null in local mode. */
  readonly endsAt: number | null
}

export type People = {
  readonly mode: "local" | "sign-in"

  /** OIDC_ISSUER. Undefined in local mode. */
  readonly issuer: string | undefined

  /** The id of the session that a Cookie header names, whether or not there is one. Undefined without a cookie of that form, and in local mode. */
  sessionIdIn(cookies: string | undefined): string | undefined

  /** Finds a session by its id. The refusal is `signedOut` for nobody, or `storeUnavailable`. */
  findSession(sessionId: string | undefined): Promise<Session | Refusal>

  /** Finds who sent a request, by its Cookie header, as `findSession` does. */
  identify(cookies: string | undefined): Promise<Session | Refusal>

  /** The session as it is known now, with the groups of the person's last sign-in, for a request that is held or streams. Never asks the store. */
  current(session: Session): Session

  /**
   * Checks with the store that the session has not ended and has the role now, as `checkRole` does.
   * @returns the session as it is stored now @throws Refused @throws StoreUnavailableError
   */
  checkStored(store: Reader, session: Session, operation?: OperationId): Promise<Session>

  /** Checks that the person's roles allow an operation. Without an operation: that they allow any. @throws Refused */
  checkRole(session: Session, operation?: OperationId): void

  /** The current content of the access file: roles, rules, and whom to ask. */
  access(): Access

  /** Calls `ended` when the session ends (`sessions.ts` says how soon). @returns a function that removes the listener */
  onSessionEnd(session: Session, ended: () => void): () => void

  /** Signing in and out; undefined in local mode. */
  readonly signIn: SignIn | undefined

  /** For the metrics: how many sessions are open, at all desks of the store. Zero in local mode. */
  countSessions(): Promise<number>

  /** Stops the timers of the sessions. The caller of `openPeople` stops the `RereadFiles` that read the access file. */
  stop(): void
}
