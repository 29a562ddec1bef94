/**
 * The table of the refusals that several folders of the desk's server make, by subject. A refusal that one folder alone makes is in that
 * folder (`desk/http/desk-refusals.ts`, `desk/record/gate/gate-refusals.ts`). The page shows a `detail` beside its own words.
 */
import { STATUS_CODES } from "node:http"
import type { Role } from "../../contract/desk-people.ts"
import type { RefusalCode } from "../../contract/refusal-codes.ts"
import type { Cause } from "../cause.ts"
import type { Problem } from "../../contract/resources.ts"

export type HeaderFields = Readonly<Record<string, string>>

/** An error answer of the desk itself. `toProblem` makes the Problem that one client gets. */
export type Refusal = {
  readonly code: RefusalCode
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

type More = Partial<Pick<Refusal, "title" | "retryable" | "retryAfterSeconds" | "cause">>

/** A refusal whose title is that of its status, unless `more` has another. */
export function refusal(status: number, code: RefusalCode, detail: string, more: More = {}): Refusal {
  return { code, status, title: STATUS_CODES[status] ?? "Error", detail, retryable: false, ...more }
}

export const pathUnknown = refusal(404, "PROXY_PATH_UNKNOWN", "The desk has nothing at this path.")

export function methodRefused(methods: readonly string[]): Refusal {
  const allow = methods.join(", ")
  return { ...refusal(405, "PROXY_METHOD_NOT_ALLOWED", `This path accepts only ${allow}.`), allow }
}

/** The refusal of a path that only these entries of a table serve, with other methods. */
export const notServed = (served: readonly { readonly method: string }[]) =>
  served.length === 0 ? pathUnknown : methodRefused(served.map(({ method }) => method))

export const keyRequired = refusal(
  400,
  "PROXY_IDEMPOTENCY_KEY_REQUIRED",
  "The Idempotency-Key header is missing, or is not 1 to 255 characters long.",
)

export const queryInvalid = (detail: string) => refusal(400, "PROXY_QUERY_INVALID", detail)

export const bodyTooLarge = (maxBytes: number) =>
  refusal(413, "PROXY_BODY_TOO_LARGE", `The body is longer than ${maxBytes / 1_024} KiB.`)

/** The head or the body of a request took too long to arrive. */
export const bodyLate = refusal(408, "PROXY_REQUEST_TIMEOUT", "The request took too long to arrive.")

export const bodyInvalid = refusal(
  400,
  "PROXY_BODY_INVALID",
  "The body must be one JSON object in UTF-8, with unique member names.",
)

export const signedOut = refusal(
  401,
  "PROXY_SIGNED_OUT",
  "You aren't signed in, or your session has ended. Sign in, then try again.",
  { title: "Signed out" },
)

export const roleMissing = (role: Role, contact: string | null) =>
  refusal(403, "PROXY_ROLE_MISSING", `This needs the ${role} role, which you don't have.${whomToAsk(contact)}`, {
    title: "Role missing",
  })

export const whomToAsk = (contact: string | null) => (contact === null ? "" : ` Ask ${contact}.`)

/** The one answer for what doesn't exist and what is concealed from the person (`docs/operating.md`, "Who sees what"). It must not show which. */
export const notFound = refusal(404, "PROXY_NOT_FOUND", "It doesn't exist, or you can't see it.")

export const draining = refusal(
  503,
  "PROXY_DRAINING",
  "The desk is about to stop. Send new requests to another desk.",
  { retryable: true },
)

export const versionRequired = refusal(
  428,
  "PROXY_VERSION_REQUIRED",
  "If-Match is missing. Set it to the version that you read.",
  { title: "Version required" },
)

export const STORE_RETRY_SECONDS = 2

export const storeUnavailable = (cause: Refusal["cause"]) =>
  refusal(503, "PROXY_STORE_UNAVAILABLE", "The desk's database isn't responding. Try again in a moment.", {
    title: "The database is down",
    retryable: true,
    retryAfterSeconds: STORE_RETRY_SECONDS,
    cause,
  })

/** Nobody approves or answers what they cannot read. */
export const itemTooLarge = refusal(
  422,
  "PROXY_ITEM_TOO_LARGE",
  "The text is longer than 1 MiB, so nobody can approve or answer it here. You can decline it.",
  { title: "Too long to read" },
)

/** An answer of the service is longer than the desk reads. */
export const upstreamTooLarge = refusal(
  502,
  "PROXY_UPSTREAM_TOO_LARGE",
  "The service's response is too long. For a list, ask for shorter pages (`limit`).",
  { title: "The service's response is too long" },
)

/** The desk uses and passes on nothing of an answer that is not the operation's. */
export const upstreamInvalid = refusal(
  502,
  "PROXY_UPSTREAM_INVALID",
  "The service's response is invalid for this operation, so the desk discarded it.",
  { title: "The service sent no valid response", retryable: true },
)
