/** The filters and the order of the list of Work: in the address, in the request to the desk, and for loaded done Work. */
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
import type { Delegated } from "../../contract/desk-work.ts"
import { deskNow } from "../client/clock.ts"
import { queryReader, withQuery, writeQuery } from "../ui/address-query.ts"
import { lookUp } from "../ui/look-up.ts"
import { priorityWord } from "../ui/status.tsx"
import { createdRange, parseCreated } from "./created-range.ts"

/** The list that the address asks for. `created` is a name or a day: `yesterday`, `2026-11-27`. */
export type WantedList = Omit<ListOrder, "createdFrom" | "createdBefore"> & {
  readonly created?: string | undefined
  /** Only Work that is new to the person. */
  readonly new?: "1" | undefined
}

/** Reads the query of the address. A value that a parameter does not have is ignored. */
export function readListQuery(search: URLSearchParams): WantedList {
  const { text, oneOf } = queryReader<keyof WantedList>(search)
  return {
    status: oneOf("status", STATUSES),
    colleague: text("colleague"),
    priority: oneOf("priority", PRIORITIES),
    due: oneOf("due", DUES),
    by: text("by"),
    new: oneOf("new", ["1"]),
    created: parseCreated(search.get("created")),
    q: text("q"),
    sort: oneOf("sort", SORTS),
    group: oneOf("group", GROUPS),
  }
}

const names = ["status", "colleague", "priority", "due", "by", "new", "created", "q", "sort", "group"] as const

/** The query of the address. The same filters always give the same text, because it is also a query key and names a saved view. */
export const queryOf = (wanted: WantedList): string =>
  writeQuery(names, wanted.sort === "newest" ? { ...wanted, sort: undefined } : wanted)

/** The query of `GET /desk/work`, with the reader's days as instants. */
export function deskQueryOf(wanted: WantedList, now: number): URLSearchParams {
  const query = new URLSearchParams(queryOf({ ...wanted, created: undefined }))
  const { createdFrom, createdBefore } = createdRange(wanted.created, now)
  if (createdFrom !== undefined) query.set("created_from", new Date(createdFrom).toISOString())
  if (createdBefore !== undefined) query.set("created_before", new Date(createdBefore).toISOString())
  return query
}

/** The address of the list with these filters. */
export const addressOfList = (wanted: WantedList): string => withQuery("/work", queryOf(wanted))

/** Whether a filter leaves Work out of the list. */
export const isFiltered = ({ status, colleague, priority, due, by, new: isNew, created, q }: WantedList): boolean =>
  [status, colleague, priority, due, by, isNew, created, q?.trim() || undefined].some((value) => value !== undefined)

/** Whether a filter other than the status leaves Work out of the list. */
export const isNarrowed = (wanted: WantedList): boolean => isFiltered({ ...wanted, status: undefined })

/** The order of done Work does not depend on the time, because done Work is never due. */
const ANY_TIME = 0

/**
 * The loaded done Work that matches, in the same order as the desk's open Work. The desk itself doesn't know done Work. `delegated` has who delegated
 * the loaded Work. Without `myId`, in local mode, the filter by person is ignored.
 */
export function arrangeDone(
  works: readonly Work[],
  wanted: WantedList,
  delegated: Delegated = {},
  myId?: string,
  newIds?: ReadonlySet<string>,
): readonly Work[] {
  if (wanted.due !== undefined) return []
  // The loaded Work is all done, and done Work is one group.
  const order = { ...wanted, ...createdRange(wanted.created, deskNow()), status: undefined, group: undefined }
  const by = wanted.by === "me" ? myId : wanted.by
  return works
    .filter(({ id }) => by === undefined || myId === undefined || lookUp(delegated, id)?.id === by)
    .filter(({ id }) => wanted.new === undefined || newIds?.has(id) === true)
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
