/** The refusals of mutation-steps.ts, before a mutation is sent. The page shows the `detail` beside its own words. */
import { COMMENT_MAX_CHARACTERS } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusal.ts"
import { STORE_RETRY_SECONDS } from "../store/database.ts"

export const versionRequired: Refusal = {
  code: "PROXY_VERSION_REQUIRED",
  status: 428,
  title: "Version required",
  detail: "The If-Match header is missing. It names the version that was read.",
  retryable: false,
}

export const versionInvalid: Refusal = {
  code: "PROXY_VERSION_INVALID",
  status: 400,
  title: "Bad Request",
  detail: 'The If-Match header must be one version in quotes, such as "3".',
  retryable: false,
}

export const bodyInvalid: Refusal = {
  code: "PROXY_BODY_INVALID",
  status: 400,
  title: "Bad Request",
  detail: "The body must be one JSON object in UTF-8, in which no member is named twice.",
  retryable: false,
}

export const keyOfAnother: Refusal = {
  code: "PROXY_KEY_OF_ANOTHER",
  status: 409,
  title: "Key of another person",
  detail:
    "Another person has used this Idempotency-Key. The desk did not send the request to the service. Use a new key.",
  retryable: false,
}

export const keyWithdrawn: Refusal = {
  code: "PROXY_KEY_WITHDRAWN",
  status: 409,
  title: "Approval withdrawn",
  detail: "You have withdrawn the approval that was sent with this Idempotency-Key. To approve again, use a new key.",
  retryable: false,
}

export const keyReused: Refusal = {
  code: "PROXY_KEY_REUSED",
  status: 409,
  title: "Key used for another request",
  detail: "You have used this Idempotency-Key for another request. Use a new key.",
  retryable: false,
}

export const approveInvalid: Refusal = {
  code: "PROXY_BODY_INVALID",
  status: 400,
  title: "Bad Request",
  detail: `The body must have the decision "approve", and may have a comment of at most ${COMMENT_MAX_CHARACTERS} characters.`,
  retryable: false,
}

export const versionStale: Refusal = {
  code: "PROXY_VERSION_STALE",
  status: 412,
  title: "Changed meanwhile",
  detail:
    "The approval has changed since it was read. The desk did not send the decision to the service. Read the approval again, then decide.",
  retryable: false,
}

export const approvalsInvalid: Refusal = {
  code: "PROXY_UPSTREAM_INVALID",
  status: 502,
  title: "The service gave no valid answer",
  detail:
    "The service's list of approvals cannot be read, so the approval cannot be checked. The desk did not send the decision to the service.",
  retryable: true,
}

export const recordUnavailable: Refusal = {
  code: "PROXY_RECORD_UNAVAILABLE",
  status: 503,
  title: "The record is not available",
  detail: "The desk cannot record who sends this, so the desk did not send it to the service. Try again in a moment.",
  retryable: true,
  retryAfterSeconds: STORE_RETRY_SECONDS,
}

/** A rule of the access file does not let the person approve. */
export function ruleRefusal(code: "PROXY_RULE" | "PROXY_SIGN_IN_AGAIN", detail: string): Refusal {
  const title = code === "PROXY_RULE" ? "A rule prevents this" : "Sign in again"
  return { code, status: 403, title, detail, retryable: false }
}
