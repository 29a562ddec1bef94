/** Who has an item, how many have approved it, and until when to decide: in words that change with the time. */
import type { Assignment } from "../../contract/desk-people.ts"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import { deskNow } from "../client/clock.ts"
import { useSession } from "../client/session.ts"
import type { TeamFacts } from "../client/waiting.ts"
import { formatApprovals, formatAssignment, formatAway, formatDecideBy } from "./claim-words.ts"
import styles from "./claims.module.css"
import { useClock } from "../ui/clocks.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { momentOf } from "../ui/time-words.ts"

/** The approvals given and the item's holder; empty if there are neither. */
export function useClaimWords({ approvals, assignment }: TeamFacts): string {
  const myId = useSession()?.person.id ?? ""
  return useClock((now) =>
    [approvals && formatApprovals(approvals, now), assignment && formatAssignment(assignment, myId, now)]
      .filter(Boolean)
      .join(" · "),
  )
}

/** Who has the item, since when and with which note, and whether they are away. */
export function Assigned({ assignment }: { assignment: Assignment }) {
  const myId = useSession()?.person.id ?? ""
  const words = useClock((now) =>
    [formatAssignment(assignment, myId, now), formatAway(assignment, now)].filter(Boolean).join(" · "),
  )
  return <OutsideText>{words}</OutsideText>
}

/** "1 of 2 approvals: Ada Lovelace, 5 min ago". */
export function ApprovalsSoFar({ approvals }: { approvals: ApprovalsGiven }) {
  return <OutsideText>{useClock((now) => formatApprovals(approvals, now))}</OutsideText>
}

/** A line of its own, which says that the item's holder is away. */
export function AwayLine({ assignment }: { assignment: Assignment }) {
  const words = useClock((now) => formatAway(assignment, now))
  return (
    words && (
      <span className={styles["away"]}>
        <OutsideText>{words}</OutsideText>
      </span>
    )
  )
}

/** The deadline that a rule of the desk sets for an approval. */
export function DecideBy({ by }: { by: string }) {
  const words = useClock((now) => formatDecideBy(by, now))
  const isPast = (momentOf(by) ?? Infinity) <= deskNow()
  return <strong className={isPast ? "over" : undefined}>{words}</strong>
}
