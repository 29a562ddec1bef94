import { leavePage, signInAddress } from "../client/session.ts"
import { Button } from "../ui/button.tsx"
import { IntentNotice } from "../ui/intent-notice.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"
import type { DecisionState } from "./decision-state.ts"

type Props = {
  state: DecisionState<unknown>
  onSendAgain: () => void
  /** Discards the last attempt. What was typed stays. */
  onDiscard: () => void
  /** In the middle of a sentence: "decision". */
  sent: string
}

/** Says what happened to a decision that was sent and is not recorded, and what the person can do. */
export function DecisionNotice({ state, sent, onSendAgain, onDiscard }: Props) {
  if (state.kind !== "open") return null
  return (
    <IntentNotice
      intent={state.intent}
      sending={`Sending your ${sent}…`}
      unknown={`whether your ${sent} was recorded is not known.`}
      keptUnknown={`Your ${sent} is kept.`}
      kept={`Nothing was recorded; ${state.intent?.state === "waiting" ? `your ${sent}` : "what you typed"} is kept.`}
      again={<Button onClick={onSendAgain}>Send again</Button>}
      onDiscard={onDiscard}
      action={
        state.refusal === "forbidden" ? (
          <Button onClick={onDiscard}>Try again</Button>
        ) : (
          state.refusal === "sign-in-again" && <SignInAgain onLeave={onDiscard} />
        )
      }
    />
  )
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

/** Says that there is a newer version, with a button that shows it. */
export function NewerVersion({ version, onShow }: { version: bigint; onShow: () => void }) {
  return (
    <Notice announce="status" tone="warn" icon="refresh" compact>
      <NoticeLine>
        A newer version has come. What you are reading stays until you ask for it.
        <Button size="small" onClick={onShow}>
          Show version {String(version)}
        </Button>
      </NoticeLine>
    </Notice>
  )
}

/** Says that the newer version is on the screen, with what has changed. */
export function ShowsChange({ version, before }: { version: bigint; before: bigint }) {
  return (
    <Notice announce="status" tone="warn" icon="refresh" compact>
      This is version {String(version)}. What changed since version {String(before)} is marked, with the old text beside
      the new.
    </Notice>
  )
}
