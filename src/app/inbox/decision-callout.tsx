import { signInAgain } from "../client/person.ts"
import { type Entry, useKept } from "../client/storage.ts"
import styles from "./item-card.module.css"
import type { Item } from "./item.ts"
import type { OpenDecision } from "./use-decision.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { CopyButton } from "../ui/copy-button.tsx"
import { IntentCallout } from "../ui/intent-callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

type Props = {
  decision: Pick<OpenDecision<Item>, "intent" | "refusal" | "whyNotAgain" | "sendAgain" | "discard">
  /** In the middle of a sentence: "decision". */
  sent: string
}

/** What happened to a decision that was sent and is not confirmed, and what the person can do. */
export function DecisionCallout({ decision, sent }: Props) {
  const { intent, refusal, whyNotAgain, sendAgain, discard } = decision
  return (
    <IntentCallout
      intent={intent}
      sending={`Sending your ${sent}…`}
      unknown={`your ${sent} may or may not have been recorded.`}
      keptUnknown={`Your ${sent} is kept.`}
      kept="Nothing was recorded. What you typed is kept."
      onSendAgain={sendAgain}
      whyNotAgain={whyNotAgain}
      onDiscard={discard}
      action={
        refusal === "sign-in-again" ? (
          <SignInAgain onLeave={discard} />
        ) : (
          // The session and the rules show what the person may do now. The refusal may be out of date.
          (refusal === "forbidden" || refusal === "role" || refusal === "rule") && (
            <Button onClick={discard}>Try again</Button>
          )
        )
      }
    />
  )
}

/** A button that leads to the identity provider and back. The typed text is kept, and the decision needs a new click. */
export function SignInAgain({ onLeave }: { onLeave: () => void }) {
  return (
    <Button
      onClick={() => {
        onLeave()
        signInAgain()
      }}
    >
      Sign in again
    </Button>
  )
}

export function NewerVersion({ version, onShow }: { version: bigint; onShow: () => void }) {
  return (
    <Callout tone="warn" icon="refresh" compact>
      <CalloutLine>
        There is a newer version. You're still reading the older one.
        <Button size="small" onClick={onShow}>
          Show version {String(version)}
        </Button>
      </CalloutLine>
    </Callout>
  )
}

/** Shows a text that can no longer be sent, with a button to copy it. `what` names the text: "comment". */
export function KeptText({ what, text }: { what: string; text: string }) {
  if (text === "") return null
  return (
    <div className={styles["kept"]}>
      <div className="soft small">
        Your unsent {what} <CopyButton text={text} what={`your ${what}`} />
      </div>
      <OutsideText multiline>{text}</OutsideText>
    </div>
  )
}

/** Shows whether the browser keeps the draft, because a reload would otherwise lose it without a warning. */
export function DraftNote({ draft }: { draft: Pick<Entry<unknown>, "kept"> }) {
  const kept = useKept(draft)
  if (kept === "stored") return <span className="soft small">Draft saved</span>
  return (
    <output className="small">
      {kept === "page"
        ? "This text isn't saved: the browser's storage is full or switched off. Copy it before you leave this page."
        : "This is an older version of your text. The browser's storage was full, so later changes were lost."}
    </output>
  )
}
