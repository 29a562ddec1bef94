/**
 * The table of the refusals that several folders of the desk's server make, by subject. A refusal that one folder alone makes is in that
 * folder (`waiting/claims`, `notices`). The page shows a `detail` beside its own words.
 */
import { STATUS_CODES } from "node:http"
import type { Role } from "../contract/desk-people.ts"
import { COMMENT_MAX_CHARACTERS } from "../contract/limits.ts"
import type { Refusal } from "./refusal.ts"

type More = Partial<Pick<Refusal, "title" | "retryable" | "retryAfterSeconds" | "cause">>

/** A refusal whose title is that of its status, unless `more` has another. */
export function refusal(status: number, code: Refusal["code"], detail: string, more: More = {}): Refusal {
  return { code, status, title: STATUS_CODES[status] ?? "Error", detail, retryable: false, ...more }
}

// The request

export const hostRefused = refusal(
  421,
  "PROXY_HOST_NOT_ALLOWED",
  "The desk does not serve this host name. ALLOWED_HOSTS lists the names that the desk serves.",
)

export const crossSiteRefused = refusal(403, "PROXY_CROSS_SITE", "Only the desk's own pages may send this request.")

export const pathUnknown = refusal(404, "PROXY_PATH_UNKNOWN", "The desk has nothing at this path.")

export function methodRefused(allow: string): Refusal {
  return { ...refusal(405, "PROXY_METHOD_NOT_ALLOWED", `This path accepts only ${allow}.`), allow }
}

export const keyRequired = refusal(
  400,
  "PROXY_IDEMPOTENCY_KEY_REQUIRED",
  "The Idempotency-Key header is missing, or is not 1 to 255 characters long.",
)

export const headerRepeated = refusal(
  400,
  "PROXY_HEADER_REPEATED",
  "A header was sent more than once that may be sent only once.",
)

/** A query has a bad value. `detail` names the parameter. */
export const queryInvalid = (detail: string) => refusal(400, "PROXY_QUERY_INVALID", detail)

export const positionInvalid = refusal(
  400,
  "PROXY_POSITION_INVALID",
  "A position in the stream (after, or Last-Event-ID) must be one integer from 0 to 9223372036854775807.",
)

export const waitInvalid = refusal(400, "PROXY_WAIT_INVALID", "wait must be one whole number of seconds from 0 to 25.")

export const mediaTypeRefused = refusal(415, "PROXY_MEDIA_TYPE", "The body must be application/json.")

export const bodyTooLarge = refusal(413, "PROXY_BODY_TOO_LARGE", "The body is longer than 1 MiB.")

/** The head or the body of a request took too long to arrive. */
export const bodyLate = refusal(408, "PROXY_REQUEST_TIMEOUT", "The request took too long to arrive.")

export const bodyInvalid = refusal(
  400,
  "PROXY_BODY_INVALID",
  "The body must be one JSON object in UTF-8, in which no member is named twice.",
)

/** Refuses bytes that are not a valid HTTP request. `code` is the code of Node's error. */
export function malformed(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return refusal(431, "PROXY_HEADERS_TOO_LARGE", "The request's headers are too large.")
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return bodyLate
  return refusal(400, "PROXY_MALFORMED", "This is not a valid HTTP request.")
}

// The person

export const signedOut = refusal(
  401,
  "PROXY_SIGNED_OUT",
  "Nobody is signed in, or the session has ended. Sign in, then try again.",
  { title: "Signed out" },
)

/** The person has no role at all. */
export const noRole = (contact: string | null) =>
  refusal(403, "PROXY_NO_ROLE", `You are signed in, but you have no role at this desk.${whomToAsk(contact)}`, {
    title: "No role",
  })

/** The person has roles, but none that has the operation. */
export const roleMissing = (role: Role, contact: string | null) =>
  refusal(403, "PROXY_ROLE_MISSING", `This needs the role ${role}, which you do not have.${whomToAsk(contact)}`, {
    title: "Role missing",
  })

const whomToAsk = (contact: string | null) => (contact === null ? "" : ` Ask ${contact}.`)

export const personMissing = refusal(
  403,
  "PROXY_PERSON_MISSING",
  "The Desk-Person header is missing. The header names the person whose page sends the request.",
)

export const personChanged = refusal(
  409,
  "PROXY_PERSON_CHANGED",
  "Another person has signed in since this page was loaded. The desk did not send the request to the service. Load the page again.",
  { title: "Another person is signed in" },
)

export const logoutTokenRefused = refusal(
  400,
  "PROXY_LOGOUT_TOKEN_REFUSED",
  "The logout token is missing, is not valid for this desk, or was used before.",
  { title: "Logout token refused" },
)

