import type { DeskError } from "../client/desk-error.ts"
import { Button } from "./button.tsx"
import { ErrorAlert } from "./error-alert.tsx"
import { Notice } from "./notice.tsx"

type Props = {
  state: "sending" | "unknown" | "waiting" | "refused"
  /** Undefined while sending. */
  error: DeskError | undefined
  /** What was sent, in the middle of a sentence: "your answer". */
  what: string
  onSendAgain: () => void
  /** Gives the intent up. */
  onDiscard: () => void
}

/** What is known of something that was sent and not yet recorded: in plain words, with the way out. */
export function IntentNotice({ state, error, what, onSendAgain, onDiscard }: Props) {
  if (error === undefined)
    return (
      <Notice announce="status" icon="clock" compact>
        Sending {what}…
      </Notice>
    )
  if (state === "unknown")
    return (
      <ErrorAlert
        error={error}
        kept={`Whether ${what} was recorded is not known. It is kept, and sending it again is safe: it can be recorded once at most.`}
        action={
          <>
            <strong>Outcome unknown.</strong>
            <Button onClick={onSendAgain}>Send again</Button>
          </>
        }
      />
    )
  if (state === "waiting")
    return (
      <ErrorAlert
        error={error}
        kept={`Nothing was recorded; ${what} is kept.`}
        retryAt={error.retryAt}
        action={<Button onClick={onDiscard}>Do not send</Button>}
      />
    )
  return (
    <ErrorAlert
      error={error}
      kept={`Nothing was recorded; what you typed is kept.`}
      action={error.isForbidden && <Button onClick={onDiscard}>Try again</Button>}
    />
  )
}
