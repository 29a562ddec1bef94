/**
 * START HERE for people: who sends a request, and what the person may do. This is the interface that the proxy calls; `open-people.ts`
 * implements it, with sign-in and for local mode. Nothing in this folder knows an address of the desk or an HTTP server.
 */
import type { Cause } from "../contract/cause.ts"
import type { Person } from "../contract/desk-people.ts"
import type { OperationId } from "../contract/resources.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { Access, Identity } from "./access.ts"
import type { SignInRefusal } from "./provider/provider-errors.ts"

/** A person's session at the time of one request. Local mode has one session, which never ends. */
export type Session = {
  /** The id within the server. It never leaves the server. */
  readonly id: string
  /** With the roles and operations that the access file gives now. */
  readonly person: Person
  /** What the identity provider says about the person. The members of the access file are compared with this. */
  readonly identity: Identity
  /** When the person last proved who they are (`auth_time`), in milliseconds since 1970. Undefined when the provider did not say. */
  readonly authenticatedAt: number | undefined
  /** In milliseconds since 1970; null in local mode. */
  readonly endsAt: number | null
}

export type People = {
  readonly mode: "local" | "sign-in"

  /**
   * Finds who sent a request, by its Cookie header.
   * @returns the session, or the refusal `signedOut` or `storeUnavailable` of contract/refusals.ts
   */
  identify(cookies: string | undefined): Promise<Session | Refusal>

  /** The session as it is known now, with the groups of the person's last sign-in, for a request that is held or streams. Never asks the store. */
  current(session: Session): Session

  /** Says why the person's roles do not allow an operation. Without an operation: why the person may use none. Undefined: allowed. */
  refusalFor(session: Session, operation?: OperationId): Refusal | undefined

  /** The current content of the access file: roles, rules, and whom to ask. */
  access(): Access

  /**
   * Calls `ended` when the session ends: within 1 s when this process ends the session or its time is over, within 5 s when another desk
   * ends the session.
   * @returns a function that removes the listener
   */
  onSessionEnd(session: Session, ended: () => void): () => void

  /** Signing in and out; undefined in local mode. */
  readonly signIn: SignIn | undefined

  /** For the metrics: how many sessions are open, at all desks of the store. Zero in local mode. */
  countSessions(): Promise<number>

  /** Stops the timers, and no file is read again. */
  stop(): void
}

export type SignIn = {
  /**
   * Begins a sign-in. `returnTo` is the address to come back to, as the browser sent it. An address that is no path of the app becomes `/`.
   */
  begin(asked: {
    readonly returnTo: string | undefined
    readonly again: boolean
    /** The Cookie header. Its session ends when the sign-in succeeds. */
    readonly cookies: string | undefined
  }): Promise<SignInBegun | SignInFailed>

  /** Finishes a sign-in that the provider has answered. `query` is the callback's query without `?`, `cookies` its Cookie header. */
  finish(answer: {
    readonly query: string
    readonly cookies: string | undefined
  }): Promise<SignInFinished | SignInFailed>

  /** Moves the idle end of a session, because the person has typed or clicked. Undefined: done. */
  touch(session: Session): Promise<Refusal | undefined>

  /** Ends a session. `location` is the provider's end-session address, if the provider has one. */
  signOut(
    session: Session,
  ): Promise<{ readonly location: string | null; readonly setCookies: readonly string[] } | Refusal>

  /** OpenID Connect Back-Channel Logout 1.0: ends the sessions that a logout token names. Undefined: done. */
  backChannelLogout(logoutToken: string | undefined): Promise<Refusal | undefined>
}

/** The browser goes to the provider (303). */
export type SignInBegun = {
  readonly kind: "begun"
  readonly location: string
  /** Values of Set-Cookie headers. */
  readonly setCookies: readonly string[]
}

/** The browser goes to the address that was asked for (303). */
export type SignInFinished = {
  readonly kind: "finished"
  readonly location: string
  readonly setCookies: readonly string[]
  readonly personId: string
}

/** The browser shows a page that says why, with a link that signs in again and then leads to `returnTo`. */
export type SignInFailed = {
  readonly kind: "failed"
  /**
   * 400: the desk refused the answer or the ID token, or the provider refused the code. 502: no valid answer of the provider. 503: the store
   * is away.
   */
  readonly status: 400 | 502 | 503
  readonly title: string
  /** Sentences for the person who tried to sign in. */
  readonly detail: string
  /** For the log and the metrics. */
  readonly reason: SignInFailure
  /** For the log: the codes of the errors that led to the failure, such as ECONNREFUSED. They hold no value of the provider or the person. */
  readonly codes: string
  /** For the log: why the provider or the store gave no valid answer. Set when the status is 502 or 503. */
  readonly cause: Cause | undefined
  readonly returnTo: string
  readonly setCookies: readonly string[]
}

export type SignInFailure =
  | SignInRefusal
  | "provider_away"
  | "provider_invalid"
  | "state_unknown"
  | "other_browser"
  | "store_unavailable"