/**
 * The one answer for everything that is not there, or that is concealed from the person: Work and what belongs to it, and uploads
 * (`docs/operating.md`, "Who sees what"). The answer must not show which of the two holds.
 */
export const notFound = refusal(
  404,
  "PROXY_NOT_FOUND",
  "There is nothing here that you can see. It may never have been here, or you may not see it.",
)

// A mutation, before it is sent

export const versionRequired = refusal(
  428,
  "PROXY_VERSION_REQUIRED",
  "The If-Match header is missing. It names the version that was read.",
  { title: "Version required" },
)

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

/** A rule of the access file does not let the person approve. */
export const ruleRefusal = (code: "PROXY_RULE" | "PROXY_SIGN_IN_AGAIN", detail: string) =>
  refusal(403, code, detail, { title: code === "PROXY_RULE" ? "A rule prevents this" : "Sign in again" })

// Saved views

export const viewsStale = refusal(
  412,
  "PROXY_VERSION_STALE",
  "The views have changed since they were read. Read them again, then save the change.",
  { title: "Changed meanwhile" },
)

// The store and the identity provider

/** The Retry-After, in seconds, of an answer without the store. */
const STORE_RETRY_SECONDS = 2

export const recordUnavailable = refusal(
  503,
  "PROXY_RECORD_UNAVAILABLE",
  "The desk cannot record who sends this, so the desk did not send it to the service. Try again in a moment.",
  { title: "The record is not available", retryable: true, retryAfterSeconds: STORE_RETRY_SECONDS },
)

export const recordIncomplete = refusal(
  503,
  "PROXY_RECORD_INCOMPLETE",
  "The desk could not find out from the service which Works of the record you see, so this would not be everything. Try again in a moment.",
  { title: "The record cannot be read whole", retryable: true, retryAfterSeconds: STORE_RETRY_SECONDS },
)

export const storeUnavailable = (cause: Refusal["cause"]) =>
  refusal(
    503,
    "PROXY_STORE_UNAVAILABLE",
    "The desk's database does not answer, so the desk cannot handle this request now. Try again in a moment.",
    { title: "The store is away", retryable: true, retryAfterSeconds: STORE_RETRY_SECONDS, cause },
  )

export const providerUnavailable = (cause: Refusal["cause"]) =>
  refusal(
    502,
    "PROXY_PROVIDER_UNAVAILABLE",
    "The identity provider gives no answer that OpenID Connect allows, so the desk cannot check its tokens. Try again in a moment.",
    { title: "The identity provider does not answer", retryable: true, cause },
  )

// The service

export const upstreamUnreachable = refusal(
  502,
  "PROXY_UPSTREAM_UNREACHABLE",
  "The service could not be reached, or closed the connection without an answer.",
  { title: "The service cannot be reached", retryable: true },
)

/** The desk uses and passes on nothing of an answer that is not the operation's. */
export const upstreamInvalid = refusal(
  502,
  "PROXY_UPSTREAM_INVALID",
  "The service's answer is not valid for this operation, so the desk used nothing of the answer.",
  { title: "The service gave no valid answer", retryable: true },
)

export const upstreamTimeout = refusal(504, "PROXY_UPSTREAM_TIMEOUT", "The service did not answer in time.", {
  title: "The service is late",
  retryable: true,
})

export const upstreamUnhealthy = refusal(503, "PROXY_UPSTREAM_UNHEALTHY", "The service does not answer requests.", {
  retryable: true,
})

/** The desk has as many streams to the upstream as UPSTREAM_STREAMS allows. */
export function streamsBusy(max: number): Refusal {
  return busy(
    "All live streams are in use",
    `The desk may open ${max} live streams to the service, and viewers of other Works use all of them.`,
  )
}

/** The person has opened as many streams as one person may. */
export function streamShareUsed(share: number): Refusal {
  return busy(
    "Your live streams are in use",
    `You may open ${share} of the desk's live streams to the service, and your other tabs use all of them. Close a tab that shows another Work.`,
  )
}

const STREAMS_BUSY_RETRY_SECONDS = 5

function busy(title: string, why: string): Refusal {
  const detail = `${why} Only the live activity has to wait. Everything else about the Work is read as usual.`
  const retryAfterSeconds = STREAMS_BUSY_RETRY_SECONDS
  return refusal(429, "PROXY_STREAMS_BUSY", detail, { title, retryable: true, retryAfterSeconds })
}

// The desk itself

export const draining = refusal(
  503,
  "PROXY_DRAINING",
  "The desk is about to stop. Send new requests to another desk.",
  { retryable: true },
)

export const internalError = refusal(500, "PROXY_INTERNAL", "The desk failed to handle this request.", {
  retryable: true,
  cause: "fault",
})
