import type { WorkPriority, WorkStatus } from "../../contract/resources.ts"

/** What the list shows and in which order, as the address of `/work` says it. A member that is undefined says nothing. */
export type ListQuery = {
  readonly status?: WorkStatus | undefined
  readonly colleague?: string | undefined
  readonly priority?: WorkPriority | undefined
  readonly due?: "overdue" | "week" | undefined
  /** Words in title, objective and question. */
  readonly q?: string | undefined
  readonly sort?: Sort | undefined
  readonly group?: Group | undefined
}

export type Sort = "newest" | "waiting" | "due" | "priority" | "updated"
export type Group = "colleague" | "priority" | "due"

const statuses = ["working", "needs_you", "paused", "done"] as const satisfies readonly WorkStatus[]
export const priorities = ["urgent", "high", "normal", "low"] as const satisfies readonly WorkPriority[]
export const dues = ["overdue", "week"] as const
export const sorts = ["newest", "waiting", "due", "priority", "updated"] as const satisfies readonly Sort[]
export const groups = ["colleague", "priority", "due"] as const satisfies readonly Group[]

/** Reads the address. A value that a parameter does not take counts as none. */
export function readListQuery(search: URLSearchParams): ListQuery {
  const oneOf = <Value extends string>(name: keyof ListQuery, values: readonly Value[]) =>
    values.find((value) => value === search.get(name))
  return {
    status: oneOf("status", statuses),
    colleague: search.get("colleague") || undefined,
    priority: oneOf("priority", priorities),
    due: oneOf("due", dues),
    q: search.get("q") || undefined,
    sort: oneOf("sort", sorts),
    group: oneOf("group", groups),
  }
}

const names = ["status", "colleague", "priority", "due", "q", "sort", "group"] as const

/** The query of the address, in one order for one meaning: it is the key of what was read, and of a saved view. */
export function queryOf(wanted: ListQuery): string {
  const query = new URLSearchParams()
  for (const name of names) {
    const value = wanted[name]
    if (value !== undefined && !(name === "sort" && value === "newest")) query.set(name, value)
  }
  return query.toString()
}

/** The address of `/work` that asks so. */
export function addressOfList(wanted: ListQuery): string {
  const query = queryOf(wanted)
  return query === "" ? "/work" : `/work?${query}`
}

/** Whether anything is left out of the list. */
export const isFiltered = ({ status, colleague, priority, due, q }: ListQuery): boolean =>
  [status, colleague, priority, due, q?.trim() || undefined].some((value) => value !== undefined)

/** Whether more is left out than other statuses. */
export const isNarrowed = (wanted: ListQuery): boolean => isFiltered({ ...wanted, status: undefined })
