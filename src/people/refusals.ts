import type { Role } from "../contract/desk.ts"
import { type Cause, causeOf } from "../contract/cause.ts"
import type { Refusal } from "../contract/refusal.ts"
import { ProviderAwayError, ProviderInvalidError } from "./provider/provider-errors.ts"
import { STORE_RETRY_SECONDS, StoreUnavailableError } from "../store/database.ts"

export const signedOut: Refusal = {
  code: "PROXY_SIGNED_OUT",
  status: 401,
  title: "Signed out",
  detail: "Nobody is signed in, or the session has ended. Sign in, then try again.",
  retryable: false,
}

/**
 * The one answer for everything that is not there, or that is concealed from the person: Work and what belongs to it, and uploads
 * (`docs/operating.md`, "Who sees what"). It must not tell the two apart.
 */
export const notFound: Refusal = {
  code: "PROXY_NOT_FOUND",
  status: 404,
  title: "Not Found",
  detail: "There is nothing here that you can see. It may never have been here, or you may not see it.",
  retryable: false,
}

export function storeUnavailable({ reason }: StoreUnavailableError): Refusal {
  return {
    code: "PROXY_STORE_UNAVAILABLE",
    status: 503,
    title: "The store is away",
    detail: "The desk's database does not answer, so the desk cannot handle this request now. Try again in a moment.",
    retryable: true,
    retryAfterSeconds: STORE_RETRY_SECONDS,
    cause: reason,
  }
}

export function providerUnavailable(error: Error): Refusal {
  return {
    code: "PROXY_PROVIDER_UNAVAILABLE",
    status: 502,
    title: "The identity provider does not answer",
    detail:
      "The identity provider gives no answer that OpenID Connect allows, so the desk cannot check its tokens. Try again in a moment.",
    retryable: true,
    cause: providerCauseOf(error),
  }
}

/** Gives the result of `work`, or a refusal (502 or 503) while the store or the identity provider is away. Rethrows every other error. */
export async function orRefusal<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreUnavailableError) return storeUnavailable(error)
    if (error instanceof ProviderAwayError || error instanceof ProviderInvalidError) return providerUnavailable(error)
    throw error
  }
}

/** Why the identity provider gave no valid answer, for the log. */
export function providerCauseOf(error: unknown): Cause {
  return error instanceof ProviderInvalidError ? "not_the_operation" : causeOf(error)
}

export const logoutTokenRefused: Refusal = {
  code: "PROXY_LOGOUT_TOKEN_REFUSED",
  status: 400,
  title: "Logout token refused",
  detail: "The logout token is missing, is not valid for this desk, or was used before.",
  retryable: false,
}

/** The person has no role at all. */
export function noRole(contact: string | null): Refusal {
  return {
    code: "PROXY_NO_ROLE",
    status: 403,
    title: "No role",
    detail: `You are signed in, but you have no role at this desk.${whomToAsk(contact)}`,
    retryable: false,
  }
}

/** The person has roles, but none that has the operation. */
export function roleMissing(role: Role, contact: string | null): Refusal {
  return {
    code: "PROXY_ROLE_MISSING",
    status: 403,
    title: "Role missing",
    detail: `This needs the role ${role}, which you do not have.${whomToAsk(contact)}`,
    retryable: false,
  }
}

const whomToAsk = (contact: string | null) => (contact === null ? "" : ` Ask ${contact}.`)
