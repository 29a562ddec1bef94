/** The refusals of the way of a request. */
import { type Refusal, refusal, bodyLate } from "../../platform/http/refusals.ts"
import type { PlainPage } from "../../platform/http/send.ts"

export const hostRefused = refusal(
  421,
  "PROXY_HOST_NOT_ALLOWED",
  "The desk doesn't serve this host name. ALLOWED_HOSTS lists the names that it serves.",
)

export const crossSiteRefused = refusal(403, "PROXY_CROSS_SITE", "Only the desk's own pages may send this request.")

export const headTooLarge = refusal(431, "PROXY_HEADERS_TOO_LARGE", "The request's headers are too large.")

/** What a person sees instead of `headTooLarge`. */
export const headTooLargePage: PlainPage = {
  status: headTooLarge.status,
  title: "Too many cookies",
  content:
    "<p>Your browser sent more cookies, or a longer address, than Workdesk accepts.</p>\n" +
    "<p>Delete the cookies of this site in your browser's settings, then open Workdesk again.</p>",
}

/** Refuses bytes that are not a valid HTTP request. `code` is the code of Node's error. */
export function malformed(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW") return headTooLarge
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return bodyLate
  return refusal(400, "PROXY_MALFORMED", "This isn't a valid HTTP request.")
}

export const personMissing = refusal(
  403,
  "PROXY_PERSON_MISSING",
  "The Desk-Person header is missing. It must name the person who sends the request.",
)

export const personChanged = refusal(
  409,
  "PROXY_PERSON_CHANGED",
  "Another person has signed in since this page was loaded. Nothing was sent. Reload the page.",
  { title: "Another person is signed in" },
)

export const upstreamUnhealthy = refusal(503, "PROXY_UPSTREAM_UNHEALTHY", "The service isn't responding.", {
  retryable: true,
})

export const internalError = refusal(500, "PROXY_INTERNAL", "The desk failed to handle this request.", {
  retryable: true,
  cause: "fault",
})
