/** What a person can decide about an approval: why they can't approve or decline, and whether the buttons act yet. */
import { useDecisionContext } from "./decision-context.ts"
import { useReading } from "./use-reading.ts"
import { useSession } from "../client/session.ts"
import { useEntryOf } from "../client/team-changes.ts"
import { isHeldFor, type TeamFacts } from "../client/waiting.ts"
import { CHANGED_BY_BROWSER, type ControlsProps } from "../inbox/item-variant.ts"
import { formatUnreadItem } from "../inbox/unread-item.tsx"
import { useArmed } from "../ui/use-armed.ts"
import { useIsNarrow } from "../ui/use-is-phone.ts"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"

/** A decision that the bar offers. */
export type Choice = {
  /** Why this person can't decide so; undefined if they can. */
  readonly whyNot: string | undefined
  /** Whether a press opens the dialog. Until then the card has just changed, or has not been read. */
  readonly isArmed: boolean
  /** Why a press does nothing yet. */
  readonly whyEarly: string
  /** Everything on the screen that the decision depends on, as a text for `useArmed`. */
  readonly facts: string
}

/** The two decisions about an approval, and what they are made from. */
export function useChoices({ decision, current, isIntact }: ControlsProps<Approval>) {
  const { id, shown, phase, cardState, unread, missingRole, whyFrozen } = decision
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
  const { isRead, frame, scrollOn } = useReading(phase === "not-listed" ? undefined : readState)
  const mustRead = phase === "ready" && !isRead && missingRole === undefined && unread === undefined
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
  const whyUnseen = mustRead ? "Read to the end first" : isReadingContext ? "Still checking the destination" : undefined
  const approve: Choice = {
    whyNot: whyNotApprove,
    isArmed: useArmed(approveFacts, canAct && isRead && !isReadingContext),
    whyEarly: whyBusy ?? whyUnseen ?? decline.whyEarly,
    facts: approveFacts,
  }
  return { approve, decline, approveKind, known, lookAlikes, team, rule, frame, scrollOn, mustRead }
}

/** Why nobody can decide at the moment. */
function formatBusy(phase: string, isIntact: boolean): string | undefined {
  if (!isIntact) return CHANGED_BY_BROWSER
  if (phase === "not-listed") return "This is no longer pending"
  return phase === "busy" ? "A decision is being sent" : undefined
}

const GIVEN = "You have already approved this."

/**
 * How this person's approve counts.
 *
 * - `sends`: the approve is the last that is needed.
 * - `held`: the desk would keep the approve until others have approved.
 * - `given`: the desk already keeps the person's approve.
 * - `forbidden`: a role or a rule prevents the person from approving, and a newer sign-in would not help.
 * - `only`: no rule asks for more than one approval.
 */
export type ApproveKind = "only" | "sends" | "held" | "given" | "forbidden"

function useApproveKind(approvals: ApprovalsGiven | undefined, isForbidden: boolean): ApproveKind {
  const myId = useSession()?.person.id ?? ""
  if (approvals === undefined) return "only"
  if (isHeldFor(approvals, myId)) return "given"
  if (isForbidden) return "forbidden"
  return approvals.given.length + 1 >= approvals.needed ? "sends" : "held"
}
