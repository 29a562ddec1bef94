/** The dialog that confirms one decision about several letters. */
import { useState } from "react"
import styles from "./together.module.css"
import type { RowFacts } from "./row-choice.ts"
import type { Decision } from "./send-together.ts"
import decisionStyles from "../approvals/approvals.module.css"
import { CommentField, useComment } from "../approvals/comment-field.tsx"
import { useConfirm, useDialogKeys } from "../approvals/confirm-keys.ts"
import { useReading } from "../approvals/use-reading.ts"
import { plural, pluralForm } from "../../contract/plural.ts"
import { Button } from "../ui/button.tsx"
import { Callouts } from "../ui/callout.tsx"
import { classes } from "../ui/classes.ts"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ChangedText } from "../ui/facts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

const WORDS = {
  approve: { title: "Approve", confirm: "Confirm approve" },
  decline: { title: "Decline", confirm: "Confirm decline" },
} as const

type Props = {
  decision: Decision
  /** The rows that were chosen when the dialog was opened. */
  rows: readonly RowFacts[]
  /** Why a row is no longer chosen. */
  whyGone: (key: string) => string | undefined
  /** Why nothing can be decided now. */
  whyNot: string | undefined
  /** What the screen says about the rows, as a text for `useArmed`. */
  facts: string
  comment: Parameters<typeof useComment>[0]
  onConfirm: () => void
  onClose: () => void
}

/** Lists every destination. `Confirm …` and the chord act half a second after the list was seen to its end and nothing in it has changed. */
export function TogetherDialog({
  decision,
  rows,
  whyGone,
  whyNot,
  facts,
  comment: options,
  onConfirm,
  onClose,
}: Props) {
  const words = WORDS[decision]
  const [factsAtFirst] = useState(facts)
  // A freeze that began and ended again has changed something, too.
  const [hasChanged, setHasChanged] = useState(false)
  if (facts !== factsAtFirst && !hasChanged) setHasChanged(true)
  const count = rows.filter(({ key }) => whyGone(key) === undefined).length
  const gone = rows.length - count
  const comment = useComment(options)
  const { isRead, frame, scrollOn } = useReading(facts)
  const whyNothing = whyNot ?? (count === 0 ? "No letter is chosen any more." : undefined)
  const whyNotConfirm = whyNothing ?? (isRead ? comment.excess : "Read the list to its end first")
  const { button, armed, tooEarly, press, whenOpened } = useConfirm({
    facts: `${facts} ${String(isRead)}`,
    hasChanged,
    whyNot: whyNotConfirm,
    chordWaits: true,
    confirm: () => {
      onClose()
      onConfirm()
    },
  })
  const keys = useDialogKeys(button, press, comment.focus)
  return (
    <Dialog title={`${words.title} ${plural(count, "letter")}`} onCancel={onClose}>
      <div ref={whenOpened} {...keys}>
        <div ref={frame}>
          <ol className={styles["list"]} data-letter="">
            {rows.map(({ key, shown, context }) => (
              <Destination
                key={key}
                to={shown.destination}
                isFirst={context.context?.destination.first}
                whyGone={whyGone(key)}
              />
            ))}
          </ol>
        </div>
        <Callouts announce="status">
          {(hasChanged || whyNothing !== undefined) && (
            <p className="small">
              <strong>This changed while you had it open. </strong>
              {gone > 0 && `${plural(gone, "letter")} ${pluralForm(gone, "is", "are")} no longer chosen. `}
              <OutsideText>{whyNothing ?? ""}</OutsideText>
            </p>
          )}
        </Callouts>
        <CommentField {...comment.props} />
        <div className={styles["bar"]}>
          <DialogActions>
            <Button
              ref={button}
              kind={decision === "approve" ? "primary" : "secondary"}
              className={
                whyNotConfirm === undefined
                  ? classes(decisionStyles["fills"], decision === "approve" && decisionStyles["accented"])
                  : undefined
              }
              data-autofocus=""
              inactive={comment.excess ?? (whyNotConfirm !== undefined || !armed)}
              onClick={press}
              onIdleClick={press}
            >
              {words.confirm}
            </Button>
            <Button onClick={onClose}>Cancel</Button>
            {/* It keeps its place, so that no other button moves when the list has been read. */}
            <Button
              className={classes(styles["read"], isRead && styles["hidden"])}
              inactive={isRead}
              onClick={scrollOn}
            >
              Read to the end
            </Button>
            <output className="small soft">{tooEarly}</output>
          </DialogActions>
        </div>
      </div>
    </Dialog>
  )
}

type DestinationProps = { to: string; isFirst: boolean | undefined; whyGone: string | undefined }

/** One line of the list. It changes no text that it has shown, because a change within a letter is taken for the browser's. */
function Destination({ to, isFirst, whyGone }: DestinationProps) {
  return (
    <li data-read="" className={classes(whyGone !== undefined && styles["gone"])}>
      <span className={classes("mono", styles["destination"])}>
        <ChangedText>{to}</ChangedText>
      </span>
      {isFirst === true && (
        <span className={classes("small soft", styles["note"])}>First letter to this destination</span>
      )}
      {whyGone !== undefined && (
        <p className={classes("small", styles["note"])}>
          No longer chosen. <OutsideText>{whyGone}</OutsideText>
        </p>
      )}
    </li>
  )
}
