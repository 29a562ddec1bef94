/** Why a sign-in failed: the text of the page for the person, and the fields of the log for an administrator. */
import { type Cause, causeOf } from "../../platform/cause.ts"
import { StoreUnavailableError } from "../store/database.ts"
import {
  ProviderAwayError,
  ProviderInvalidError,
  type RefusedReason,
  SignInRefusedError,
} from "./provider/provider-errors.ts"

export type FailureReason = RefusedReason | "provider_away" | "provider_invalid" | "state_unknown" | "store_unavailable"

/** The browser shows a page that says why, with a link that signs in again and then leads to `returnTo`. */
export type SignInFailed = {
  readonly kind: "failed"
  /** 400: the desk or the provider refused. 502: the provider gave no valid answer. 503: the store is away. */
  readonly status: 400 | 502 | 503
  readonly title: string
  readonly detail: string
  readonly reason: FailureReason
  /** For the log, as `codesIn` gives them. */
  readonly codes: string
  /** For the log. Set when the status is 502 or 503. */
  readonly cause: Cause | undefined
  readonly returnTo: string
  readonly setCookies: readonly string[]
}

type Words = Pick<SignInFailed, "status" | "title" | "detail">

const refused = (detail: string): Words => ({ status: 400, title: "Sign-in refused", detail })

const WORDS: Readonly<Record<FailureReason, Words>> = {
  state_unknown: {
    status: 400,
    title: "Sign-in no longer valid",
    detail: "This sign-in has expired, was already used, or began in another browser. Sign in again.",
  },
  refused: refused(
    "The identity provider didn't sign you in, or its response was invalid. Try again. If that fails, an administrator can find the reason in the desk's log.",
  ),
  groups_by_reference: refused(
    "You are in more groups than the identity provider sends, so your roles are unknown. An administrator must configure the provider to send only the groups that this desk needs.",
  ),
  groups_invalid: refused(
    "The identity provider sent your groups in an unknown format, so your roles are unknown. An administrator must configure it to send a list of names.",
  ),
  provider_away: {
    status: 502,
    title: "The identity provider isn't responding",
    detail: "Nobody can sign in until the identity provider responds. Try again in a moment.",
  },
  provider_invalid: {
    status: 502,
    title: "The identity provider sent no valid response",
    detail:
      "The identity provider refused the desk or sent an invalid response. Try again in a moment. An administrator can find the reason in the desk's log.",
  },
  store_unavailable: {
    status: 503,
    title: "The database is down",
    detail: "The desk's database isn't responding, so nobody can sign in at the moment. Try again soon.",
  },
}

/** Why a sign-in can fail. The metrics count each from 0. */
export const FAILURE_REASONS: readonly string[] = Object.keys(WORDS)

type FailureContext = Partial<Pick<SignInFailed, "returnTo" | "setCookies">> & { readonly error?: unknown }

/** Describes a failed sign-in: the page for the person, the cookies to clear, and the fields for the log. */
export function signInFailed(
  reason: FailureReason,
  { returnTo = "/", setCookies = [], error }: FailureContext,
): SignInFailed {
  const words = WORDS[reason]
  const cause = words.status === 400 ? undefined : causeOfFailure(error)
  return { kind: "failed", ...words, reason, codes: codesIn(error), cause, returnTo, setCookies }
}

/** Why the provider or the store gave no valid answer. */
export function causeOfFailure(error: unknown): Cause {
  if (error instanceof StoreUnavailableError) return error.logCause
  return error instanceof ProviderInvalidError ? "not_the_operation" : causeOf(error)
}

/** Why a sign-in failed, by its error. Rethrows every other error, which is a fault of the desk. */
export function reasonOf(error: unknown): FailureReason {
  if (error instanceof SignInRefusedError) return error.reason
  if (error instanceof ProviderAwayError) return "provider_away"
  if (error instanceof ProviderInvalidError) return "provider_invalid"
  if (error instanceof StoreUnavailableError) return "store_unavailable"
  throw error
}

const CLIENT_REFUSED = "change OIDC_CLIENT_ID, OIDC_CLIENT_SECRET or its file"

/** What an administrator has to change, by the code of the error. */
const CHANGES: Readonly<Record<string, string>> = {
  invalid_client: CLIENT_REFUSED,
  unauthorized_client: CLIENT_REFUSED,
  // The answer to a wrong secret in the header.
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: CLIENT_REFUSED,
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: "the clocks of the provider and of this machine differ: synchronize them",
  invalid_scope: "correct OIDC_SCOPES",
}

/**
 * The parts of an error that may be logged: the codes in its chain of causes, such as ECONNREFUSED, the messages of the desk's own errors, and
 * what to change. The messages of libraries are left out, because they can quote a token.
 */
export function codesIn(error: unknown): string {
  const found = new Set<string>()
  for (let link = error; link instanceof Error; link = link.cause) {
    if (link instanceof ProviderAwayError || link instanceof ProviderInvalidError) found.add(link.message)
    for (const name of ["code", "error"]) {
      const code: unknown = Reflect.get(link, name)
      if (typeof code === "string" && /^\w{1,60}$/.test(code)) found.add(code)
    }
  }
  const changes = new Set([...found].flatMap((code) => CHANGES[code] ?? []))
  return [...found, ...changes].join(", ")
}
