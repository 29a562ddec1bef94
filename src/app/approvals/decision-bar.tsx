import { type ComponentProps, useId, useRef, useState } from "react"
import { ApprovalLetter } from "./approval-letter.tsx"
import styles from "./approvals.module.css"
import { BeforeYouDecide } from "./before-you-decide.tsx"
import { type ApproveKind, type Choice, useChoices } from "./decision-choices.ts"
import { type Asked, type Asking, DecisionDialog } from "./decision-dialog.tsx"
import { ApprovedByYou, earlierFacts, teamFacts } from "./team-facts.tsx"
import { SignInAgain } from "../inbox/decision-callout.tsx"
import { useItemKeys } from "../inbox/item-keys.ts"
import { CHANGED_BY_BROWSER, type ControlsProps } from "../inbox/item-variant.ts"
import { Button } from "../ui/button.tsx"
import { Callouts } from "../ui/callout.tsx"
import { classes } from "../ui/classes.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { pluralForm } from "../../contract/plural.ts"
import { useTooEarly } from "../ui/use-too-early.ts"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"

/** What is unusual, the letter, and the buttons, which are visible at every scroll position. A button only opens a dialog. */
export function DecisionBar({ decision, current, isIntact }: ControlsProps<Approval>) {
  const { id, shown, before, phase, unread, missingRole, whyFrozen } = decision
  const [asked, setAsked] = useState<Asked>()
  // Another tab has sent a decision. The dialog of this tab must not reopen by itself afterwards.
  if (asked !== undefined && phase === "busy") setAsked(undefined)
  const choices = useChoices({ decision, current, isIntact })
  const { approve, decline, approveKind, team, rule, frame, scrollOn, mustRead } = choices
  const { approvals } = team
  const choiceOf = (asking: Asking) => (asking === "approve" ? approve : decline)

  const bar = useRef<HTMLDivElement>(null)
  const tooEarly = useTooEarly(JSON.stringify([decline.facts, phase, mustRead, choices.known.kind === "reading"]))
  const ask = (asking: Asking) => {
    const { whyNot, isArmed, whyEarly, facts } = choiceOf(asking)
    if (whyNot === undefined && isArmed) return setAsked({ asking, facts })
    const button = bar.current?.querySelector(`[data-asks="${asking}"]`) ?? null
    tooEarly.refuse(button, whyNot ?? whyEarly)
  }
  useItemKeys(id, { a: () => ask("approve"), d: () => ask("decline"), c: () => ask("change") }, { current })
  const whyId = useId()
  const onDecide = { onAsk: ask, "aria-describedby": whyId }
  const asksToApprove = asked?.asking === "approve"
  return (
    <div ref={frame}>
      <Callouts>{approveKind === "given" && approvals && <ApprovedByYou id={id} approvals={approvals} />}</Callouts>
      <BeforeYouDecide
        known={choices.known}
        item={shown}
        first={teamFacts(team)}
        unfolded={earlierFacts(approvals, shown.version)}
      />
      <div key={String(shown.version)} data-letter="">
        <ApprovalLetter item={shown} before={before} />
      </div>
      <div ref={keepRoom} className={classes(styles["room"], current && styles["current"])}>
        <div ref={bar} className={styles["bar"]}>
          <span className={styles["of"]}>
            <OutsideText>{shown.summary}</OutsideText>
          </span>
          <DecideButton kind="primary" asks="approve" choice={approve} {...onDecide}>
            {approveKind === "sends" ? "Approve and send" : "Approve"}
          </DecideButton>
          <DecideButton asks="decline" choice={decline} {...onDecide}>
            Decline
          </DecideButton>
          <DecideButton asks="change" choice={decline} {...onDecide}>
            Ask for a change
          </DecideButton>
          <span id={whyId} className="small">
            {approve.whyNot !== undefined && (
              <span className={classes(approve.whyNot === whyFrozen && styles["frozen"])}>
                <OutsideText>{approve.whyNot}</OutsideText>
              </span>
            )}{" "}
            {mustRead && <span className="visually-hidden">Read to the end first.</span>}
          </span>
          {/* After a refusal, the callout of the refusal has this button. */}
          {rule?.code === "PROXY_SIGN_IN_AGAIN" && decision.refusal !== "sign-in-again" && (
            <SignInAgain onLeave={decision.discard} />
          )}
          {/* It keeps its place, so that no other button moves when the letter has been read. */}
          {missingRole === undefined && unread === undefined && (
            <Button
              className={classes(styles["read"], !mustRead && styles["hidden"])}
              inactive={!mustRead}
              onClick={scrollOn}
            >
              Read to the end
            </Button>
          )}
          <output className={styles["early"]}>
            <OutsideText>{tooEarly.why}</OutsideText>
          </output>
        </div>
      </div>
      {asked && phase === "ready" && (
        <DecisionDialog
          asked={asked}
          hint={asksToApprove ? formatConfirmHint(approveKind, approvals) : undefined}
          mustHold={asksToApprove && approveKind === "held"}
          lookAlikes={choices.lookAlikes}
          whyNot={choiceOf(asked.asking).whyNot ?? (isIntact ? undefined : CHANGED_BY_BROWSER)}
          facts={choiceOf(asked.asking).facts}
          decision={decision}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}

type DecideProps = ComponentProps<typeof Button> & { asks: Asking; choice: Choice; onAsk: (asking: Asking) => void }

/** A button that opens a dialog. While it does nothing, it keeps its place in the Tab order, and a press shows why. */
function DecideButton({ asks, choice: { whyNot, isArmed }, onAsk, ...button }: DecideProps) {
  const onClick = () => onAsk(asks)
  const isInactive = whyNot !== undefined || !isArmed
  return <Button {...button} data-asks={asks} inactive={isInactive} onClick={onClick} onIdleClick={onClick} />
}

/** "Kept until one more person approves. Your comment stays at this desk." */
function formatConfirmHint(kind: ApproveKind, approvals: ApprovalsGiven | undefined): string | undefined {
  if (kind === "sends") return "Your approval is the last one needed. Your decision and comment will be sent."
  if (kind !== "held" || approvals === undefined) return undefined
  const missing = approvals.needed - approvals.given.length - 1
  const who = pluralForm(missing, "one more person approves", `${missing} more people approve`)
  return `Kept until ${who}. Your comment stays at this desk.`
}

/** On a phone the bar is out of the flow. The space at the end of the card gets the height of the bar, so that the bar covers no text. */
function keepRoom(room: HTMLElement | null): (() => void) | undefined {
  const bar = room?.firstElementChild
  if (!room || !(bar instanceof HTMLElement)) return undefined
  const observer = new ResizeObserver(() => room.style.setProperty("--bar-height", `${String(bar.offsetHeight)}px`))
  observer.observe(bar)
  return () => observer.disconnect()
}
