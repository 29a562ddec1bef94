import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ComponentProps, useId, useRef, useState } from "react"
import { ApprovalLetter } from "./approval-letter.tsx"
import styles from "./approvals.module.css"
import { BeforeYouDecide, type DecisionFact } from "./before-you-decide.tsx"
import { useDecisionContext } from "./decision-context.ts"
import { type Asked, type Asking, DecisionDialog } from "./decision-dialog.tsx"
import { useReading } from "./use-reading.ts"
import { useSession } from "../client/session.ts"
import { assigneesOptions, changeEntry, useEntryOf, withdrawApprove } from "../client/team-changes.ts"
import { isHeldFor, type TeamFacts } from "../client/waiting.ts"
import { itemKey } from "../inbox/addresses.ts"
import { SignInAgain } from "../inbox/decision-callout.tsx"
import type { ItemId } from "../inbox/item.ts"
import { ApprovalsSoFar, Assigned, DecideBy } from "../inbox/claim-line.tsx"
import { formatMissing } from "../inbox/claim-words.ts"
import { formatUnreadItem } from "../inbox/unread-item.tsx"
import { CHANGED_BY_BROWSER, type ControlsProps, useItemKeys } from "../inbox/use-decision.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine, Callouts } from "../ui/callout.tsx"
import { classes } from "../ui/classes.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { useAct } from "../ui/use-act.ts"
import { useArmed } from "../ui/use-armed.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { pluralForm } from "../../contract/plural.ts"
import { useIsNarrow } from "../ui/use-is-phone.ts"
import { useTooEarly } from "../ui/use-too-early.ts"
import type { Assignment } from "../../contract/desk-people.ts"
import type { Approval } from "../../contract/resources.ts"

