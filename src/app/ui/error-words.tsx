import type { RefusalCode } from "../../contract/refusal-codes.ts"
import type { DeskError, Failure } from "../client/desk-error.ts"
import { Countdown } from "./clocks.tsx"
import { Identifier } from "./copy-button.tsx"
import { lookUp } from "./look-up.ts"

/** Plain words for an error: what happened, and what to do. */
export type ErrorWords = { happened: string; toDo: string }

const byFailure: Readonly<Partial<Record<Failure, ErrorWords>>> = {
  invalid: {
    happened: "The service rejected this.",
    toDo: "Correct it, then send it again.",
  },
  unauthenticated: {
    happened: "The service rejected Workdesk's credential.",
    toDo: "Ask the operator of this desk to renew it, then try again.",
  },
  forbidden: {
    happened: "The service doesn't allow this for Workdesk's account.",
    toDo: "Ask the operator of this desk for the missing permission.",
  },
  "not-visible": {
    happened: "It doesn't exist, or this account can't see it.",
    toDo: "Check the address, or go back to the list.",
  },
  conflict: {
    happened: "It has changed.",
    toDo: "Check it again before you continue.",
  },
  stale: {
    happened: "It changed after you opened it.",
    toDo: "Read what changed, then decide again.",
  },
  "too-large": { happened: "It is too large for the service.", toDo: "Make it smaller, then send it again." },
  blocked: {
    happened: "Your organization's data policy blocked it.",
    toDo: "Change the content, or ask the policy's owner.",
  },
  "too-many": {
    happened: "Too many requests in a short time.",
    toDo: "Try again in a moment.",
  },
  "bad-gateway": {
    happened: "The service can't be reached, or its response is invalid.",
    toDo: "Try again in a moment.",
  },
  "no-capacity": { happened: "The service is at capacity.", toDo: "Try again in a moment." },
  "too-slow": { happened: "The service took too long to respond.", toDo: "Try again in a moment." },
}

/** The failures whose words in `byFailure` speak of the service, and refusals whose status means nothing to the app. */
const WORDS_OF_SERVICE: readonly (Failure | undefined)[] = [
  undefined,
  "invalid",
  "unauthenticated",
  "forbidden",
  "too-large",
  "too-many",
  "no-capacity",
]

/** Whether the desk itself has refused. The words for a refusal of the service would be wrong then. */
export const isDesksOwn = ({ code, failure }: DeskError): boolean =>
  code.startsWith("PROXY_") && WORDS_OF_SERVICE.includes(failure)

/** The refusals of the desk itself, before a request reaches the service. */
const byCode: Readonly<Partial<Record<RefusalCode, ErrorWords>>> = {
  PROXY_RULE: { happened: "", toDo: "You can still decline it." },
  PROXY_FROZEN: { happened: "", toDo: "Send it again after the freeze ends." },
  PROXY_PERSON_CHANGED: { happened: "", toDo: "" },
  PROXY_PERSON_MISSING: { happened: "This page doesn't know who is signed in.", toDo: "Reload the page." },
  PROXY_KEY_OF_ANOTHER: {
    happened: "Another person has already sent this.",
    toDo: "Reload the page, then check it again.",
  },
  PROXY_RECORD_INCOMPLETE: { happened: "", toDo: "An overseer can export the complete record." },
  PROXY_RECORD_UNAVAILABLE: { happened: "", toDo: "If that fails, tell the operator of this desk." },
}

/** What to do about an error that is no Problem. Its title and detail are our own words, and say already what happened. */
const toDoByKind: Readonly<Record<Exclude<DeskError["kind"], "problem">, string>> = {
  unreachable: "Check your connection, then try again.",
  timeout: "Try again in a moment.",
  unaddressable: "Check the address, or go back to the list.",
  unsent: "",
  unreadable: "Try again. If that fails, tell the operator of this desk.",
}

/** Our own words for `error`, by its code, else by its failure. They are shown beside the title and detail of the Problem. */
export function wordsFor(error: DeskError): ErrorWords {
  if (error.kind !== "problem") return { happened: "", toDo: toDoByKind[error.kind] }
  const words = lookUp(byCode, error.code)
  if (words !== undefined) return words
  const toDo = error.retryable ? "Try again in a moment." : "Send the Request ID to the operator of this desk."
  // The Problem of the desk says itself what happened.
  if (isDesksOwn(error)) return { happened: "", toDo: error.retryable || error.failure === undefined ? toDo : "" }
  return (error.failure && byFailure[error.failure]) ?? { happened: "The service returned an error.", toDo }
}

export type ErrorDetailsProps = {
  error: DeskError
  /** Plain words of the page, where the failure alone does not say what happened. */
  words?: ErrorWords | undefined
  /** Says what was kept: "Your answer is kept." */
  kept?: string | undefined
  /** When the app tries again by itself, as a moment of `steadyNow`. */
  retryAt?: number | undefined
}

/** What happened, in plain words. */
export const WhatHappened = ({ error }: { error: DeskError }) => wordsFor(error).happened

/** What an error means in plain words, what was kept, what comes next, and the codes to copy. */
export function ErrorDetails({ error, words = wordsFor(error), kept, retryAt }: ErrorDetailsProps) {
  return (
    <>
      <div className="small soft">
        {words.happened} {kept !== undefined && `${kept} `}
        {retryAt === undefined ? (
          words.toDo
        ) : (
          <>
            Workdesk will try again <Countdown until={retryAt} />.
          </>
        )}
      </div>
      {error.failureCode !== undefined && (
        <div className="small">
          Failure code <Identifier value={error.failureCode} />
        </div>
      )}
      {error.requestId !== undefined && (
        <div className="small soft">
          Request ID <Identifier value={error.requestId} copyable="Request ID" />
        </div>
      )}
    </>
  )
}
