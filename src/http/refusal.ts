import type { Cause } from "../platform/cause.ts"
import type { Problem } from "../contract/resources.ts"

export type HeaderFields = Readonly<Record<string, string>>

/** Every code that a Problem of the desk itself has. The metrics count each from 0. */
export const REFUSAL_CODES = [
  "PROXY_ASIDE_REFUSED",
  "PROXY_ASSIGNEE_REFUSED",
  "PROXY_APPROVALS_CHANGED",
  "PROXY_ASSIGNMENT_STALE",
  "PROXY_BODY_INVALID",
  "PROXY_BODY_TOO_LARGE",
  "PROXY_CLIENT_LIMIT",
  "PROXY_CROSS_SITE",
  "PROXY_DRAINING",
  "PROXY_HEADERS_TOO_LARGE",
  "PROXY_HEADER_REPEATED",
  "PROXY_HOST_NOT_ALLOWED",
  "PROXY_IDEMPOTENCY_KEY_REQUIRED",
  "PROXY_INTERNAL",
  "PROXY_KEY_OF_ANOTHER",
  "PROXY_KEY_REUSED",
  "PROXY_KEY_WITHDRAWN",
  "PROXY_LOGOUT_TOKEN_REFUSED",
  "PROXY_MALFORMED",
  "PROXY_MAY_NOT_DECIDE",
  "PROXY_MEDIA_TYPE",
  "PROXY_METHOD_NOT_ALLOWED",
  "PROXY_NOTICES_INVALID",
  "PROXY_NOTICES_NO_MAIL",
  "PROXY_NOTICES_REVISION_MISSING",
  "PROXY_NOTICES_REVISION_STALE",
  "PROXY_NOTICES_TEST_TOO_SOON",
  "PROXY_NOT_FOUND",
  "PROXY_NOT_READ",
  "PROXY_NO_ROLE",
  "PROXY_PATH_UNKNOWN",
  "PROXY_PERSON_CHANGED",
  "PROXY_PERSON_LIMIT",
  "PROXY_PERSON_MISSING",
  "PROXY_POSITION_INVALID",
  "PROXY_PRECONDITION_REQUIRED",
  "PROXY_PROVIDER_UNAVAILABLE",
  "PROXY_QUERY_INVALID",
  "PROXY_RECORD_INCOMPLETE",
  "PROXY_RECORD_UNAVAILABLE",
  "PROXY_REQUEST_TIMEOUT",
  "PROXY_ROLE_MISSING",
  "PROXY_RULE",
  "PROXY_SIGNED_OUT",
  "PROXY_SIGN_IN_AGAIN",
  "PROXY_STORE_UNAVAILABLE",
  "PROXY_STREAMS_BUSY",
  "PROXY_UPSTREAM_INVALID",
  "PROXY_UPSTREAM_TIMEOUT",
  "PROXY_UPSTREAM_UNHEALTHY",
  "PROXY_UPSTREAM_UNREACHABLE",
  "PROXY_VERSION_INVALID",
  "PROXY_VERSION_REQUIRED",
  "PROXY_VERSION_STALE",
  "PROXY_VIEWS_INVALID",
] as const

/** An error answer of the desk itself. `toProblem` makes the Problem that one client gets. */
export type Refusal = {
  readonly code: (typeof REFUSAL_CODES)[number]
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly retryable: boolean
  /** The Allow header of a 405. */
  readonly allow?: string
  readonly headers?: HeaderFields
  readonly retryAfterSeconds?: number
  /** For the log alone: why the desk has no better answer. `fault` means that the desk itself failed. */
  readonly cause?: Cause | "fault" | undefined
  /** For the record alone: nothing of the request has left the desk. */
  readonly unsent?: true | undefined
}

/** Whether an answer is a refusal. No other answer of the desk has a member `code`. */
export function isRefusal(answer: object): answer is Refusal {
  return "code" in answer
}

/** The Problem (RFC 9457) for the request with this id. */
export function toProblem(refusal: Refusal, requestId: string): Problem {
  const { code, status, title, detail, retryable } = refusal
  const type = `urn:workdesk:problem:${code.toLowerCase().replaceAll("_", "-")}`
  const instance = `urn:workdesk:request:${requestId}`
  return { type, title, status, detail, instance, code, request_id: requestId, retryable }
}
