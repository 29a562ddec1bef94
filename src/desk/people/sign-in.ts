/** Signing in and out: the desk begins, the browser goes to the provider and comes back, and the desk finishes. */
import { Refused } from "../../platform/http/send.ts"
import { logoutTokenRefused, providerUnavailable } from "./people-refusals.ts"
import { signedOut } from "../../platform/http/refusals.ts"
import type { Database } from "../store/database.ts"
import { type Cookies, hashSecret, isSecret, newSecret, readCookie } from "./cookies.ts"
import { hasAllClaims, type ReadIdentity, readIdentity } from "./identity.ts"
import {
  openPendingSignIn,
  PENDING_SECONDS,
  type PendingSignIn,
  storePendingSignIn,
  consumePendingSignIn,
} from "./pending-sign-in.ts"
import type { Session } from "./people-interface.ts"
import type { Challenge } from "./provider/exchange-code.ts"
import { readLogoutToken } from "./provider/logout-token.ts"
import { providerErrorIn, SignInRefusedError } from "./provider/provider-errors.ts"
import type { Provider } from "./provider/provider.ts"
import type { NewSession, Sessions } from "./sessions.ts"
import type { SignInConfiguration } from "./sign-in-configuration.ts"
import { type Access, rolesOf } from "./access-file.ts"
import { formatRoleRequest } from "./role-request.ts"
import { causeOfFailure, reasonOf, type SignInFailed, signInFailed } from "./sign-in-failures.ts"

export type SignInParts = {
  readonly configuration: Pick<SignInConfiguration, "clientId" | "publicUrl" | "groupsClaim">
  readonly provider: Provider
  readonly database: Database
  readonly sessions: Sessions
  readonly cookies: Cookies
  /** The address that the provider sends the browser back to. */
  readonly callback: URL
  readonly access: () => Access
}

/** Where the browser goes (303). `setCookies` are values of Set-Cookie headers. */
type Redirect = { readonly location: string; readonly setCookies: readonly string[] }
export type SignInBegun = Redirect & { readonly kind: "begun" }
export type SignInFinished = Redirect & {
  readonly kind: "finished"
  readonly personId: string
  /** For the log: why a claim of the provider was not used, and what a person without a role sends to the operator. */
  readonly warning: string | undefined
}

/** A longer address to come back to becomes `/`. */
const RETURN_MAX_CHARACTERS = 4_096
// Only a base to parse a path with: nothing is sent there.
const PARSING_BASE = "http://desk.invalid"

export class SignIn {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  /** Begins a sign-in that returns to `returnTo`, as the browser sent it. When it succeeds, the session of the header `cookies` ends. */
  async begin(asked: {
    readonly returnTo: string | undefined
    readonly again: boolean
    readonly cookies: string | undefined
  }): Promise<SignInBegun | SignInFailed> {
    const { provider, database, cookies, callback } = this.#parts
    const returnTo = returnAddress(asked.returnTo)
    const older = readCookie(asked.cookies, cookies.session)
    try {
      const [state, nonce, verifier, secret] = [newSecret(), newSecret(), newSecret(), newSecret()]
      const id = hashSecret(state)
      const pending: PendingSignIn = {
        nonce,
        verifier,
        again: asked.again,
        beganAt: Date.now(),
        returnTo,
        // The browser does not send the session's Strict cookie with the provider's redirect back.
        ...(older === undefined ? {} : { olderId: hashSecret(older) }),
      }
      const location = await provider.authorizationUrl({ state, ...pending }, callback.href)
      await storePendingSignIn(database, id, secret, pending)
      return { kind: "begun", location: location.href, setCookies: [cookies.setSignIn(id, secret, PENDING_SECONDS)] }
    } catch (error) {
      return signInFailed(reasonOf(error), { returnTo, error })
    }
  }

  /** Finishes a sign-in with a new session, or says why not. `query` is the callback's without `?`. Only a success ends the session of `cookies`. */
  async finish(answer: {
    readonly query: string
    readonly cookies: string | undefined
  }): Promise<SignInFinished | SignInFailed> {
    const { database, sessions, cookies } = this.#parts
    let returnTo = "/"
    let setCookies: readonly string[] = []
    try {
      const [state = "", ...more] = new URLSearchParams(answer.query).getAll("state")
      if (more.length > 0 || !isSecret(state)) return signInFailed("state_unknown", {})
      const id = hashSecret(state)
      const opened = await openPendingSignIn(database, id, readCookie(answer.cookies, cookies.signIn(id)))
      if (opened === undefined) return signInFailed("state_unknown", {})
      returnTo = opened.returnTo
      setCookies = [cookies.clearSignIn(id)]
      if (!(await consumePendingSignIn(database, id))) return signInFailed("state_unknown", { returnTo, setCookies })

      const { warning, ...signedIn } = await this.#askProvider(answer.query, { state, ...opened })
      // When the provider is on the desk's own site, the browser sends the Strict cookie too. Another tab may have changed the cookie.
      const present = readCookie(answer.cookies, cookies.session)
      const older = [opened.olderId, present && hashSecret(present)].filter((id) => id !== undefined)
      const browser = readCookie(answer.cookies, cookies.push)
      const { value, personId } = await sessions.begin(signedIn, older, browser && hashSecret(browser))
      return {
        kind: "finished",
        location: returnTo,
        setCookies: [cookies.setSession(value), ...setCookies],
        personId,
        warning: this.#warningOf(signedIn, warning),
      }
    } catch (error) {
      return signInFailed(reasonOf(error), { returnTo, setCookies, error })
    }
  }

