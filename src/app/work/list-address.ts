import type { WorkPriority, WorkStatus } from "../../contract/resources.ts"

/** What the list shows and in which order, as the address of `/work` says it. */
export type ListAsk = {
  readonly status?: WorkStatus
  readonly colleague?: string
  readonly priority?: WorkPriority
  readonly due?: "overdue" | "week"
  /** Words in title, objective and question. */
  readonly q?: string
  readonly sort?: Sort
  readonly group?: Group
}

export type Sort = "newest" | "waiting" | "due" | "priority" | "updated"
export type Group = "colleague" | "priority" | "due"

export const statuses = ["working", "needs_you", "paused", "done"] as const satisfies readonly WorkStatus[]
export const priorities = ["urgent", "high", "normal", "low"] as const satisfies readonly WorkPriority[]
export const dues = ["overdue", "week"] as const
export const sorts = ["newest", "waiting", "due", "priority", "updated"] as const satisfies readonly Sort[]
export const groups = ["colleague", "priority", "due"] as const satisfies readonly Group[]

/** Reads the address. A value that a parameter does not take counts as none. */
export function readAsk(search: URLSearchParams): ListAsk {
  const oneOf = <Value extends string>(name: keyof ListAsk, values: readonly Value[]) =>
    values.find((value) => value === search.get(name))
  const text = (name: keyof ListAsk) => search.get(name) || undefined
  return withoutNone({
    status: oneOf("status", statuses),
    colleague: text("colleague"),
    priority: oneOf("priority", priorities),
    due: oneOf("due", dues),
    q: text("q"),
    sort: oneOf("sort", sorts),
    group: oneOf("group", groups),
  })
}

/** The query of the address, in one order for one meaning: it is the key of what was read, and of a saved view. */
export function queryOf(ask: ListAsk): string {
  return new URLSearchParams(Object.entries(withoutNone(ask))).toString()
}

/** The address of `/work` that asks so. */
export function addressOfList(ask: ListAsk): string {
  const query = queryOf(ask)
  return query === "" ? "/work" : `/work?${query}`
}

/** Whether anything is left out of the list. */
export const isFiltered = ({ status, colleague, priority, due, q }: ListAsk): boolean =>
  [status, colleague, priority, due, q?.trim() || undefined].some((value) => value !== undefined)

/** Whether more is left out than other statuses. */
export const isNarrowed = (ask: ListAsk): boolean => isFiltered(withoutStatus(ask))

export function withoutStatus({ status: _status, ...rest }: ListAsk): ListAsk {
  return rest
}

type Loose = { readonly [Name in keyof ListAsk]: ListAsk[Name] | undefined }

function withoutNone({ status, colleague, priority, due, q, sort, group }: Loose): ListAsk {
  return {
    ...(status !== undefined && { status }),
    ...(colleague !== undefined && { colleague }),
    ...(priority !== undefined && { priority }),
    ...(due !== undefined && { due }),
    ...(q !== undefined && { q }),
    ...(sort !== undefined && sort !== "newest" && { sort }),
    ...(group !== undefined && { group }),
  }
}
