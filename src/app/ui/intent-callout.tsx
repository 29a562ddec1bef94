import type { ReactNode } from "react"
import type { DeskError } from "../client/desk-error.ts"
import type { Intent } from "../client/stored-intent.ts"
import { Button } from "./button.tsx"
import { Callout } from "./callout.tsx"
import { Countdown, useIsWaiting } from "./clocks.tsx"
import { ErrorAlert } from "./error-alert.tsx"
import type { ErrorWords } from "./error-words.tsx"

type Props = {
  /** What was sent, and what is known of it. A confirmed intent needs no callout. */
  intent: Intent<unknown, unknown> | undefined
  /** Shown while the intent is sent: "Sending your answer…". Left out where something else says so. */
  sending?: string
  /** What an unknown outcome means: "the Work may or may not have been created." */
  unknown: string
  /** Our own words for a refusal, where the general words do not fit. */
  words?: ErrorWords | undefined
  /** What was kept after a refusal. */
  kept?: string | undefined
  /** What was kept after an unknown outcome. */
  keptUnknown?: string | undefined
  /** Sends the intent again under its key: after an unknown outcome, and when a `Retry-After` is over. */
  onSendAgain: () => void
  /** What follows the words of the button `Send again`, for instance the name of the file for assistive technology. */
  againName?: ReactNode
  /** Why the button `Send again` does nothing for now. */
  whyNotAgain?: string | undefined
  /** Shown beside the button `Send again`. */
  againNote?: ReactNode
  /** Discards the intent while the service wants a pause. What was typed stays. */
  onDiscard?: () => void
  /** A way out of a refusal. */
  action?: ReactNode
  compact?: boolean
}

/** The one callout for what was sent and is not confirmed: under way, unknown or refused, in plain words, with the way out. */
export function IntentCallout(props: Props) {
  const { intent, sending, unknown, words, kept, keptUnknown, againNote, onDiscard, action, compact = false } = props
  if (intent === undefined || intent.state === "confirmed") return null
  if (intent.state === "sending")
    return sending === undefined ? null : (
      <Callout icon="clock" compact>
        {sending}
      </Callout>
    )
  const { error, state } = intent
  const again = (
    <>
      <SendAgain error={error} onClick={props.onSendAgain} name={props.againName} whyNot={props.whyNotAgain} />
      {againNote}
    </>
  )
  if (state === "unknown")
    return (
      <ErrorAlert
        error={error}
        words={{
          happened: `Outcome unknown: ${unknown}`,
          toDo: "Send it again. It counts only once.",
        }}
        kept={keptUnknown}
        action={again}
        compact={compact}
      />
    )
  const afterPause = (
    <>
      {again}
      {onDiscard !== undefined && <Button onClick={onDiscard}>Don't send</Button>}
    </>
  )
  return (
    <ErrorAlert
      error={error}
      words={words}
      kept={kept}
      action={error.retryAt === undefined ? action : afterPause}
      compact={compact}
    />
  )
}

type SendAgainProps = { error: DeskError; onClick: () => void; name: ReactNode; whyNot: string | undefined }

/** Sends an intent again. While the service wants a pause, the button says for how long. */
function SendAgain({ error: { retryAt }, onClick, name, whyNot }: SendAgainProps) {
  const isWaiting = useIsWaiting(retryAt)
  return (
    <>
      <Button inactive={whyNot ?? isWaiting} onClick={onClick}>
        Send again{name}
      </Button>
      {isWaiting && retryAt !== undefined && (
        <span>
          You can send it <Countdown until={retryAt} />.
        </span>
      )}
    </>
  )
}
