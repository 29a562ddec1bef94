import type { DeskError } from "../client/desk-error.ts"
import { Countdown } from "./countdown.tsx"
import { type ErrorWords, wordsFor } from "./error-words.ts"

export type HintProps = {
  error: DeskError
  words?: ErrorWords | undefined
  kept?: string | undefined
  retryAt?: number | undefined
}

/** What an error means in plain words, what was kept, and what comes next. */
export function ErrorHint({ error, words = wordsFor(error), kept, retryAt }: HintProps) {
  return (
    <>
      {words.happened} {kept !== undefined && `${kept} `}
      {retryAt === undefined ? (
        words.toDo
      ) : (
        <>
          Workdesk tries again by itself <Countdown until={retryAt} />.
        </>
      )}
    </>
  )
}
