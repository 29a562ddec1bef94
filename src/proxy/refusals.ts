/** The refusals that the proxy makes. Those of `src/people` and of the record are in a `refusals.ts` of their own. */
import { STATUS_CODES } from "node:http"
import type { Refusal } from "../contract/refusal.ts"

function refusal(
  status: number,
  code: Refusal["code"],
  detail: string,
  more: { title?: string; retryable?: boolean; retryAfterSeconds?: number; cause?: Refusal["cause"] } = {},
): Refusal {
  return { code, status, title: STATUS_CODES[status] ?? "Error", detail, retryable: false, ...more }
}

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

export const positionInvalid = refusal(
  400,
  "PROXY_POSITION_INVALID",
  "A position in the stream (after, or Last-Event-ID) must be one integer from 0 to 9223372036854775807.",
)

const STREAMS_BUSY_RETRY_SECONDS = 5

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

function busy(title: string, why: string): Refusal {
  const detail = `${why} Only the live activity has to wait. Everything else about the Work is read as usual.`
  const retryAfterSeconds = STREAMS_BUSY_RETRY_SECONDS
  return refusal(429, "PROXY_STREAMS_BUSY", detail, { title, retryable: true, retryAfterSeconds })
}

export const mediaTypeRefused = refusal(415, "PROXY_MEDIA_TYPE", "The body must be application/json.")

export const bodyTooLarge = refusal(413, "PROXY_BODY_TOO_LARGE", "The body is longer than 1 MiB.")

const REQUEST_TIMEOUT = 408

/** The body of a request took longer than its time. */
export const bodyLate = refusal(REQUEST_TIMEOUT, "PROXY_REQUEST_TIMEOUT", "The request took too long to arrive.")

export const upstreamUnreachable = refusal(
  502,
  "PROXY_UPSTREAM_UNREACHABLE",
  "The service could not be reached, or closed the connection without an answer.",
  {
    title: "The service cannot be reached",
    retryable: true,
  },
)

export const upstreamInvalid = refusal(
  502,
  "PROXY_UPSTREAM_INVALID",
  "The service's answer is not valid for this operation, so the desk passed nothing of the answer on.",
  {
    title: "The service gave no valid answer",
    retryable: true,
  },
)

export const upstreamTimeout = refusal(504, "PROXY_UPSTREAM_TIMEOUT", "The service did not answer in time.", {
  title: "The service is late",
  retryable: true,
})

export const upstreamUnhealthy = refusal(503, "PROXY_UPSTREAM_UNHEALTHY", "The service does not answer requests.", {
  retryable: true,
})

export const draining = refusal(
  503,
  "PROXY_DRAINING",
  "The desk is about to stop. Send new requests to another desk.",
  {
    retryable: true,
  },
)

export const stopping = refusal(503, "PROXY_STOPPING", "The desk is being stopped.", { retryable: true })

export const internalError = refusal(500, "PROXY_INTERNAL", "The desk failed to handle this request.", {
  retryable: true,
  cause: "fault",
})

const HEADERS_TOO_LARGE = 431
/** Refuses bytes that are not a valid HTTP request. `code` is the code of Node's error. */
export function malformed(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return refusal(HEADERS_TOO_LARGE, "PROXY_HEADERS_TOO_LARGE", "The request's headers are too large.")
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return bodyLate
  return refusal(400, "PROXY_MALFORMED", "This is not a valid HTTP request.")
}
