/** Why a request about presence, assignment or set aside is refused. */
import { refusal } from "../../platform/http/refusals.ts"

/** Also for an item that the person may not see, so that nobody learns that the item exists. */
export const itemUnknown = refusal(404, "PROXY_NOT_FOUND", "There is no such pending item.")

/** The watcher has not read enough to say whether the item waits and whether the person sees it. */
export const itemUnread = refusal(503, "PROXY_NOT_READ", "The desk hasn't read this item yet. Try again in a moment.", {
  title: "Not read yet",
  retryable: true,
  retryAfterSeconds: 1,
  cause: "timeout",
})

export const bodyInvalid = (expected: string) => refusal(400, "PROXY_BODY_INVALID", `The body must be ${expected}.`)

export const notInLocalMode = refusal(
  404,
  "PROXY_NOT_FOUND",
  "This desk has one person, so an item can't be handed over.",
)

export const preconditionMissing = refusal(
  428,
  "PROXY_PRECONDITION_REQUIRED",
  'If-Match is missing. Set it to the ETag of the current assignment, or to "none".',
)

export const assignmentStale = refusal(
  412,
  "PROXY_ASSIGNMENT_STALE",
  "The item was taken, handed over or given back. Read it again.",
  { title: "Somebody got there first" },
)

export const mayNotDecide = refusal(
  403,
  "PROXY_MAY_NOT_DECIDE",
  "Only people who may decide the item can take it, hand it over or give it back.",
)

export const assigneeRefused = refusal(
  400,
  "PROXY_ASSIGNEE_REFUSED",
  "Choose somebody who can see and decide this item, or a team with such a member.",
)

export const asideRefused = (reason: string) =>
  refusal(400, "PROXY_ASIDE_REFUSED", `The item can't be set aside until then. ${reason}`)

export const versionNotPresent = refusal(412, "PROXY_VERSION_STALE", "The item has a newer version. Read it again.", {
  title: "The item has changed",
})

// When somebody is away

export const personUnknown = refusal(404, "PROXY_NOT_FOUND", "There is no person with this id.")

export const absencePreconditionMissing = refusal(
  428,
  "PROXY_PRECONDITION_REQUIRED",
  'If-Match is missing. Set it to the ETag of the current absence, or to "none".',
)

export const absenceStale = refusal(
  412,
  "PROXY_AWAY_STALE",
  "The absence was changed elsewhere, perhaps in another tab or by an overseer. Read it again.",
  { title: "The absence has changed" },
)

export const absenceRefused = (reason: string) =>
  refusal(400, "PROXY_AWAY_REFUSED", `The absence can't be saved. ${reason}`)
