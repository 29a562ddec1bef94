import { type KeyboardEvent, useRef, useState } from "react"
import type { ApproveKind } from "./decision-bar.tsx"
import { DraftNote, NewerVersion } from "../inbox/decision-callout.tsx"
import { type OpenDecision } from "../inbox/use-decision.ts"
import { Button } from "../ui/button.tsx"
import { Callouts } from "../ui/callout.tsx"
import { ChangedFact, ChangedText, Fact, Facts } from "../ui/facts.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { formatExcess, TextArea } from "../ui/field.tsx"
import { useArmed } from "../ui/use-act.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./approvals.module.css"
import { COMMENT_MAX_CHARACTERS, countCharacters } from "../../contract/limits.ts"
import type { Approval } from "../../contract/resources.ts"

/** Which dialog is open: that of an approve, of a decline, or of a decline that asks for a change. */
export type Asking = "approve" | "decline" | "change"

const WORDS = {
  approve: { title: "Approve this?", label: "Comment", confirm: "Confirm approve", kind: "primary" },
  decline: { title: "Decline this?", label: "Comment", confirm: "Confirm decline", kind: "danger" },
  change: {
    title: "Ask for a change",
    label: "What should be different?",
    confirm: "Confirm decline and ask for a change",
    kind: "danger",
  },
} as const

type Props = {
  asking: Asking
  approveKind: ApproveKind
  /** Why the person may not decide so any more, since the dialog was opened. */
  whyNot: string | undefined
  /** A text that changes whenever what the button does may change, for `useArmed`. */
  clickState: string
  decision: OpenDecision<Approval>
  onClose: () => void
}

/** The last check before a decision: the destination, the subject, and a text. Only the button of this dialog decides. */
export function DecisionDialog({ asking, approveKind, whyNot, clickState, decision, onClose }: Props) {
  const { shown, unread, newer, showNewer, text: comment, setText, draft, decide } = decision
  const armed = useArmed(`${asking} ${clickState}`) && whyNot === undefined
  const does = asking === "approve" ? formatConfirmHint(approveKind) : undefined
  const [didAtFirst] = useState(does)
  const hasChanged = whyNot !== undefined || does !== didAtFirst
  const heldKeys = useHeldKeys()
  const words = WORDS[asking]
  const asksForChange = asking === "change"
  const isMissing = asksForChange && comment.trim() === ""
  return (
    <Dialog title={words.title} onCancel={onClose}>
      <div {...heldKeys}>
        <Callouts announce="status">
          {newer && (
            <NewerVersion
              version={newer.version}
              onShow={() => {
                onClose()
                showNewer()
              }}
            />
          )}
          {(whyNot ?? does) !== undefined && (
            <p className="small">
              {hasChanged && <strong>This has changed while you had it open. </strong>}
              {whyNot === undefined ? does : <OutsideText>{whyNot}</OutsideText>}
            </p>
          )}
        </Callouts>
        <Facts>
          {unread === undefined && (
            <>
              <Fact name="To">
                <span className="mono">
                  <ChangedText>{shown.destination}</ChangedText>
                </span>
              </Fact>
              <ChangedFact name="Subject">{shown.subject}</ChangedFact>
            </>
          )}
          <Fact name="Version">{String(shown.version)}</Fact>
        </Facts>
        <div className={styles["comment"]}>
          <TextArea
            label={words.label}
            {...(asksForChange
              ? { required: true, hint: "The letter is declined. Whoever delegates again reads this text." }
              : { aside: "optional" })}
            limit={COMMENT_MAX_CHARACTERS}
            data-autofocus=""
            value={comment}
            onText={setText}
          />
        </div>
        {comment !== "" && <DraftNote draft={draft} />}
        <DialogActions>
          <Button
            kind={words.kind}
            onClick={() => {
              onClose()
              const mustHold = asking === "approve" && approveKind === "held"
              decide({
                version: shown.version,
                text: comment,
                decision: asking === "approve" ? "approve" : "decline",
                ...(mustHold && { mustHold }),
                ...(asksForChange && { wantsChange: true }),
              })
            }}
            disabled={!armed}
            disabledReason={
              isMissing
                ? "Write what should be different."
                : formatExcess(countCharacters(comment), COMMENT_MAX_CHARACTERS)
            }
          >
            {words.confirm}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

function formatConfirmHint(kind: ApproveKind): string | undefined {
  if (kind === "held") return "More people must approve after you, so your comment goes no further than this desk."
  return kind === "sends" ? "You are the last who must approve: the decision and your comment are sent." : undefined
}

/** A key that was pressed before the dialog opened and is still held types nothing into the comment and presses no button. */
function useHeldKeys() {
  const held = useRef(true)
  return {
    onKeyDownCapture: (event: KeyboardEvent) => {
      if (!event.repeat) held.current = false
      else if (held.current || !(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
    },
    onKeyUpCapture: () => {
      held.current = false
    },
  }
}
