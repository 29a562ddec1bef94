/**
 * START HERE for people: who asks, and what they may do. The proxy calls these functions; nothing in this folder knows an address of
 * the desk or an HTTP server.
 */
import type { Cause } from "../contract/cause.ts"
import type { Person } from "../contract/desk.ts"
import type { OperationId } from "../contract/resources.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { Access, Identity } from "./access.ts"
import type { SignInRefusal } from "./provider/provider-errors.ts"

/** A person's session, as of one request. In local mode there is one, which never ends. */
export type Session = {
  /** Names the session inside the desk. The id never leaves the server. */
  readonly id: string
  /** Roles and operations are those of the access file as it is now. */
  readonly person: Person
  /** What the identity provider says about the person: what members of the access file are compared with. */
  readonly identity: Identity
  /** When the person last proved who they are (`auth_time`), in milliseconds; undefined where the provider did not say. */
  readonly authenticatedAt: number | undefined
  /** In milliseconds; null in local mode. */
  readonly endsAt: number | null
}

export type People = {
  readonly mode: "local" | "sign-in"

  /**
   * Who sent a request, by its Cookie header.
   * @returns the session, or the refusal `signedOut` or `storeUnavailable` of refusals.ts
   */
  identify(cookies: string | undefined): Promise<Session | Refusal>

  /** Why the person may not use an operation; without an operation, why the person may use nothing at all. */
  refusalFor(session: Session, operation?: OperationId): Refusal | undefined

  /** The access file as it is now: roles, rules, and whom to ask. */
  access(): Access

  /**
   * Calls `ended` when the session ends: within 1 s where this process ends the session or its time is over, within 5 s where another
   * replica ends the session.
   * @returns a function that takes the listener away
   */
  onSessionEnd(session: Session, ended: () => void): () => void

  /** Signing in and out; undefined in local mode. */
  readonly signIn: SignIn | undefined

  stop(): Promise<void>
}

export type SignIn = {
  /** Begins a sign-in. `returnTo` is the address to come back to, as the browser sent it; `/` replaces what is no path of the app. */
  begin(asked: { readonly returnTo: string | undefined; readonly again: boolean }): Promise<SignInBegun | SignInFailed>

  /** Ends a sign-in that the provider has answered. `query` is the callback's query without `?`, `cookies` its Cookie header. */
  finish(answer: {
    readonly query: string
    readonly cookies: string | undefined
  }): Promise<SignInFinished | SignInFailed>

  /** Moves the idle end of a session, because the person has typed or clicked. */
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

/** A page in plain words says why, with a link to sign in again that leads to `returnTo`. */
export type SignInFailed = {
  readonly kind: "failed"
  /** 400: the answer, the code or the ID token was refused. 502: the provider does not answer, or not as the protocol says. 503: the store is away. */
  readonly status: 400 | 502 | 503
  readonly title: string
  /** Sentences for the person who tried to sign in. */
  readonly detail: string
  /** For logs and metrics. */
  readonly reason: SignInFailure
  /** For logs: the codes of the errors that led to the failure, such as ECONNREFUSED. Without any value of the provider or the person. */
  readonly codes: string
  /** For logs: why the provider or the store gave no valid answer, where the status is 502 or 503. */
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
