import { type ComponentProps, useId, useRef, useState } from "react"
import { ApprovalLetter } from "./approval-letter.tsx"
import styles from "./approvals.module.css"
import { BeforeYouDecide } from "./before-you-decide.tsx"
import { useDecisionContext } from "./decision-context.ts"
import { type Asked, type Asking, DecisionDialog } from "./decision-dialog.tsx"
import { ApprovedByYou, earlierFacts, teamFacts } from "./team-facts.tsx"
import { useReading } from "./use-reading.ts"
import { useSession } from "../client/session.ts"
import { useEntryOf } from "../client/team-changes.ts"
import { isHeldFor, type TeamFacts } from "../client/waiting.ts"
import { SignInAgain } from "../inbox/decision-callout.tsx"
import { useItemKeys } from "../inbox/item-keys.ts"
import { CHANGED_BY_BROWSER, type ControlsProps } from "../inbox/item-variant.ts"
import { formatUnreadItem } from "../inbox/unread-item.tsx"
import { Button } from "../ui/button.tsx"
import { Callouts } from "../ui/callout.tsx"
import { classes } from "../ui/classes.ts"
import { useArmed } from "../ui/use-armed.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { pluralForm } from "../../contract/plural.ts"
import { useIsNarrow } from "../ui/use-is-phone.ts"
import { useTooEarly } from "../ui/use-too-early.ts"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"

/** A decision that the bar offers. */
type Choice = {
  /** Why this person can't decide so; undefined if they can. */
  readonly whyNot: string | undefined
  /** Whether a press opens the dialog. Until then the card has just changed, or has not been read. */
  readonly isArmed: boolean
  /** Why a press does nothing yet. */
  readonly whyEarly: string
  /** Everything on the screen that the decision depends on, as a text for `useArmed`. */
  readonly facts: string
}