  /** Moves the idle end of a session (`Sessions.touch`). @throws Refused @throws StoreUnavailableError */
  async touch({ id }: Session): Promise<void> {
    if (!(await this.#parts.sessions.touch(id))) throw new Refused(signedOut)
  }

  /** Names the browser beyond its session. @returns the id, and the Set-Cookie headers of a browser that had none */
  nameBrowser(cookieHeader: string | undefined): { readonly id: string; readonly setCookies: readonly string[] } {
    const { cookies } = this.#parts
    const present = readCookie(cookieHeader, cookies.push)
    const value = present ?? newSecret()
    return { id: hashSecret(value), setCookies: present === undefined ? [cookies.setPush(value)] : [] }
  }

  /** Ends a session. `location` is the provider's end-session address, if the provider has one. @throws StoreUnavailableError */
  async signOut({ id }: Session): Promise<Pick<Redirect, "setCookies"> & { readonly location: string | null }> {
    const { provider, sessions, cookies, configuration } = this.#parts
    await sessions.end(id)
    const location = provider.endSessionUrl(new URL("/", configuration.publicUrl).href)?.href ?? null
    return { location, setCookies: [cookies.clearSession()] }
  }

  /** Ends the sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0). @throws Refused @throws StoreUnavailableError */
  async backChannelLogout(token: string | undefined): Promise<void> {
    const { provider, configuration, sessions } = this.#parts
    const reading = token === undefined ? undefined : readLogoutToken(provider, configuration.clientId, token)
    const read = await reading?.catch((error: unknown) => {
      throw providerErrorIn(error) === undefined ? error : new Refused(providerUnavailable(causeOfFailure(error)))
    })
    if (read === undefined || !(await sessions.endByProvider(read))) throw new Refused(logoutTokenRefused)
  }

  #warningOf(signedIn: NewSession, warning: string | undefined): string | undefined {
    const { access, configuration } = this.#parts
    const hasRole = rolesOf(access(), signedIn.identity).length > 0
    const request = hasRole ? undefined : `no role: ${formatRoleRequest(signedIn, configuration.groupsClaim)}`
    return [request, warning].filter((sentence) => sentence !== undefined).join("; ") || undefined
  }

  async #askProvider(query: string, challenge: Challenge): Promise<NewSession & Pick<ReadIdentity, "warning">> {
    const { provider, callback, configuration } = this.#parts
    const { groupsClaim } = configuration
    const answer = new URL(callback)
    answer.search = query
    const claims = await provider.finish(answer, challenge, (idToken) => hasAllClaims(idToken, groupsClaim))
    const { sid, auth_time } = claims.idToken
    if (sid !== undefined && typeof sid !== "string") throw new SignInRefusedError("refused")
    return {
      ...readIdentity(claims, groupsClaim),
      sid,
      authTime: auth_time === undefined ? undefined : Math.floor(auth_time),
    }
  }
}

/** The address after a sign-in: a path of the app, or `/` for the desk's own addresses and for all that a browser could take for another host. */
function returnAddress(asked: string | undefined): string {
  if (asked === undefined || asked.length > RETURN_MAX_CHARACTERS || !IS_PATH.test(asked)) return "/"
  const { pathname, search, hash } = new URL(asked, PARSING_BASE)
  // The URL has no dot segments any more: `/.//host` has become `//host`, and `/x/../desk` has become `/desk`.
  const isOtherHost = pathname.startsWith("//")
  const isDesksOwn = /^\/(?:api|desk)(?:\/|$)/.test(pathname)
  return isOtherHost || isDesksOwn ? "/" : pathname + search + hash
}

/**
 * A path, as `/work/1`. Refused are the addresses that a browser takes for another host: `https://host`, `//host`, `/\host`, and `/<tab>/host`,
 * because a browser reads `\` as `/` and leaves out tabs and line breaks.
 */
const IS_PATH = /^\/(?!\/)[^\\\p{Cc}]*$/u
