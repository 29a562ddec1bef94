import { leavePage, signInAddress } from "../client/session.ts"
import { Button } from "../ui/button.tsx"
import { IntentNotice } from "../ui/intent-notice.tsx"
import type { DecisionState } from "./decision-state.ts"

type Props = {
  state: DecisionState<unknown>
  /** In the middle of a sentence: "decision". */
  sent: string
  onSendAgain: () => void
  /** Discards the last attempt. What was typed stays. */
  onDiscard: () => void
}

/** Says what happened to a decision that was sent and is not recorded, and what the person can do. */
export function DecisionNotice({ state, sent, onSendAgain, onDiscard }: Props) {
  switch (state.kind) {
    case "sending":
    case "unknown":
    case "waiting":
    case "refused":
    case "forbidden":
      return (
        <IntentNotice
          state={state.kind === "forbidden" ? "refused" : state.kind}
          error={"error" in state ? state.error : undefined}
          resendsAt={state.kind === "waiting" ? state.resendsAt : undefined}
          what={`your ${sent}`}
          onSendAgain={onSendAgain}
          onDiscard={onDiscard}
          action={
            state.kind === "forbidden" ? (
              <Button onClick={onDiscard}>Try again</Button>
            ) : (
              state.kind === "refused" && state.refusal === "sign-in-again" && <SignInAgain onLeave={onDiscard} />
            )
          }
        />
      )
    case "loading":
    case "reading":
    case "recorded":
    case "gone":
      return null
  }
}

/** A button that leads to the provider and back to this address. What was typed stays. The decision needs a new click. */
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
