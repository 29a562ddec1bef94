/** How the list of Work is filtered, grouped and sorted: open Work by the desk's server, and done Work by the app, in the same order. */
import { wordFinder } from "./find-words.ts"
import type { WorkPriority, WorkStatus } from "./resources.ts"

export const STATUSES = ["working", "needs_you", "paused", "done"] as const satisfies readonly WorkStatus[]
/** The most urgent first. */
export const PRIORITIES = ["urgent", "high", "normal", "low"] as const satisfies readonly WorkPriority[]
export const DUES = ["overdue", "week"] as const
export const SORTS = ["newest", "waiting", "due", "priority", "updated"] as const
export const GROUPS = ["colleague", "priority", "due"] as const
/** The groups of `due`, in their order. */
export const DUE_GROUPS = ["overdue", "week", "later", "none"] as const

export type Sort = (typeof SORTS)[number]
export type Group = (typeof GROUPS)[number]

/** The filters, the sorting and the grouping that a client asks for. An undefined filter leaves no Work out. */
export type ListOrder = {
  readonly status?: WorkStatus | undefined
  readonly colleague?: string | undefined
  readonly priority?: WorkPriority | undefined
  readonly due?: (typeof DUES)[number] | undefined
  /** Who delegated the Work at this desk: a person's id, or `me`. The caller of `isListed` applies this filter. */
  readonly by?: string | undefined
  /** The Work was created at or after `createdFrom`, and before `createdBefore`, in milliseconds since 1970. */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
  /** Words to find in title, objective and question, without letter case and accents. */
  readonly q?: string | undefined
  readonly sort?: Sort | undefined
  readonly group?: Group | undefined
}

/** What the order of the list needs of a Work. Times are in milliseconds since 1970, and NaN where a text is no date. */
export type OrderedWork = {
  readonly id: string
  readonly title: string
  readonly objective: string
  readonly question: string
  readonly status: string
  readonly colleague: string
  readonly priority: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly dueAt: number | undefined
}

/** The values by which a row is sorted, compared one after the other. */
export type SortKey = readonly (number | string)[]

const WEEK_MS = 7 * 86_400_000
/** Work without the time that is sorted by comes last. */
const LAST = Number.MAX_SAFE_INTEGER

export const isOverdue = ({ dueAt }: Pick<OrderedWork, "dueAt">, now: number): boolean =>
  dueAt !== undefined && dueAt < now

/** Whether the Work is due within the next seven days. Overdue Work is not. */
const isDueThisWeek = ({ dueAt }: OrderedWork, now: number): boolean =>
  dueAt !== undefined && dueAt >= now && dueAt < now + WEEK_MS

export function isListed(work: OrderedWork, asked: ListOrder, now: number): boolean {
  const { status, colleague, priority, due, createdFrom, createdBefore, q = "" } = asked
  if (status !== undefined && work.status !== status) return false
  if (colleague !== undefined && work.colleague !== colleague) return false
  if (priority !== undefined && work.priority !== priority) return false
  // Negated, so that an invalid time (NaN) matches no range.
  if (createdFrom !== undefined && !(work.createdAt >= createdFrom)) return false
  if (createdBefore !== undefined && !(work.createdAt < createdBefore)) return false
  if (due === "overdue" && !isOverdue(work, now)) return false
  if (due === "week" && !isDueThisWeek(work, now)) return false
  return hasWords(work, q)
}

/** The sort key of a Work. With equal values the newer comes first. `waitingSince`: when its oldest pending item was created. */
export function sortKeyOf(
  work: OrderedWork,
  { sort = "newest", group }: ListOrder,
  now: number,
  waitingSince: number | undefined,
): SortKey {
  const groupKey = group === undefined ? [] : [groupKeyOf(work, group, now)]
  return [...groupKey, ...keyOf(work, sort, waitingSince), -timeOr(work.createdAt, 0)]
}

function keyOf(work: OrderedWork, sort: Sort, waitingSince: number | undefined): SortKey {
  switch (sort) {
    case "newest":
      return []
    case "waiting":
      return [waitingSince ?? LAST]
    case "due":
      return [timeOr(work.dueAt, LAST)]
    case "priority":
      return [rankOf(work.priority)]
    case "updated":
      return [-timeOr(work.updatedAt, 0)]
  }
}

export function compareKeys(one: SortKey, other: SortKey): number {
  for (const [index, member] of one.entries()) {
    const counterpart = other[index] ?? ""
    if (member !== counterpart) return member < counterpart ? -1 : 1
  }
  return 0
}

/** The name of a colleague, or the rank of a priority or of a group of `due`. */
export function groupKeyOf(work: OrderedWork, group: Group, now: number): number | string {
  if (group === "colleague") return work.colleague
  if (group === "priority") return rankOf(work.priority)
  return DUE_GROUPS.indexOf(dueGroupOf(work, now))
}

function dueGroupOf(work: OrderedWork, now: number): (typeof DUE_GROUPS)[number] {
  if (work.dueAt === undefined) return "none"
  if (isOverdue(work, now)) return "overdue"
  return isDueThisWeek(work, now) ? "week" : "later"
}

/** The rank of a priority. A priority that openapi.yaml does not have comes last. */
function rankOf(priority: string): number {
  const rank = PRIORITIES.findIndex((known) => known === priority)
  return rank === -1 ? PRIORITIES.length : rank
}

const timeOr = (time: number | undefined, other: number): number =>
  time === undefined || Number.isNaN(time) ? other : time

const hasWords = wordFinder<OrderedWork>(({ title, objective, question }) => `${title}\n${objective}\n${question}`)
