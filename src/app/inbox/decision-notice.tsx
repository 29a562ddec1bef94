import { leavePage, signInAddress } from "../client/session.ts"
import { Button } from "../ui/button.tsx"
import { Countdown } from "../ui/countdown.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice } from "../ui/notice.tsx"
import type { DecisionState } from "./decision-state.ts"

type Props = {
  state: DecisionState<unknown>
  /** In the middle of a sentence: "decision". */
  sent: string
  onSendAgain: () => void
  /** Gives the last attempt up; what was typed stays. */
  onDiscard: () => void
}

/** What is known of something that was sent and not recorded: in plain words, with the way out. */
export function DecisionNotice({ state, sent, onSendAgain, onDiscard }: Props) {
  switch (state.kind) {
    case "sending":
      return (
        <Notice announce="status" icon="clock" compact>
          Sending your {sent}…
        </Notice>
      )
    case "unknown":
      return (
        <ErrorAlert
          error={state.error}
          kept={`Whether your ${sent} was recorded is not known. It is kept, and sending it again is safe: it can be recorded once at most.`}
          action={
            <>
              <strong>Outcome unknown.</strong>
              <Button onClick={onSendAgain}>Send again</Button>
            </>
          }
        />
      )
    case "waiting":
      return (
        <ErrorAlert
          error={state.error}
          kept={`Nothing was recorded; your ${sent} is kept.`}
          retryAt={state.byItself ? state.error.retryAt : undefined}
          action={
            <>
              {!state.byItself && state.error.retryAt !== undefined && (
                <span>
                  It is not sent by itself. You can send it <Countdown until={state.error.retryAt} />.
                </span>
              )}
              <Button onClick={onDiscard}>Do not send</Button>
            </>
          }
        />
      )
    case "forbidden":
      return (
        <ErrorAlert
          error={state.error}
          kept="Nothing was recorded; what you typed is kept."
          action={<Button onClick={onDiscard}>Try again</Button>}
        />
      )
    case "refused":
      return (
        <ErrorAlert
          error={state.error}
          kept="Nothing was recorded; what you typed is kept."
          action={state.refusal === "sign-in-again" && <SignInAgain onLeave={onDiscard} />}
        />
      )
    case "loading":
    case "reading":
    case "recorded":
    case "gone":
      return null
  }
}

/** Leads to the provider and back to this address. What was typed stays; the decision needs a fresh click. */
export function SignInAgain({ onLeave }: { onLeave: () => void }) {
  return (
    <Button
      onClick={() => {
        onLeave()
        leavePage(signInAddress({ again: true }))
      }}
    >
      Sign in again
    </Button>
  )
}
