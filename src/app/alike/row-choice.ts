/** Which letters can be chosen, to be decided together with others. */
import type { SignedIn } from "../../contract/desk-people.ts"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import { countOf } from "../../contract/plural.ts"
import type { Approval } from "../../contract/resources.ts"
import type { ContextState } from "../approvals/decision-context.ts"
import type { TeamFacts } from "../client/waiting.ts"
import { formatGiven } from "../inbox/claim-words.ts"
import { isMine, type Reader } from "../inbox/inbox-view.ts"
import { type ItemId, whyUnreadable } from "../inbox/item.ts"
import { formatUnreadItem } from "../inbox/unread-item.tsx"

/** Everything that decides whether a row can be chosen. */
export type RowFacts = {
  readonly key: string
  readonly id: ItemId
  /** The version on the screen, fixed when the card opened. */
  readonly shown: Approval
  /** Whether the first letter and this row have been seen whole, in these versions. */
  readonly isSeen: boolean
  readonly context: ContextState
  /** The pending item now; undefined once it is no longer pending. */
  readonly latest: Approval | undefined
  readonly team: TeamFacts
  readonly whyFrozen: string | undefined
  readonly missingRole: string | undefined
}

/** Who chooses; undefined until the session has been read. */
export type Chooser = (NonNullable<Reader> & Pick<SignedIn, "mode">) | undefined

/** Why a row can't be chosen now, in a few words; undefined for a row that can. The words may contain texts from outside. */
export function whyNotChosen(facts: RowFacts, me: Chooser): string | undefined {
  return whyBarred(facts, me) ?? facts.whyFrozen ?? whyNotYet(facts, me)
}

/** Why a chosen row does not stay chosen. A freeze is no reason: it stops all rows alike, and they stay chosen until it ends. */
export function whyChoiceGoes(facts: RowFacts, me: Chooser): string | undefined {
  // When a row has to be read anew, it has changed. The words stay in the row after it was read.
  return whyBarred(facts, me) ?? (whyNotYet(facts, me) === undefined ? undefined : "This row has changed")
}

/** What the person has seen of a row, besides the letter. A dialog about the row begins anew when it changes. */
export function choiceFacts({ key, shown, context, team, whyFrozen }: RowFacts): string {
  const {
    may,
    destination,
    first_of_colleague: isFirst,
    same_elsewhere: same,
    declined_before: declined,
  } = context.context ?? {}
  const ofTeam = [whyFrozen, team.decide_by, team.assignment?.etag]
  const sameIds = same?.map((each) => each.approval_id)
  const ofContext = [context.kind, may, destination?.first, isFirst, sameIds, declined]
  return JSON.stringify([key, String(shown.version), ofTeam, ofContext])
}

/** Why the row can't be chosen, even after waiting and reading. */
function whyBarred(facts: RowFacts, me: Chooser): string | undefined {
  const { shown, latest, context, team, missingRole } = facts
  if (latest === undefined) return "No longer pending"
  if (latest.version !== shown.version) return `Version ${String(latest.version)} has come`
  const unread = whyUnreadable(shown)
  if (unread !== undefined) return formatUnreadItem(unread, "approval")
  const { look_alikes: lookAlikes = [], may } = context.context ?? {}
  if (missingRole !== undefined) return missingRole
  if (team.approvals !== undefined) return formatNeeded(team.approvals)
  if (may?.approve === false) return may.code === "PROXY_SIGN_IN_AGAIN" ? ASKS_FOR_SIGN_IN : may.detail
  if (may?.asks_for_sign_in === true) return ASKS_FOR_SIGN_IN
  return lookAlikes.length > 0 ? "Marked as a look-alike" : whyForOthers(team, me)
}

const ASKS_FOR_SIGN_IN = "A rule asks for a fresh sign-in"

const formatNeeded = ({ needed }: ApprovalsGiven) => `Needs ${countOf(needed, "approval")}`

/** Why the item doesn't need this person. */
function whyForOthers(team: TeamFacts, me: Chooser): string | undefined {
  const { assignment, aside, needs_you: needsYou } = team
  if (assignment !== undefined && !isMine(team, me)) return formatGiven(assignment, me?.person.id ?? "")
  if (aside !== undefined) return "Set aside by you"
  return needsYou === true ? undefined : "Waits for others"
}

/** What is still to be read. */
function whyNotYet({ context, isSeen }: RowFacts, me: Chooser): string | undefined {
  if (context.kind === "failed") return "The destination couldn't be checked"
  // In local mode there are no rules. Else the rules are left out while the record can't be read.
  if (context.kind === "read" && context.context.may === undefined && me?.mode !== "local")
    return "The rules couldn't be checked"
  if (context.kind !== "read") return "Still checking the destination"
  return isSeen ? undefined : "Not seen yet"
}