/** What is unusual, the letter, and the buttons, which are visible at every scroll position. A button only opens a dialog. */
export function DecisionBar({ decision, current, isIntact }: ControlsProps<Approval>) {
  const { id, shown, before, phase, cardState, unread, missingRole, whyFrozen } = decision
  const [asked, setAsked] = useState<Asked>()
  // Another tab has sent a decision. The dialog of this tab must not reopen by itself afterwards.
  if (asked !== undefined && phase === "busy") setAsked(undefined)
  const known = useDecisionContext(id, shown.version)
  const { look_alikes: lookAlikes = [], may } = known.context ?? {}
  const team: TeamFacts = useEntryOf("approval", ...id) ?? {}
  const { approvals } = team

  const rule = may?.approve === false ? may : undefined
  // Any other rule asks for a newer sign-in.
  const whyForbidden = missingRole ?? (rule?.code === "PROXY_RULE" ? rule.detail : undefined)
  const approveKind = useApproveKind(approvals, whyForbidden !== undefined)
  // What lasts longer than a freeze is shown first: it is also why the item doesn't need the person.
  const whyNotApprove =
    missingRole ??
    (unread && formatUnreadItem(unread, "approval")) ??
    whyForbidden ??
    (approveKind === "given" ? GIVEN : undefined) ??
    whyFrozen ??
    rule?.detail

  const isReadingContext = known.kind === "reading"
  // Reading counts only while the service lists the item. The facts push the letter down, so what was seen before them is looked at again.
  const readState = JSON.stringify([shown.id, String(shown.version), isReadingContext])
  const reading = useReading(phase === "not-listed" ? undefined : readState)
  const mustRead = phase === "ready" && !reading.isRead && missingRole === undefined && unread === undefined
  // The version of a malformed approval may be unreadable too.
  const canAct = phase === "ready" && isIntact && shown.version > 0n
  const whyBusy = formatBusy(phase, isIntact)
  // On a phone, the buttons of the current letter move to the bottom of the window. `may` can add a line to the bar.
  const isUnderFinger = useIsNarrow() && current
  const { needed, given } = approvals ?? {}
  const declineFacts = JSON.stringify([cardState, isUnderFinger, needed, given, team.decide_by, may, whyFrozen])
  const decline: Choice = {
    whyNot: missingRole,
    isArmed: useArmed(declineFacts, canAct),
    whyEarly: whyBusy ?? "This has just changed",
    facts: declineFacts,
  }
  // Approve also waits until the whole letter and the context have been read, and until what is unusual has been visible for a moment.
  const approveFacts = JSON.stringify([declineFacts, known.kind, lookAlikes])
  const whyUnseen = mustRead ? "Read to the end first" : isReadingContext ? "Looking up the destination" : undefined
  const approve: Choice = {
    whyNot: whyNotApprove,
    isArmed: useArmed(approveFacts, canAct && reading.isRead && !isReadingContext),
    whyEarly: whyBusy ?? whyUnseen ?? decline.whyEarly,
    facts: approveFacts,
  }
  const choiceOf = (asking: Asking) => (asking === "approve" ? approve : decline)

  const bar = useRef<HTMLDivElement>(null)
  const tooEarly = useTooEarly(JSON.stringify([declineFacts, phase, mustRead, isReadingContext]))
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
    <div ref={reading.frame}>
      <Callouts>{approveKind === "given" && approvals && <ApprovedByYou id={id} approvals={approvals} />}</Callouts>
      <BeforeYouDecide
        known={known}
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
            {whyNotApprove !== undefined && (
              <span className={classes(whyNotApprove === whyFrozen && styles["frozen"])}>
                <OutsideText>{whyNotApprove}</OutsideText>
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
              onClick={reading.scrollOn}
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
          lookAlikes={lookAlikes}
          whyNot={choiceOf(asked.asking).whyNot ?? (isIntact ? undefined : CHANGED_BY_BROWSER)}
          facts={choiceOf(asked.asking).facts}
          decision={decision}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}

/** Why nobody can decide at the moment. */
function formatBusy(phase: string, isIntact: boolean): string | undefined {
  if (!isIntact) return CHANGED_BY_BROWSER
  if (phase === "not-listed") return "This is no longer pending"
  return phase === "busy" ? "A decision is being sent" : undefined
}

type DecideProps = ComponentProps<typeof Button> & { asks: Asking; choice: Choice; onAsk: (asking: Asking) => void }

/** A button that opens a dialog. While it does nothing, it keeps its place in the Tab order, and a press shows why. */
function DecideButton({ asks, choice: { whyNot, isArmed }, onAsk, ...button }: DecideProps) {
  const onClick = () => onAsk(asks)
  const isInactive = whyNot !== undefined || !isArmed
  return <Button {...button} data-asks={asks} inactive={isInactive} onClick={onClick} onIdleClick={onClick} />
}

const GIVEN = "You have approved this. The desk keeps your approval."

/** "Kept until one more person approves. Your comment stays at this desk." */
function formatConfirmHint(kind: ApproveKind, approvals: ApprovalsGiven | undefined): string | undefined {
  if (kind === "sends") return "You are the last to approve. Your decision and comment are sent."
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

/**
 * How this person's approve counts.
 *
 * - `sends`: the approve is the last that is needed.
 * - `held`: the desk would keep the approve until others have approved.
 * - `given`: the desk already keeps the person's approve.
 * - `forbidden`: a role or a rule prevents the person from approving, and a newer sign-in would not help.
 * - `only`: no rule asks for more than one approval.
 */
type ApproveKind = "only" | "sends" | "held" | "given" | "forbidden"

function useApproveKind(approvals: ApprovalsGiven | undefined, isForbidden: boolean): ApproveKind {
  const myId = useSession()?.person.id ?? ""
  if (approvals === undefined) return "only"
  if (isHeldFor(approvals, myId)) return "given"
  if (isForbidden) return "forbidden"
  return approvals.given.length + 1 >= approvals.needed ? "sends" : "held"
}
