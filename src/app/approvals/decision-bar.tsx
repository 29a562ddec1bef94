import { useId, useState } from "react"
import type { Approval } from "../../contract/resources.ts"
import { useEntryOf } from "../client/waiting.ts"
import { SignInAgain } from "../inbox/decision-callout.tsx"
import type { DecisionInput } from "../inbox/item.ts"
import { DecideBy } from "../inbox/team-words.tsx"
import type { ControlsProps } from "../inbox/item-variant.ts"
import { useIsPhone } from "../inbox/team-line.tsx"
import { useArmed, useItemKeys } from "../inbox/use-armed.ts"
import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { Callouts } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { ApprovalLetter, useReadToEnd } from "./approval-letter.tsx"
import { BeforeYouDecide } from "./before-you-decide.tsx"
import { useDecisionContext } from "./decision-context.ts"
import styles from "./approvals.module.css"
import { DecisionDialog } from "./decision-dialog.tsx"
import { ApprovedByYou, MoreApprovals, useApproveKind } from "./more-approvals.tsx"

/** What is unusual, the letter, and the two buttons that are in the window at every scroll position. A button opens a dialog and decides nothing itself. */
export function DecisionBar({ decision, current }: ControlsProps<Approval>) {
  const { id, shown, before, phase, cardState, missingRole } = decision
  const [asking, setAsking] = useState<DecisionInput["decision"]>()
  // Another tab has sent a decision. The dialog of this tab must not open again by itself afterwards.
  if (asking !== undefined && phase === "busy") setAsking(undefined)
  const known = useDecisionContext(id, shown.version)
  const { look_alikes: lookAlikes, may } = known.context ?? {}
  const { approvals, decide_by: decideBy } = useEntryOf("approval", ...id) ?? {}
  const rule = may?.approve === false ? may : undefined
  const approveKind = useApproveKind(approvals, missingRole !== undefined || rule?.code === "PROXY_RULE")
  const whyNotApprove = missingRole ?? rule?.detail ?? (approveKind === "given" ? GIVEN : undefined)

  // Reading counts only while the service lists the item.
  const { isReadToEnd, ...marks } = useReadToEnd(phase === "not-listed" ? "" : `${shown.id} ${String(shown.version)}`)
  const hasRead = phase === "ready" && isReadToEnd
  // All that changes what a click does. On a phone, the buttons of the current letter come under the finger.
  const isUnderFinger = useIsPhone() && current
  const clickState = JSON.stringify([cardState, isUnderFinger, approvals?.needed, approvals?.given, decideBy, may])
  const armedToDecline = useArmed(clickState, hasRead)
  // Approve waits until what is unusual has stood on the screen for a moment. Decline does not.
  const approveState = JSON.stringify([clickState, known.kind, lookAlikes])
  const armedToApprove = useArmed(approveState, hasRead && known.kind !== "reading")

  const canApprove = armedToApprove && whyNotApprove === undefined
  const canDecline = armedToDecline && missingRole === undefined
  const whyId = useId()
  useItemKeys(
    id,
    current,
    { a: () => canApprove && setAsking("approve"), d: () => canDecline && setAsking("decline") },
    armedToDecline,
  )
  return (
    <>
      <Callouts>{approveKind === "given" && approvals && <ApprovedByYou id={id} approvals={approvals} />}</Callouts>
      <BeforeYouDecide known={known} item={shown}>
        {decideBy !== undefined && (
          <li>
            <DecideBy by={decideBy} />. Nothing is decided when this time passes.
          </li>
        )}
        {approvals && <MoreApprovals kind={approveKind} approvals={approvals} version={shown.version} />}
      </BeforeYouDecide>
      <ApprovalLetter item={shown} before={before} {...marks} />
      <div className={classes(styles["room"], current && styles["current"])}>
        <div ref={keepRoom} className={styles["bar"]}>
          <span className={styles["of"]}>
            <OutsideText>{shown.summary}</OutsideText>
          </span>
          <Button
            kind="primary"
            inactive={whyNotApprove !== undefined}
            disabled={whyNotApprove === undefined && !armedToApprove}
            aria-describedby={whyId}
            onClick={() => setAsking("approve")}
          >
            {approveKind === "sends" ? "Approve and send" : "Approve"}
          </Button>
          <Button
            kind="danger"
            inactive={missingRole !== undefined}
            disabled={missingRole === undefined && !armedToDecline}
            aria-describedby={whyId}
            onClick={() => setAsking("decline")}
          >
            Decline
          </Button>
          <span id={whyId} className="small">
            {whyNotApprove !== undefined && <OutsideText>{whyNotApprove}</OutsideText>}{" "}
            {phase === "ready" && !isReadToEnd && missingRole === undefined && (
              <span className="soft">Read to the end of the letter first</span>
            )}
          </span>
          {/* After a refusal, the callout of the refusal has this button. */}
          {rule?.code === "PROXY_SIGN_IN_AGAIN" && decision.refusal !== "sign-in-again" && (
            <SignInAgain onLeave={decision.discard} />
          )}
          <span className={styles["version"]}>version {String(shown.version)}</span>
        </div>
      </div>
      {asking && phase === "ready" && (
        <DecisionDialog
          asking={asking}
          approveKind={approveKind}
          whyNot={asking === "approve" ? whyNotApprove : missingRole}
          clickState={asking === "approve" ? approveState : clickState}
          decision={decision}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  )
}

const GIVEN = "You have approved this. The desk keeps your approval."

/** On a phone the bar is out of the flow. Its room at the end of the card is as high as the bar, so that the bar covers no text. */
function keepRoom(bar: HTMLElement | null): (() => void) | undefined {
  const room = bar?.parentElement
  if (!bar || !room) return undefined
  const observer = new ResizeObserver(() => room.style.setProperty("--bar-height", `${String(bar.offsetHeight)}px`))
  observer.observe(bar)
  return () => observer.disconnect()
}
