import type { ReactNode } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { type Intent, resendsAt } from "../client/stored-intent.ts"
import { Button } from "./button.tsx"
import { Countdown } from "./clocks.tsx"
import { ErrorAlert } from "./error-alert.tsx"
import type { ErrorWords } from "./error-words.ts"
import { Callout } from "./callout.tsx"

type Props = {
  /** What was sent, and what is known of it. A recorded intent needs no callout. */
  intent: Intent<unknown, unknown> | undefined
  /** Shown while the intent is sent: "Sending your answer…". Left out where something else says so. */
  sending?: string
  /** What an unknown outcome means: "the Work may or may not have been created." */
  unknown: string
  /** Our own words for a refusal or a wait, where the general words do not fit. */
  words?: ErrorWords | undefined
  /** What was kept, after a refusal or while the intent waits. */
  kept?: string | undefined
  /** What was kept after an unknown outcome. */
  keptUnknown?: string | undefined
  /** The button that sends the intent again after an unknown outcome. */
  again: ReactNode
  /** False where the intent is not sent again by itself after a wait, because the person has changed what they typed. */
  resends?: boolean
  /** Discards the intent while it waits. What was typed stays. */
  onDiscard?: () => void
  /** A way out of a refusal. */
  action?: ReactNode
  compact?: boolean
}

/** The one callout for what was sent and is not recorded: under way, unknown, waiting or refused, in plain words, with the way out. */
export function IntentCallout(props: Props) {
  const { intent, sending, unknown, words, kept, keptUnknown, again, resends = true, onDiscard, action } = props
  const { compact = false } = props
  if (intent === undefined || intent.state === "recorded") return null
  if (intent.state === "sending")
    return sending === undefined ? null : (
      <Callout announce="status" icon="clock" compact>
        {sending}
      </Callout>
    )
  const { error } = intent
  if (intent.state === "unknown")
    return (
      <ErrorAlert
        error={error}
        words={{
          happened: `Outcome unknown: ${unknown}`,
          toDo: "Send it again. The same key is used, so it counts once.",
        }}
        kept={keptUnknown}
        action={again}
        compact={compact}
      />
    )
  const shared = { error, words, compact, kept }
  if (intent.state === "refused") return <ErrorAlert {...shared} action={action} />
  const sendsAt = resends ? resendsAt({ since: intent.since, error }) : undefined
  return (
    <ErrorAlert
      {...shared}
      retryAt={sendsAt}
      action={
        (resends || onDiscard !== undefined) && (
          <>
            {resends && sendsAt === undefined && <NotSentByItself error={error} />}
            {onDiscard !== undefined && <Button onClick={onDiscard}>Do not send</Button>}
          </>
        )
      }
    />
  )
}

/** Says when the person can send again, where the service has asked to wait for longer than a few minutes. */
function NotSentByItself({ error: { retryAt } }: { error: DeskError }) {
  if (retryAt === undefined) return null
  return (
    <span>
      It is not sent by itself. You can send it <Countdown until={retryAt} />.
    </span>
  )
}
