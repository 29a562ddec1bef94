import type { Work } from "../../contract/resources.ts"
import {
  compareKeys,
  DUE_GROUPS,
  type Group,
  groupKeyOf,
  isListed,
  type OrderedWork,
  sortKeyOf,
  type ListOrder,
} from "../../contract/work-order.ts"

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

const priorityWords: Readonly<Record<string, string>> = { low: "Low", normal: "Normal", high: "High", urgent: "Urgent" }

/** A priority in words. */
export const priorityWord = (priority: string): string => wordOf(priority, priorityWords)

/** The word for a value of the API. An unknown value is returned as it is. */
export function wordOf(value: string, words: Readonly<Record<string, string>>): string {
  return (Object.hasOwn(words, value) ? words[value] : undefined) ?? value
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
