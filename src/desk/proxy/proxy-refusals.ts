/** The refusals of what the proxy relays. */
import { TIME_FRACTION_MAX_DIGITS, TITLE_MAX_CHARACTERS } from "../../contract/limits.ts"
import { type Refusal, refusal } from "../../platform/http/refusals.ts"

export const headerRepeated = refusal(
  400,
  "PROXY_HEADER_REPEATED",
  "A header that is allowed only once was sent more than once.",
)

/** A request header of the desk's own has another value than the one that the desk knows. */
export const headerInvalid = (name: string, value: string) =>
  refusal(400, "PROXY_HEADER_INVALID", `The ${name} header must be ${value}.`)

export const togetherInvalid = refusal(
  400,
  "PROXY_TOGETHER_INVALID",
  "The Desk-Together header must be one UUID, and only a decision about an approval may have it. Nothing was sent.",
)

export const positionInvalid = refusal(
  400,
  "PROXY_POSITION_INVALID",
  "The stream's position (after or Last-Event-ID) must be one integer from 0 to 9223372036854775807.",
)

export const mediaTypeRefused = refusal(415, "PROXY_MEDIA_TYPE", "The body must be application/json in UTF-8.")

export const upstreamUnreachable = refusal(
  502,
  "PROXY_UPSTREAM_UNREACHABLE",
  "The service can't be reached, or it closed the connection without a response.",
  { title: "The service can't be reached", retryable: true },
)

/** Nothing was sent, because there was no connection before `leaveBy` of the request. */
export const tooLate: Refusal = { ...upstreamUnreachable, unsent: true }

export const upstreamTimeout = refusal(504, "PROXY_UPSTREAM_TIMEOUT", "The service didn't respond in time.", {
  title: "No response in time",
  retryable: true,
})

/** UPSTREAM_STREAMS are in use. */
export function streamsBusy(max: number): Refusal {
  return busy(
    "All live streams are in use",
    `The desk can have ${max} live streams open, and viewers of other Work are using all of them.`,
  )
}

/** The most that one person may open. */
export function streamShareUsed(share: number): Refusal {
  return busy(
    "Your live streams are in use",
    `You can have ${share} live streams open, and your other tabs are using all of them. Close a tab that shows another Work.`,
  )
}

function busy(title: string, why: string): Refusal {
  const detail = `${why} Only the live activity is affected.`
  return refusal(429, "PROXY_STREAMS_BUSY", detail, { title, retryable: true, retryAfterSeconds: 5 })
}

export const titleTooLong = refusal(
  422,
  "PROXY_VALUE_REFUSED",
  `The title is longer than ${TITLE_MAX_CHARACTERS} characters.`,
  { title: "Title too long" },
)

export const timeTooFine = refusal(
  422,
  "PROXY_VALUE_REFUSED",
  `A time has more than ${TIME_FRACTION_MAX_DIGITS} decimal places in its seconds.`,
  { title: "Time not accepted" },
)
