/** The dialog that confirms a decision. `confirm-keys.ts` ignores keys and clicks that came too early or just after a change. */
import { useState } from "react"
import { CommentField, isCoarsePointer, useComment } from "./comment-field.tsx"
import { useConfirm, useDialogKeys } from "./confirm-keys.ts"
import { LooksLike } from "./look-alike.tsx"
import { NewerVersion } from "../inbox/decision-callout.tsx"
import type { OpenDecision } from "../inbox/use-decision.ts"
import { Button } from "../ui/button.tsx"
import { Callouts } from "../ui/callout.tsx"
import { classes } from "../ui/classes.ts"
import { ChangedFact, ChangedText, Fact, Facts } from "../ui/facts.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./approvals.module.css"
import type { LookAlike } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"

/** Which dialog is open: for an approve, a decline, or a decline that asks for a change. */
export type Asking = "approve" | "decline" | "change"

/** The dialog that a person has opened. `facts`: what the screen said at that moment, as a text for `useArmed`. */
export type Asked = { readonly asking: Asking; readonly facts: string }

const WORDS = {
  approve: { title: "Approve", confirm: "Confirm approve" },
  decline: { title: "Decline", confirm: "Confirm decline" },
  change: { title: "Ask for a change", confirm: "Confirm decline and ask for a change" },
} as const

const ASKED_CHANGE = {
  label: "What should be different?",
  hint: "Declines the letter. You can delegate the Work again with this text.",
}

type Props = {
  asked: Asked
  /** How the approve counts if several people must approve. */
  hint: string | undefined
  /** Whether the desk keeps this approve until more people have approved. */
  mustHold: boolean
  lookAlikes: readonly LookAlike[]
  /** Why the person can no longer make this decision, if that has changed since the dialog was opened. */
  whyNot: string | undefined
  /** What the screen says now, in the form of `Asked`. */
  facts: string
  decision: OpenDecision<Approval>
  onClose: () => void
}

/** The last check before a decision: the summary, the destination, the subject, and a text. Only the button of this dialog decides. */
export function DecisionDialog({ asked, hint, mustHold, lookAlikes, whyNot, facts, decision, onClose }: Props) {
  const { shown, unread, newer, showNewer, text, setText, draft, decide } = decision
  const { asking } = asked
  const words = WORDS[asking]
  const asksForChange = asking === "change"
  const [newerAtFirst] = useState(newer?.version)
  const hasNewerLetter = newer !== undefined && newer.version !== newerAtFirst
  // A freeze that began and ended again has changed something, too.
  const [hasChanged, setHasChanged] = useState(false)
  if (facts !== asked.facts && !hasChanged) setHasChanged(true)
  const comment = useComment({ text, setText, draft, asked: asksForChange ? ASKED_CHANGE : undefined })
  const missing = asksForChange && text.trim() === "" ? "Write what should be different." : comment.excess
  const confirm = () => {
    onClose()
    decide({
      version: shown.version,
      text,
      decision: asking === "approve" ? "approve" : "decline",
      ...(mustHold && { mustHold }),
      ...(asksForChange && { wantsChange: true }),
    })
  }
  const whyNotConfirm = whyNot ?? (hasNewerLetter ? "Show the newer version first" : missing)
  const { button, armed, tooEarly, press, whenOpened } = useConfirm({
    facts,
    hasChanged,
    whyNot: whyNotConfirm,
    confirm,
  })
  const keys = useDialogKeys(button, press, comment.focus)
  return (
    <Dialog
      title={
        unread === undefined ? (
          <>
            {words.title}: <ChangedText>{shown.summary}</ChangedText>
          </>
        ) : (
          words.title
        )
      }
      focusTitle={asksForChange && isCoarsePointer()}
      onCancel={onClose}
    >
      <div ref={whenOpened} {...keys}>
        {unread === undefined && (
          <Facts>
            <Fact name="To">
              <span className="mono">
                <ChangedText>{shown.destination}</ChangedText>
              </span>
              {lookAlikes.map((lookAlike) => (
                <p key={lookAlike.destination}>
                  <LooksLike {...lookAlike} />
                </p>
              ))}
            </Fact>
            <ChangedFact name="Subject">{shown.subject}</ChangedFact>
          </Facts>
        )}
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
          {(hasChanged || (whyNot ?? hint) !== undefined) && (
            <p className="small">
              {(hasChanged || whyNot !== undefined) && <strong>This changed while you had it open. </strong>}
              {whyNot === undefined ? hint : <OutsideText>{whyNot}</OutsideText>}
            </p>
          )}
        </Callouts>
        <CommentField {...comment.props} />
        <DialogActions>
          <Button
            ref={button}
            kind={asking === "approve" ? "primary" : "secondary"}
            className={
              whyNotConfirm === undefined
                ? classes(styles["fills"], asking === "approve" && styles["accented"])
                : undefined
            }
            {...(!asksForChange && { "data-autofocus": "" })}
            inactive={missing ?? (whyNotConfirm !== undefined || !armed)}
            onClick={press}
            onIdleClick={press}
          >
            {words.confirm}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <output className="small soft">{tooEarly}</output>
        </DialogActions>
      </div>
    </Dialog>
  )
}
