/** Why a request about presence, assignment or set aside is refused. */
import type { Refusal } from "../../contract/refusal.ts"

function refusal(status: number, code: Refusal["code"], title: string, detail: string): Refusal {
  return { status, code, title, detail, retryable: false }
}

/** Also for an item that the person may not see, so that nobody learns that it exists. */
export const itemUnknown = refusal(404, "PROXY_NOT_FOUND", "Not Found", "No such item waits.")

/** Also for an item that is not there or that the person may not see: the desk cannot tell them apart yet. */
export const itemUnread: Refusal = {
  status: 503,
  code: "PROXY_NOT_READ",
  title: "Not read yet",
  detail: "The desk has not read yet what waits, so it does not know this item. Try again in a moment.",
  retryable: true,
  retryAfterSeconds: 1,
  cause: "timeout",
}

export const bodyInvalid = (expected: string) =>
  refusal(400, "PROXY_BODY_INVALID", "Bad Request", `The desk expects ${expected}.`)

export const notInLocalMode = refusal(
  404,
  "PROXY_NOT_FOUND",
  "Not Found",
  "This desk has one person, so an item cannot be handed over.",
)

export const preconditionMissing = refusal(
  428,
  "PROXY_PRECONDITION_REQUIRED",
  "Precondition Required",
  'If-Match is missing. It carries the ETag of the assignment, or "none".',
)

export const assignmentStale = refusal(
  412,
  "PROXY_ASSIGNMENT_STALE",
  "Somebody was faster",
  "The item was taken, handed over or given back meanwhile. Look at it again.",
)

export const mayNotDecide = refusal(
  403,
  "PROXY_MAY_NOT_DECIDE",
  "Forbidden",
  "Only somebody who may decide the item can take it, hand it over or give it back.",
)

export const assigneeRefused = refusal(
  400,
  "PROXY_ASSIGNEE_REFUSED",
  "Bad Request",
  "The item can be given only to somebody who sees it and may decide it, or to a team with such a person.",
)

export const asideRefused = (reason: string) =>
  refusal(400, "PROXY_ASIDE_REFUSED", "Bad Request", `The item cannot be set aside until then. ${reason}`)

export const versionNotPresent = refusal(
  412,
  "PROXY_VERSION_STALE",
  "The item has changed",
  "The item has another version now. Read it again.",
)
