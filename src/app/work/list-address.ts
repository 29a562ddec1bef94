import type { WorkPriority, WorkStatus } from "../../contract/resources.ts"

/** The filters, the order and the groups of the list, as the address of `/work` has them. An undefined member is not in the address. */
export type ListQuery = {
  readonly status?: WorkStatus | undefined
  readonly colleague?: string | undefined
  readonly priority?: WorkPriority | undefined
  readonly due?: "overdue" | "week" | undefined
  /** Words to find in title, objective and question. */
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

/** Reads the query of the address. A value that a parameter does not have is ignored. */
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

/** The query of the address. The same filters always give the same text, because it is also a query key and names a saved view. */
export function queryOf(wanted: ListQuery): string {
  const query = new URLSearchParams()
  for (const name of names) {
    const value = wanted[name]
    if (value !== undefined && !(name === "sort" && value === "newest")) query.set(name, value)
  }
  return query.toString()
}

/** The address of the list with these filters. */
export function addressOfList(wanted: ListQuery): string {
  const query = queryOf(wanted)
  return query === "" ? "/work" : `/work?${query}`
}

/** Whether a filter leaves Work out of the list. */
export const isFiltered = ({ status, colleague, priority, due, q }: ListQuery): boolean =>
  [status, colleague, priority, due, q?.trim() || undefined].some((value) => value !== undefined)

/** Whether a filter other than the status leaves Work out of the list. */
export const isNarrowed = (wanted: ListQuery): boolean => isFiltered({ ...wanted, status: undefined })
