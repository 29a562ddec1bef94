import type { Role } from "../contract/desk.ts"
import { type Cause, causeOf } from "../contract/cause.ts"
import type { Refusal } from "../contract/refusal.ts"
import { ProviderInvalidError } from "./provider/provider-errors.ts"
import { STORE_RETRY_SECONDS, type StoreUnavailableError } from "./store/database.ts"

export const signedOut: Refusal = {
  code: "PROXY_SIGNED_OUT",
  status: 401,
  title: "Signed out",
  detail: "Nobody is signed in, or the session has ended. Sign in, then try again.",
  retryable: false,
}

export function storeUnavailable({ reason }: StoreUnavailableError): Refusal {
  return {
    code: "PROXY_STORE_UNAVAILABLE",
    status: 503,
    title: "The store is away",
    detail: "The desk cannot look this up at the moment, because its database does not answer.",
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
      "The identity provider does not answer, or not as OpenID Connect says, so the desk cannot check its tokens.",
    retryable: true,
    cause: providerCauseOf(error),
  }
}

/** Why the identity provider gave no valid answer. */
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
