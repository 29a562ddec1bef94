import { DUES, GROUPS, type ListOrder, PRIORITIES, SORTS, STATUSES } from "../../contract/work-order.ts"

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
