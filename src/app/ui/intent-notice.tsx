import type { ReactNode } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { Button } from "./button.tsx"
import { Countdown } from "./countdown.tsx"
import { ErrorAlert } from "./error-alert.tsx"
import { Notice } from "./notice.tsx"

type Props = {
  state: "sending" | "unknown" | "waiting" | "refused"
  /** Undefined while sending. */
  error: DeskError | undefined
  /** When it is sent again by itself; undefined where the person has to send it. */
  resendsAt: number | undefined
  /** What was sent, in the middle of a sentence: "your answer". */
  what: string
  onSendAgain: () => void
  /** Discards the intent. What was typed stays. */
  onDiscard: () => void
  /** A way out of a refusal. */
  action?: ReactNode
}

/** Says what happened to an intent that was sent and is not recorded, in plain words, with the way out. */
export function IntentNotice({ state, error, resendsAt, what, onSendAgain, onDiscard, action }: Props) {
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
        retryAt={resendsAt}
        action={
          <>
            {resendsAt === undefined && <NotSentByItself error={error} />}
            <Button onClick={onDiscard}>Do not send</Button>
          </>
        }
      />
    )
  return <ErrorAlert error={error} kept="Nothing was recorded; what you typed is kept." action={action} />
}

/** Says when the person can send again, where the service has asked to wait for longer than a few minutes. */
export function NotSentByItself({ error: { retryAt } }: { error: DeskError }) {
  if (retryAt === undefined) return null
  return (
    <span>
      It is not sent by itself. You can send it <Countdown until={retryAt} />.
    </span>
  )
}
