/** What a row and a card say about the people who share an inbox, and about the time by which an item is to be decided. */
import type { Assignment, LookingPerson } from "../../contract/desk-people.ts"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import { deskNow } from "../client/clock.ts"
import { useSession } from "../client/session.ts"
import type { TeamFacts } from "../client/waiting.ts"
import { Icon } from "../ui/icon.tsx"
import { useClock } from "../ui/clocks.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatAge, formatClock, formatRelative, momentOf } from "../ui/time-words.ts"
import styles from "./claims.module.css"

/** "Taken by Ada Lovelace 5 min ago", "Handed to Finance by Ben 2 hr ago: “…”". Moments are in ms since 1970. */
export function sayAssignment({ to, by, at, note }: Assignment, myId: string, now: number): string {
  const moment = momentOf(at)
  const age = moment === undefined ? "" : ` ${formatRelative(moment, now)}`
  if ("person" in to && to.person.id === by.id) return `Taken by ${by.name}${age}`
  const whom = "team" in to ? to.team : to.person.id === myId ? "you" : to.person.name
  return `Handed to ${whom} by ${by.name}${age}${note === undefined || note === "" ? "" : `: “${note}”`}`
}

/** "Ada Lovelace is looking at this", "Ada Lovelace is writing an answer". `typed` is what one types about the item: "answer". */
export function sayLooking({ name, doing }: LookingPerson, typed: string): string {
  if (doing === "reading") return `${name} is looking at this`
  return `${name} is writing ${/^[aeiou]/.test(typed) ? "an" : "a"} ${typed}`
}

/** "1 of 2 approvals: Ada Lovelace, 5 min ago". */
export function sayApprovals({ needed, given }: ApprovalsGiven, now: number): string {
  const people = given.map(({ person, at }) => {
    const moment = momentOf(at)
    return moment === undefined ? person.name : `${person.name}, ${formatRelative(moment, now)}`
  })
  return `${String(given.length)} of ${String(needed)} approvals${people.length === 0 ? "" : `: ${people.join("; ")}`}`
}

/** "One more approval is needed", "2 more approvals are needed". */
export function sayMissing({ needed, given }: ApprovalsGiven): string {
  const missing = needed - given.length
  return missing === 1 ? "One more approval is needed" : `${String(missing)} more approvals are needed`
}

/** "Decide by 14:30, in 2 hours", "Should have been decided 2 hours ago". */
export function sayDecideBy(by: string, now: number): string {
  const moment = momentOf(by)
  if (moment === undefined) return `Decide by ${by}`
  if (moment <= now) return `Should have been decided ${formatAge(now - moment)} ago`
  return `Decide by ${formatClock(moment, now)}, in ${formatAge(moment - now)}`
}

/** Who has approved, and who has the item; empty where nobody has. */
export function useClaimWords({ approvals, assignment }: TeamFacts): string {
  const myId = useSession()?.person.id ?? ""
  return useClock((now) =>
    [approvals && sayApprovals(approvals, now), assignment && sayAssignment(assignment, myId, now)]
      .filter(Boolean)
      .join(" · "),
  )
}

/** The line of a row that says what others do with the item. Nothing where nobody does anything. */
export function ClaimState({ entry }: { entry: TeamFacts }) {
  const { back, people = [] } = entry
  const words = [back === true && "Back", useClaimWords(entry)].filter(Boolean).join(" · ")
  if (words === "" && people.length === 0) return null
  return (
    <div className={styles["state"]}>
      {back === true && <Icon name="back" size={15} />}
      {words !== "" && (
        <span className={styles["words"]}>
          <OutsideText>{words}</OutsideText>
        </span>
      )}
      {people.length > 0 && (
        <>
          <Icon name="eye" size={15} />
          <OutsideText>{people.map(({ name }) => name).join(", ")}</OutsideText>
        </>
      )}
    </div>
  )
}

/** By when a rule of the desk wants an approval to be decided. */
export function DecideBy({ by }: { by: string }) {
  const words = useClock((now) => sayDecideBy(by, now))
  const isPast = (momentOf(by) ?? Infinity) <= deskNow()
  return <strong className={isPast ? styles["late"] : undefined}>{words}</strong>
}
