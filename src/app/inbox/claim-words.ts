/** Formats who is doing what with an item, for the card and the list. Moments are in ms since 1970. */
import type { Assignment, LookingPerson } from "../../contract/desk-people.ts"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import { countOf, pluralForm } from "../../contract/plural.ts"
import { formatAge, formatClock, formatEnd, formatRelative, momentOf } from "../ui/time-words.ts"

/** "Taken by Ada Lovelace 5 min ago", "Handed to Finance by Ben 2 hr ago: “…”". */
export function formatAssignment({ to, by, at, note = "" }: Assignment, myId: string, now: number): string {
  const moment = momentOf(at)
  const age = moment === undefined ? "" : ` ${formatRelative(moment, now)}`
  return formatGiven({ to, by }, myId) + age + (note && `: “${note}”`)
}

/** "Taken by Ada Lovelace", "Handed to Finance by Ben". */
export function formatGiven({ to, by }: Pick<Assignment, "to" | "by">, myId: string): string {
  if ("team" in to) return `Handed to ${to.team} by ${by.name}`
  if (to.person.id === by.id) return `Taken by ${by.name}`
  return `Handed to ${to.person.id === myId ? "you" : to.person.name} by ${by.name}`
}

/** "Ada Lovelace is away until Monday; Emil stands in". Undefined where the person with the item is here. */
export function formatAway({ to }: Assignment, now: number): string | undefined {
  if ("team" in to || to.person.away === undefined) return undefined
  const { until, stand_in: standIn } = to.person.away
  const end = momentOf(until) ?? now
  return `${to.person.name} is away until ${formatEnd(end, now)}${standIn === null ? "" : `; ${standIn.name} stands in`}`
}

/** "Ada Lovelace is looking at this", "Ada Lovelace is writing an answer". `typed` is what one types about the item: "answer". */
export function formatLooking({ name, doing }: LookingPerson, typed: string): string {
  if (doing === "reading") return `${name} is looking at this`
  return `${name} is writing ${/^[aeiou]/.test(typed) ? "an" : "a"} ${typed}`
}

/** "1 of 2 approvals: Ada Lovelace, 5 min ago". */
export function formatApprovals({ needed, given }: ApprovalsGiven, now: number): string {
  const people = given.map(({ person, at }) => {
    const moment = momentOf(at)
    return moment === undefined ? person.name : `${person.name}, ${formatRelative(moment, now)}`
  })
  return `${given.length} of ${countOf(needed, "approval")}${people.length === 0 ? "" : `: ${people.join("; ")}`}`
}

/** "One more approval is needed", "2 more approvals are needed". */
export function formatMissing({ needed, given }: ApprovalsGiven): string {
  const missing = needed - given.length
  return pluralForm(missing, "One more approval is needed", `${missing} more approvals are needed`)
}

/** "Decide by 14:30, in 2 hours", "Should have been decided 2 hours ago". */
export function formatDecideBy(by: string, now: number): string {
  const moment = momentOf(by)
  if (moment === undefined) return `Decide by ${by}`
  if (moment <= now) return `Should have been decided ${formatAge(now - moment)} ago`
  return `Decide by ${formatClock(moment, now)}, in ${formatAge(moment - now)}`
}
