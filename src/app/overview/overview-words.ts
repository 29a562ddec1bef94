/** The sentences and dates of the overview. */
import { OVERDUE_DAYS, type Overview } from "../../contract/desk-work.ts"
import { countOf } from "../../contract/plural.ts"
import { formatAge, formatDay, formatLongDay, momentOf } from "../ui/time-words.ts"

/** Of fewer items the sentence does not say how long half of them have waited. */
const HALF_MIN = 4

/** What the figure `What waits` says in a sentence. */
export function formatWaiting({ waiting, at, complete }: Overview): string {
  const clarifications = waiting.filter(({ kind }) => kind === "attention").length
  if (waiting.length === 0) return complete ? "Nothing is waiting" : "Nothing found yet"
  // The item that has waited longest comes first, so the items before the middle have waited longer than the middle one.
  const middle = waiting[Math.floor((waiting.length - 1) / 2)]
  const middleAge = Date.parse(at) - Date.parse(middle?.created_at ?? at)
  const longer = waiting.length < HALF_MIN ? "" : `; half have waited longer than ${formatAge(middleAge)}`
  return `${countOf(clarifications, "question")} and ${countOf(waiting.length - clarifications, "approval")}${complete ? "" : " so far"}${longer}`
}

const countWorks = (days: Overview["due"]["days"]) => days.reduce((total, day) => total + day.count, 0)

/** How many open Works were due earlier today: they are overdue now, and count to the day of today. */
export function overdueToday(due: Overview["due"]): number {
  return due.overdue - due.earlier - countWorks(due.days.slice(0, OVERDUE_DAYS))
}

/** What the figure `Due` says in a sentence: each open Work counts once, also outside the days of the plot. */
export function formatDue({ due }: Overview): string {
  const today = countWorks(due.days.slice(OVERDUE_DAYS, OVERDUE_DAYS + 1)) - overdueToday(due)
  const ahead = countWorks(due.days.slice(OVERDUE_DAYS + 1))
  const overdue = due.overdue > 0 ? `${due.overdue} overdue` : "Nothing is overdue"
  const isSomeDue = due.overdue + today + ahead + due.later > 0
  return [
    isSomeDue ? overdue : "No Work is due",
    due.earlier > 0 && `${due.earlier} of them by more than seven days`,
    today > 0 && `${today} due today`,
    ahead > 0 && `${ahead} more within fourteen days`,
    due.later > 0 && `${due.later} later`,
    due.none > 0 && `${due.none} without a date`,
  ]
    .filter(Boolean)
    .join("; ")
}

export function formatDecisions(decisions: NonNullable<Overview["decisions"]>): string {
  const { days, median_seconds: median, range_seconds: range } = decisions
  const countDecided = (as: "approved" | "declined") => days.reduce((total, day) => total + day[as], 0)
  const formatSeconds = (seconds: number) => formatAge(seconds * 1_000)
  const times =
    median === undefined || range === undefined
      ? ""
      : `; median time to decide ${formatSeconds(median)}, ranging from ${formatSeconds(range[0])} to ${formatSeconds(range[1])}`
  const began = momentOf(decisions.since)
  const recorded = began === undefined ? "" : ` Recorded here since ${formatLongDay(began, Date.now())}.`
  return `${countDecided("approved")} approved and ${countDecided("declined")} declined in 14 days${times}.${recorded}`
}

/** `12 waiting, 4 working, 1 paused`. Open Work may wait for other people, so the words don't say for whom. */
export function formatOpenCount(open: Overview["colleagues"][number]["open"]): string {
  const { needs_you: asks = 0, working = 0, paused = 0 } = open
  const parts = [
    asks > 0 && `${asks} waiting`,
    working > 0 && `${working} working`,
    paused > 0 && `${paused} paused`,
  ].filter(Boolean)
  return parts.length === 0 ? "none open" : parts.join(", ")
}

/** A calendar day of the answer, `2026-11-21`, in short words. */
export function formatDate(date: string): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number)
  const moment = new Date(year, month - 1, day).getTime()
  return formatDay(moment, Date.now())
}
