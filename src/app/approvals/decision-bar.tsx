import { useId, useState } from "react"
import type { Approval } from "../../contract/resources.ts"
import { useEntryOf } from "../client/waiting.ts"
import { SignInAgain } from "../inbox/decision-callout.tsx"
import type { DecisionInput } from "../inbox/item.ts"
import { DecideBy } from "../inbox/team-words.tsx"
import type { ControlsProps } from "../inbox/item-variant.ts"
import { useArmed } from "../inbox/use-armed.ts"
import type { OpenDecision } from "../inbox/use-decision.ts"
import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { Callouts } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { ApprovalLetter, useReadToEnd } from "./approval-letter.tsx"
import { BeforeYouDecide } from "./before-you-decide.tsx"
import { type ContextState, useDecisionContext } from "./decision-context.ts"
import styles from "./approvals.module.css"
import { DecisionDialog } from "./decision-dialog.tsx"
import { type ApproveKind, ApprovedByYou, MoreApprovals, useApproveKind } from "./more-approvals.tsx"

/** What is unusual, the letter, and the two buttons that are in the window at every scroll position. A button opens a dialog and decides nothing itself. */
export function DecisionBar({ decision, current }: ControlsProps<Approval>) {
  const { id, shown, before, phase, missingRole } = decision
  const [asking, setAsking] = useState<DecisionInput["decision"]>()
  // Another tab has sent a decision. The dialog of this tab must not open again by itself afterwards.
  if (asking !== undefined && phase === "busy") setAsking(undefined)
  const known = useDecisionContext(id, shown.version)
  const { isReadToEnd, marks, armedToApprove, armedToDecline } = useArmedButtons(decision, known)
  const { approvals, decide_by: decideBy } = useEntryOf("approval", ...id) ?? {}
  const rule = known.context?.may?.approve === false ? known.context.may : undefined
  const approveKind = useApproveKind(approvals, missingRole !== undefined || rule?.code === "PROXY_RULE")
  const whyNotApprove = sayWhyNotApprove(decision, rule, approveKind)
  const canApprove = armedToApprove && whyNotApprove === undefined
  const canDecline = armedToDecline && missingRole === undefined
  const whyId = useId()
  useShortcuts(
    { a: () => canApprove && setAsking("approve"), d: () => canDecline && setAsking("decline") },
    { active: current && armedToDecline },
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
        <div className={styles["bar"]}>
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
          {rule?.code === "PROXY_SIGN_IN_AGAIN" && <SignInAgain onLeave={decision.discard} />}
          <span className={styles["version"]}>version {String(shown.version)}</span>
        </div>
      </div>
      {asking && phase === "ready" && (
        <DecisionDialog
          asking={asking}
          isHeld={approveKind === "held"}
          decision={decision}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  )
}

/**
 * Whether a click on each button may act: only after the person has read the letter to its end, and the card has not changed for a moment.
 * The letter takes `marks`.
 */
function useArmedButtons({ shown, phase, cardState }: OpenDecision<Approval>, known: ContextState) {
  // Reading counts only while the service lists the item.
  const { isReadToEnd, ...marks } = useReadToEnd(phase === "not-listed" ? "" : `${shown.id} ${String(shown.version)}`)
  const hasRead = phase === "ready" && isReadToEnd
  // Approve waits until what is unusual has stood on the screen for a moment. Decline does not.
  const armedToApprove = useArmed(
    `${cardState} ${known.kind} ${JSON.stringify(known.context?.look_alikes)}`,
    hasRead && known.kind !== "reading",
  )
  return { isReadToEnd, marks, armedToApprove, armedToDecline: useArmed(cardState, hasRead) }
}

/** Why this person may not approve, and whom to ask; undefined where they may. */
function sayWhyNotApprove(
  { missingRole, refused }: OpenDecision<Approval>,
  rule: { readonly detail: string } | undefined,
  kind: ApproveKind,
): string | undefined {
  if (missingRole !== undefined) return missingRole
  if (rule !== undefined) return rule.detail
  if (refused?.refusal === "rule" || refused?.refusal === "sign-in-again") return refused.detail
  return kind === "given" ? "You have approved this. The desk keeps your approval." : undefined
}
