import { useId, useRef, useState } from "react"
import type { MayApprove } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"
import { useMissingRole } from "../client/missing-role.ts"
import { SignInAgain } from "../inbox/decision-notice.tsx"
import type { DecisionInput } from "../inbox/item.ts"
import { DecideBy } from "../inbox/line-state.tsx"
import type { ControlsProps } from "../inbox/item-variant.ts"
import type { OpenDecision } from "../inbox/use-decision.ts"
import { useArmed, useReadToEnd } from "../inbox/use-armed.ts"
import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { Notices } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { ApprovalLetter } from "./approval-letter.tsx"
import { BeforeYouDecide } from "./before-you-decide.tsx"
import { useDecisionContext } from "./decision-context.ts"
import styles from "./approvals.module.css"
import { DecisionDialog } from "./decision-dialog.tsx"
import { ApprovedByYou, MoreApprovals, useApproveKind } from "./more-approvals.tsx"

/** What is unusual, the letter, and the two buttons that are in the window at every scroll position. A button opens a dialog and decides nothing itself. */
export function DecisionBar({ decision, current }: ControlsProps<Approval>) {
  const { frozen, phase, cardState, refused } = decision
  const ready = phase === "ready"
  const { shown, before } = frozen
  const [asking, setAsking] = useState<DecisionInput["decision"]>()
  const body = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const whyId = useId()
  // Another tab has sent a decision. The dialog of this tab must not open again by itself afterwards.
  if (asking !== undefined && phase === "busy") setAsking(undefined)
  const seenToEnd = useReadToEnd(body, end, phase !== "not-listed" ? `${shown.id} ${String(shown.version)}` : "")
  const known = useDecisionContext(decision.id, shown.version)
  const canRead = ready && seenToEnd
  const armed = useArmed(cardState, canRead)
  // Whoever approves has had the time to read what is unusual. A decline needs no such reading.
  const armedToApprove = useArmed(
    `${cardState} ${known.kind} ${JSON.stringify(known.context?.look_alikes)}`,
    canRead && known.kind !== "reading",
  )
  const missingRole =
    useMissingRole("resolveWorkApproval") ?? (refused?.refusal === "role" ? refused.detail : undefined)
  const { kind, entry } = useApproveKind(decision.id)
  const rule = ruleOf(known.context?.may, refused)
  const whyNotApprove =
    missingRole ??
    rule?.detail ??
    (kind === "given" ? "You have approved this. The desk keeps your approval." : undefined)
  const canApprove = armedToApprove && whyNotApprove === undefined
  const canDecline = armed && missingRole === undefined
  useShortcuts(
    { a: () => canApprove && setAsking("approve"), d: () => canDecline && setAsking("decline") },
    { active: current && armed },
  )
  return (
    <>
      <Notices>{kind === "given" && entry && <ApprovedByYou id={decision.id} entry={entry} />}</Notices>
      <BeforeYouDecide known={known} item={shown}>
        {entry?.decide_by !== undefined && (
          <li>
            <DecideBy by={entry.decide_by} />. Nothing is decided when this time passes.
          </li>
        )}
        {entry?.approvals !== undefined && <MoreApprovals kind={kind} entry={entry} version={shown.version} />}
      </BeforeYouDecide>
      <ApprovalLetter item={shown} before={before} body={body} end={end} />
      <div className={classes(styles["room"], current && styles["current"])}>
        <div className={styles["bar"]}>
          <Button
            kind="primary"
            inactive={whyNotApprove !== undefined}
            disabled={whyNotApprove === undefined && !armedToApprove}
            aria-describedby={whyId}
            onClick={() => setAsking("approve")}
          >
            {kind === "sends" ? "Approve and send" : "Approve"}
          </Button>
          <Button
            kind="danger"
            inactive={missingRole !== undefined}
            disabled={missingRole === undefined && !armed}
            aria-describedby={whyId}
            onClick={() => setAsking("decline")}
          >
            Decline
          </Button>
          <span id={whyId} className="small">
            {whyNotApprove !== undefined && <OutsideText>{whyNotApprove}</OutsideText>}
            {ready && !seenToEnd && <span className="soft">Read to the end of the letter first</span>}
          </span>
          {rule?.signInAgain === true && <SignInAgain onLeave={decision.discard} />}
          <span className="grow" />
          <span className="soft small">version {String(shown.version)}</span>
        </div>
      </div>
      {asking && ready && (
        <DecisionDialog
          asking={asking}
          isHeld={kind === "held"}
          decision={decision}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  )
}

/** The rule of the desk that does not let the person approve: from the context of the letter, or from the last refusal. */
function ruleOf(
  may: MayApprove | undefined,
  refused: OpenDecision<Approval>["refused"],
): { readonly detail: string; readonly signInAgain: boolean } | undefined {
  if (may?.approve === false) return { detail: may.detail, signInAgain: may.code === "PROXY_SIGN_IN_AGAIN" }
  if (refused?.refusal === "rule") return { detail: refused.detail, signInAgain: false }
  // The notice of the refusal already has the button `Sign in again`.
  if (refused?.refusal === "sign-in-again") return { detail: refused.detail, signInAgain: false }
  return undefined
}
