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
  "The approval has changed since it was read. The desk did not send the decision to the service. Read the approval again, then decide.",
  { title: "Changed meanwhile" },
)

/** A withdrawal that comes too late, or may come too late. */
export const perhapsDecided = refusal(
  412,
  "PROXY_VERSION_STALE",
  "A decision that counted your approve was sent to the service, and the approval does not wait as you approved it any more. The desk did not withdraw your approve.",
  { title: "Changed meanwhile" },
)

export const approvalsChanged = refusal(
  409,
  "PROXY_APPROVALS_CHANGED",
  "This approve was to stay at the desk until others approve. Now it would be the last one, so the desk did not send it. Approve again to send it.",
  { title: "Others have approved meanwhile" },
)

export const keyOfAnother = refusal(
  409,
  "PROXY_KEY_OF_ANOTHER",
  "Another person has used this Idempotency-Key. The desk did not send the request to the service. Use a new key.",
  { title: "Key of another person" },
)

export const keyWithdrawn = refusal(
  409,
  "PROXY_KEY_WITHDRAWN",
  "You have withdrawn the approval that was sent with this Idempotency-Key. To approve again, use a new key.",
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
  `The body must have the decision "approve", and may have a comment of at most ${COMMENT_MAX_CHARACTERS} characters.`,
)

export const changeNotDeclined = refusal(
  400,
  "PROXY_BODY_INVALID",
  "The header Desk-Wants-Change belongs to a decline. The desk sent nothing to the service.",
)

/** A rule of the access file does not let the person approve. */
export const ruleRefusal = (code: "PROXY_RULE" | "PROXY_SIGN_IN_AGAIN", detail: string) =>
  refusal(403, code, detail, { title: code === "PROXY_RULE" ? "A rule prevents this" : "Sign in again" })

/** An approve or new Work while the desk or its colleague is frozen. */
export const frozen = ({ colleague, by, since, reason }: Freeze) =>
  refusal(
    423,
    "PROXY_FROZEN",
    `${by === "operator" ? by : by.name} froze ${colleague === null ? "the desk" : `the colleague ${colleague}`} at ${since}. The reason: ${reason} (The desk did not send this to the service. Declining and answering go on.)`,
    { title: colleague === null ? "The desk is frozen" : "The colleague is frozen" },
  )

export const recordUnavailable = refusal(
  503,
  "PROXY_RECORD_UNAVAILABLE",
  "The desk cannot record who sends this, so the desk did not send it to the service. Try again in a moment.",
  { title: "The record is not available", retryable: true, retryAfterSeconds: STORE_RETRY_SECONDS },
)
