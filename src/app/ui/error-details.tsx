import type { DeskError } from "../client/desk-error.ts"
import { Countdown } from "./clocks.tsx"
import { type ErrorWords, wordsFor } from "./error-words.ts"
import { Identifier } from "./copy-button.tsx"

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
            Workdesk tries again by itself <Countdown until={retryAt} />.
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
