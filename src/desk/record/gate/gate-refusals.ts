/** The refusals of the gate, before a mutation is sent. */
import type { Freeze } from "../../../contract/desk-work.ts"
import { COMMENT_MAX_CHARACTERS } from "../../../contract/limits.ts"
import { refusal, STORE_RETRY_SECONDS } from "../../../platform/http/refusals.ts"

export const versionInvalid = refusal(
  400,
  "PROXY_VERSION_INVALID",
  'The If-Match header must be one version in quotes, such as "3".',
)

export const versionStale = refusal(
  412,
  "PROXY_VERSION_STALE",
  "The approval has changed since you read it. Nothing was sent. Read it again, then decide.",
  { title: "Changed in the meantime" },
)

/** A withdrawal that comes too late, or may come too late. */
export const perhapsDecided = refusal(
  412,
  "PROXY_VERSION_STALE",
  "Your approval has already been sent to the service, so it can't be withdrawn.",
  { title: "Changed in the meantime" },
)

export const approvalsChanged = refusal(
  409,
  "PROXY_APPROVALS_CHANGED",
  "Your approval would now be the last one needed, so it would be sent at once. Approve again to send it.",
  { title: "Others have already approved" },
)

export const keyOfAnother = refusal(
  409,
  "PROXY_KEY_OF_ANOTHER",
  "Another person has used this Idempotency-Key. Nothing was sent. Use a new key.",
  { title: "Key used by another person" },
)

export const keyWithdrawn = refusal(
  409,
  "PROXY_KEY_WITHDRAWN",
  "You withdrew the approval that used this Idempotency-Key. To approve again, use a new key.",
  { title: "Approval withdrawn" },
)

export const keyReused = refusal(
  409,
  "PROXY_KEY_REUSED",
  "You have used this Idempotency-Key for another request. Use a new key.",
  { title: "Key used for another request" },
)

export const approveInvalid = refusal(
  400,
  "PROXY_BODY_INVALID",
  `The body must contain the decision "approve", and may contain a comment of at most ${COMMENT_MAX_CHARACTERS} characters.`,
)

export const changeNotDeclined = refusal(
  400,
  "PROXY_BODY_INVALID",
  "The Desk-Wants-Change header is allowed only with a decline. Nothing was sent.",
)

/** A rule of the access file does not let the person approve. */
export const ruleRefusal = (code: "PROXY_RULE" | "PROXY_SIGN_IN_AGAIN", detail: string) =>
  refusal(403, code, detail, { title: code === "PROXY_RULE" ? "A rule prevents this" : "Sign in again" })

/** An approve or new Work while the desk or its colleague is frozen. */
export const frozen = ({ colleague, by, since, reason }: Freeze) =>
  refusal(
    423,
    "PROXY_FROZEN",
    `${by === "operator" ? "The operator" : by.name} froze ${colleague === null ? "the desk" : `the colleague ${colleague}`} at ${since}. Nothing was sent. You can still decline and answer. Reason: ${reason}`,
    { title: colleague === null ? "The desk is frozen" : "The colleague is frozen" },
  )

export const recordUnavailable = refusal(
  503,
  "PROXY_RECORD_UNAVAILABLE",
  "The desk can't record who is sending this, so nothing was sent. Try again in a moment.",
  { title: "The record is unavailable", retryable: true, retryAfterSeconds: STORE_RETRY_SECONDS },
)
