/** The refusals about who is here and what they may do. */
import { type Refusal, refusal, whomToAsk } from "../../platform/http/refusals.ts"

/** The person has no role at all. */
export const noRole = (contact: string | null) =>
  refusal(403, "PROXY_NO_ROLE", `You're signed in, but you have no role at this desk.${whomToAsk(contact)}`, {
    title: "No role",
  })

/** The person is no overseer. */
export const overseersOnly = (contact: string | null) =>
  refusal(403, "PROXY_ROLE_MISSING", `Only an overseer may do this.${whomToAsk(contact)}`, { title: "Role missing" })

export const logoutTokenRefused = refusal(
  400,
  "PROXY_LOGOUT_TOKEN_REFUSED",
  "The logout token is missing, invalid for this desk or already used.",
  { title: "Logout token refused" },
)

export const viewsStale = refusal(
  412,
  "PROXY_VERSION_STALE",
  "The views have changed since you read them. Read them again, then save the change.",
  { title: "Changed in the meantime" },
)

export const providerUnavailable = (cause: Refusal["cause"]) =>
  refusal(
    502,
    "PROXY_PROVIDER_UNAVAILABLE",
    "The desk can't read the identity provider's keys, so it can't check the logout token. Try again in a moment.",
    { title: "The identity provider isn't responding", retryable: true, cause },
  )