/** What is unusual, the letter, and the buttons, which are visible at every scroll position. A button only opens a dialog. */
export function DecisionBar({ decision, current, isIntact }: ControlsProps<Approval>) {
  const { id, shown, before, phase, cardState, unread, missingRole, whyFrozen } = decision
  const [asked, setAsked] = useState<Asked>()
  // Another tab has sent a decision. The dialog of this tab must not reopen by itself afterwards.
  if (asked !== undefined && phase === "busy") setAsked(undefined)
  const known = useDecisionContext(id, shown.version)
  const { look_alikes: lookAlikes, may } = known.context ?? {}
  const { approvals, decide_by: decideBy, assignment } = useEntryOf("approval", ...id) ?? {}
  const rule = may?.approve === false ? may : undefined
  const approveKind = useApproveKind(approvals, missingRole !== undefined || rule?.code === "PROXY_RULE")
  const whyUnread = unread && formatUnreadItem(unread, "approval")
  // What lasts longer than a freeze is shown first: it is also why the item doesn't need the person.
  const whyNeverOrGiven = rule?.code === "PROXY_RULE" ? rule.detail : approveKind === "given" ? GIVEN : undefined
  const whyNotApprove = missingRole ?? whyUnread ?? whyNeverOrGiven ?? whyFrozen ?? rule?.detail

  const isWaitingForFacts = known.kind === "reading"
  // Reading counts only while the service lists the item. The facts push the letter down, so what was seen before them is looked at again.
  const readState = JSON.stringify([shown.id, String(shown.version), isWaitingForFacts])
  const reading = useReading(phase === "not-listed" ? undefined : readState)
  // The version of a malformed approval may be unreadable too.
  const canAct = phase === "ready" && isIntact && shown.version > 0n
  // Everything that changes what a click does, or moves the buttons, as a text for `useArmed`. `may` can add a line to the bar.
  // On a phone, the buttons of the current letter move to the bottom of the window.
  const isUnderFinger = useIsNarrow() && current
  const clickState = JSON.stringify([
    cardState,
    isUnderFinger,
    approvals?.needed,
    approvals?.given,
    decideBy,
    may,
    whyFrozen,
  ])
  const armedToDecline = useArmed(clickState, canAct)
  // Approve also waits until the whole letter and the context have been read, and until what is unusual has been visible for a moment.
  const approveState = JSON.stringify([clickState, known.kind, lookAlikes])
  const armedToApprove = useArmed(approveState, canAct && reading.isRead && !isWaitingForFacts)

  const mustRead = phase === "ready" && !reading.isRead && missingRole === undefined && unread === undefined
  const bar = useRef<HTMLDivElement>(null)
  const { why: whyEarly, refuse } = useTooEarly(JSON.stringify([clickState, phase, mustRead, isWaitingForFacts]))
  const ask = (asking: Asking) => {
    const isApprove = asking === "approve"
    const whyNot = isApprove ? whyNotApprove : missingRole
    if (whyNot === undefined && (isApprove ? armedToApprove : armedToDecline))
      return setAsked({ asking, facts: isApprove ? approveState : clickState })
    const button = bar.current?.querySelector(`[data-asks="${asking}"]`) ?? null
    refuse(button, whyNot ?? formatTooEarly(phase, isIntact, isApprove && mustRead, isApprove && isWaitingForFacts))
  }
  const whyId = useId()
  useItemKeys(id, current, { a: () => ask("approve"), d: () => ask("decline"), c: () => ask("change") }, true)
  return (
    <div ref={reading.frame}>
      <Callouts>{approveKind === "given" && approvals && <ApprovedByYou id={id} approvals={approvals} />}</Callouts>
      <BeforeYouDecide
        known={known}
        item={shown}
        first={[
          ...(decideBy === undefined ? [] : [dueFact(decideBy)]),
          ...(approvals === undefined ? [] : [approvalsFact(approvals)]),
          ...(assignment === undefined ? [] : [noteFact(assignment)]),
        ]}
        unfolded={approvals === undefined ? [] : earlierFacts(approvals, shown.version)}
      />
      <div key={String(shown.version)} data-letter="">
        <ApprovalLetter item={shown} before={before} />
      </div>
      <div ref={keepRoom} className={classes(styles["room"], current && styles["current"])}>
        <div ref={bar} className={styles["bar"]}>
          <span className={styles["of"]}>
            <OutsideText>{shown.summary}</OutsideText>
          </span>
          <DecideButton
            kind="primary"
            asks="approve"
            inactive={whyNotApprove !== undefined || !armedToApprove}
            aria-describedby={whyId}
            onAsk={ask}
          >
            {approveKind === "sends" ? "Approve and send" : "Approve"}
          </DecideButton>
          <DecideButton
            asks="decline"
            inactive={missingRole !== undefined || !armedToDecline}
            aria-describedby={whyId}
            onAsk={ask}
          >
            Decline
          </DecideButton>
          <DecideButton
            asks="change"
            inactive={missingRole !== undefined || !armedToDecline}
            aria-describedby={whyId}
            onAsk={ask}
          >
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
            <OutsideText>{whyEarly}</OutsideText>
          </output>
        </div>
      </div>
      {asked && phase === "ready" && (
        <DecisionDialog
          asked={asked}
          hint={asked.asking === "approve" ? formatConfirmHint(approveKind, approvals) : undefined}
          mustHold={asked.asking === "approve" && approveKind === "held"}
          lookAlikes={lookAlikes ?? []}
          whyNot={
            (asked.asking === "approve" ? whyNotApprove : missingRole) ?? (isIntact ? undefined : CHANGED_BY_BROWSER)
          }
          facts={asked.asking === "approve" ? approveState : clickState}
          decision={decision}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}

/** Why a press does nothing yet. */
function formatTooEarly(phase: string, isIntact: boolean, mustRead: boolean, isWaitingForFacts: boolean): string {
  if (!isIntact) return CHANGED_BY_BROWSER
  if (phase === "not-listed") return "This is no longer pending"
  if (phase === "busy") return "A decision is being sent"
  if (mustRead) return "Read to the end first"
  return isWaitingForFacts ? "Looking up the destination" : "This has just changed"
}

type DecideProps = ComponentProps<typeof Button> & { asks: Asking; onAsk: (asking: Asking) => void }

/** A button that opens a dialog. While it does nothing, it keeps its place in the Tab order, and a press shows why. */
function DecideButton({ asks, onAsk, ...button }: DecideProps) {
  return <Button {...button} data-asks={asks} onClick={() => onAsk(asks)} onIdleClick={() => onAsk(asks)} />
}

const GIVEN = "You have approved this. The desk keeps your approval."

/** "Kept until one more person approves. Your comment stays at this desk." */
function formatConfirmHint(kind: ApproveKind, approvals: Approvals | undefined): string | undefined {
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

type Approvals = NonNullable<TeamFacts["approvals"]>

function useApproveKind(approvals: Approvals | undefined, isForbidden: boolean): ApproveKind {
  const myId = useSession()?.person.id ?? ""
  if (approvals === undefined) return "only"
  if (isHeldFor(approvals, myId)) return "given"
  if (isForbidden) return "forbidden"
  return approvals.given.length + 1 >= approvals.needed ? "sends" : "held"
}

const NUMBERS = ["", "", "Two", "Three", "Four", "Five"]

const dueFact = (by: string): DecisionFact => ({ key: "due", icon: "clock", text: <DecideBy by={by} /> })

const noteFact = (assignment: Assignment): DecisionFact => ({
  key: "note",
  icon: "hand",
  text: <Assigned assignment={assignment} />,
})

function approvalsFact(approvals: Approvals): DecisionFact {
  const number = NUMBERS[approvals.needed] ?? String(approvals.needed)
  const text = (
    <>
      {number} people must approve. <ApprovalsSoFar approvals={approvals} />
    </>
  )
  return { key: "approvals", icon: "approvals", text }
}

/** Who has approved another version than the one on the screen. */
function earlierFacts(approvals: Approvals, version: bigint): readonly DecisionFact[] {
  // Until a newer version is shown, the desk counts an approval of the version on the screen as earlier.
  const earlier = approvals.earlier.filter((given) => given.version !== String(version))
  return earlier.map(({ person, version: approved }) => {
    const text = (
      <>
        <OutsideText>{`${person.name} approved version ${approved}.`}</OutsideText> This is version {String(version)}.
        That approval no longer counts.
      </>
    )
    return { key: `${person.id} ${approved}`, icon: "approvals", text }
  })
}

/** The desk keeps the person's approve: who else can approve, and a button that withdraws it. */
function ApprovedByYou({ id, approvals }: { id: ItemId; approvals: Approvals }) {
  const [work, item] = id
  const client = useQueryClient()
  const session = useSession()
  const { data } = useQuery(assigneesOptions(work, item))
  const alreadyApproved = new Set([session?.person.id, ...approvals.given.map(({ person }) => person.id)])
  const others = (data?.people ?? []).flatMap(({ id: person, name }) => (alreadyApproved.has(person) ? [] : [name]))
  const contact = session?.contact ?? undefined
  const whom = contact === undefined ? others : [...others, contact]
  // Not created at load time, because the first format of a page makes a browser load its language data, which takes 25 ms.
  const orList = new Intl.ListFormat("en", { type: "disjunction" })
  const withdraw = useAct(itemKey(id), () => withdrawApprove(work, item), {
    onDone: () => {
      const given = approvals.given.filter(({ person }) => person.id !== session?.person.id)
      changeEntry(client, work, item, { approvals: { ...approvals, given }, needs_you: true })
    },
  })
  return (
    <Callout announce="status" icon="done" compact>
      Approved by you. {formatMissing(approvals)}.{" "}
      <OutsideText>{whom.length === 0 ? "" : `Ask ${orList.format(whom)}.`}</OutsideText>
      <CalloutLine>
        <Button size="small" inactive={!withdraw.isArmed} onClick={() => withdraw.act()}>
          Withdraw my approval
        </Button>
      </CalloutLine>
      <ErrorAlert error={withdraw.error} compact />
    </Callout>
  )
}
