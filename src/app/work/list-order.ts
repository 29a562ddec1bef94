import type { Work } from "../../contract/resources.ts"
import {
  compareKeys,
  DUE_GROUPS,
  DUES,
  type Group,
  groupKeyOf,
  GROUPS,
  isListed,
  type ListOrder,
  type OrderedWork,
  PRIORITIES,
  sortKeyOf,
  SORTS,
  STATUSES,
} from "../../contract/work-order.ts"
import { priorityWord } from "../ui/status.tsx"

/** Reads the query of the address. A value that a parameter does not have is ignored. */
export function readListQuery(search: URLSearchParams): ListOrder {
  const oneOf = <Value extends string>(name: keyof ListOrder, values: readonly Value[]) =>
    values.find((value) => value === search.get(name))
  return {
    status: oneOf("status", STATUSES),
    colleague: search.get("colleague") || undefined,
    priority: oneOf("priority", PRIORITIES),
    due: oneOf("due", DUES),
    q: search.get("q") || undefined,
    sort: oneOf("sort", SORTS),
    group: oneOf("group", GROUPS),
  }
}

const names = ["status", "colleague", "priority", "due", "q", "sort", "group"] as const

/** The query of the address. The same filters always give the same text, because it is also a query key and names a saved view. */
export function queryOf(wanted: ListOrder): string {
  const query = new URLSearchParams()
  for (const name of names) {
    const value = wanted[name]
    if (value !== undefined && !(name === "sort" && value === "newest")) query.set(name, value)
  }
  return query.toString()
}

/** The address of the list with these filters. */
export function addressOfList(wanted: ListOrder): string {
  const query = queryOf(wanted)
  return query === "" ? "/work" : `/work?${query}`
}

/** Whether a filter leaves Work out of the list. */
export const isFiltered = ({ status, colleague, priority, due, q }: ListOrder): boolean =>
  [status, colleague, priority, due, q?.trim() || undefined].some((value) => value !== undefined)

/** Whether a filter other than the status leaves Work out of the list. */
export const isNarrowed = (wanted: ListOrder): boolean => isFiltered({ ...wanted, status: undefined })

/** The order of done Work does not depend on the time, because done Work is never due. */
const ANY_TIME = 0

/** The loaded done Work that matches, in the order that the desk gives open Work. The desk itself does not know done Work. */
export function arrangeDone(works: readonly Work[], wanted: ListOrder): readonly Work[] {
  if (wanted.due !== undefined) return []
  // The loaded Work is all done, and done Work is one group.
  const order = { ...wanted, status: undefined, group: undefined }
  return works
    .filter((work) => isListed(orderedOf(work), order, ANY_TIME))
    .map((work) => ({ work, key: sortKeyOf(orderedOf(work), order, ANY_TIME, undefined) }))
    .sort((one, other) => compareKeys(one.key, other.key))
    .map(({ work }) => work)
}

const dueGroupWords = { overdue: "Overdue", week: "Due this week", later: "Due later", none: "Without a date" } as const

/** The heading of the group to which a Work belongs. `now` is in milliseconds since 1970. */
export function groupNameOf(work: Work, group: Group, now: number): string {
  const key = groupKeyOf(orderedOf(work), group, now)
  if (typeof key === "string") return key
  return group === "priority" ? priorityWord(work.priority) : dueGroupWords[DUE_GROUPS[key] ?? "none"]
}

const ordered = new WeakMap<Work, OrderedWork>()

function orderedOf(work: Work): OrderedWork {
  const known = ordered.get(work)
  if (known !== undefined) return known
  const { id, title, objective, status, priority } = work
  const made: OrderedWork = {
    id,
    title,
    objective,
    question: work.attention_question ?? "",
    status,
    colleague: work.colleague_id,
    priority,
    createdAt: Date.parse(work.created_at),
    updatedAt: Date.parse(work.updated_at),
    dueAt: work.due_at === undefined ? undefined : Date.parse(work.due_at),
  }
  ordered.set(work, made)
  return made
}
