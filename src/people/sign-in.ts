/** One sign-in: the desk begins, the browser goes to the provider and comes back, and the desk finishes. */
import { type Cookies, hashSecret, isSecret, newSecret, readSecret } from "./cookies.ts"
import { hasAllClaims, readIdentity } from "./identity.ts"
import type { SignIn, SignInBegun, SignInFailed, SignInFinished } from "./people.ts"
import type { Challenge } from "./provider/exchange.ts"
import { SignInRefusedError } from "./provider/provider-errors.ts"
import type { Provider } from "./provider/provider.ts"
import type { NewSession } from "./session-store.ts"
import type { Sessions } from "./sessions.ts"
import { failureOf, signInFailed } from "./sign-in-failures.ts"
import type { Database } from "../store/database.ts"
import {
  storePendingSignIn,
  openPendingSignIn,
  takePendingSignIn,
  PENDING_SECONDS,
  type PendingSignIn,
} from "./pending-sign-in.ts"

export type SignInParts = {
  readonly provider: Provider
  readonly database: Database
  readonly sessions: Sessions
  readonly cookies: Cookies
  /** The address that the provider sends the browser back to. */
  readonly callback: URL
  readonly groupsClaim: string
}

/** A longer address to come back to becomes `/`. */
const RETURN_MAX_CHARACTERS = 4_096
// Only a base to parse a path with: nothing is sent there.
const PARSING_BASE = "http://desk.invalid"

/** Begins a sign-in. Gives the address of the provider, or says why the sign-in cannot begin. */
export async function beginSignIn(
  { provider, database, cookies, callback }: SignInParts,
  asked: Parameters<SignIn["begin"]>[0],
): Promise<SignInBegun | SignInFailed> {
  const returnTo = returnAddress(asked.returnTo)
  const older = readSecret(asked.cookies, cookies.session)
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
    return {
      kind: "begun",
      location: location.href,
      setCookies: [cookies.setSignIn(id, secret, PENDING_SECONDS)],
    }
  } catch (error) {
    return signInFailed(failureOf(error), { returnTo, error })
  }
}

/** Finishes a sign-in with a new session, or says why not. Only a success ends the browser's older session. */
export async function finishSignIn(
  parts: SignInParts,
  { query, cookies: header }: { readonly query: string; readonly cookies: string | undefined },
): Promise<SignInFinished | SignInFailed> {
  const { database, sessions, cookies } = parts
  let returnTo = "/"
  let setCookies: readonly string[] = []
  try {
    const [state = "", ...more] = new URLSearchParams(query).getAll("state")
    if (more.length > 0 || !isSecret(state)) return signInFailed("state_unknown", {})
    const id = hashSecret(state)
    const opened = await openPendingSignIn(database, id, readSecret(header, cookies.signIn(id)))
    if (opened === "unknown") return signInFailed("state_unknown", {})
    if (opened === "other browser") return signInFailed("other_browser", {})
    returnTo = opened.returnTo
    setCookies = [cookies.clearSignIn(id)]
    if (!(await takePendingSignIn(database, id))) return signInFailed("state_unknown", { returnTo, setCookies })

    const signedIn = await askProvider(parts, query, { state, ...opened })
    // A provider on the desk's own site has the browser send the session's cookie. Another tab may have changed it.
    const present = readSecret(header, cookies.session)
    const older = [opened.olderId, present && hashSecret(present)].filter((id) => id !== undefined)
    const { value, personId } = await sessions.begin(signedIn, older)
    return {
      kind: "finished",
      location: returnTo,
      setCookies: [cookies.setSession(value), ...setCookies],
      personId,
    }
  } catch (error) {
    return signInFailed(failureOf(error), { returnTo, setCookies, error })
  }
}

async function askProvider(
  { provider, callback, groupsClaim }: SignInParts,
  query: string,
  challenge: Challenge,
): Promise<NewSession> {
  const answer = new URL(callback)
  answer.search = query
  const claims = await provider.finish(answer, challenge, (idToken) => hasAllClaims(idToken, groupsClaim))
  const { sid, auth_time } = claims.idToken
  if (sid !== undefined && typeof sid !== "string") throw new SignInRefusedError("id_token_refused")
  return {
    ...readIdentity(claims, groupsClaim),
    sid,
    authTime: auth_time === undefined ? undefined : Math.floor(auth_time),
  }
}

/**
 * The address that a sign-in leads back to: a path of the app with its query and fragment. The result is `/` for everything that a browser
 * could take for another host, and for the desk's own addresses below `/api` and `/desk`.
 */
function returnAddress(asked: string | undefined): string {
  if (asked === undefined || asked.length > RETURN_MAX_CHARACTERS || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(asked)) return "/"
  const { origin, pathname, search, hash } = new URL(asked, PARSING_BASE)
  const isApp = origin === PARSING_BASE && !pathname.startsWith("//") && !/^\/(?:api|desk)(?:\/|$)/.test(pathname)
  return isApp ? pathname + search + hash : "/"
}
