/** The desk sorts, groups and filters open Work. It does not know done Work, so the loaded done Work is arranged here by the same rules. */
import type { Work } from "../../contract/resources.ts"
import type { Group, ListQuery } from "./list-address.ts"
import { priorities } from "./list-address.ts"

const WEEK_MS = 7 * 86_400_000

/** The rows of done Work that match, in the order of the open ones. */
export function arrangeDone(rows: readonly Work[], wanted: ListQuery): readonly Work[] {
  const { colleague, priority, due, q, sort = "newest" } = wanted
  // Done Work is not due any more.
  if (due !== undefined) return []
  const words = fold(q ?? "")
    .split(/\s+/)
    .filter(Boolean)
  const matching = rows.filter(
    (work) =>
      (colleague === undefined || work.colleague_id === colleague) &&
      (priority === undefined || work.priority === priority) &&
      (words.length === 0 || containsAll(work, words)),
  )
  // The service lists newest first, and done Work does not wait.
  if (sort === "newest" || sort === "waiting") return matching
  const keyOf = {
    due: ({ due_at }: Work) => (due_at === undefined ? Infinity : momentOr(due_at, Infinity)),
    priority: rankOf,
    updated: ({ updated_at }: Work) => -momentOr(updated_at, 0),
  }[sort]
  return matching.toSorted((one, other) => compare(keyOf(one), keyOf(other)))
}

/** The heading of the group to which a Work belongs. `now` is in milliseconds since 1970. */
export function groupNameOf(work: Work, group: Group, now: number): string {
  if (group === "colleague") return work.colleague_id
  if (group === "priority") return priorityWord(work.priority)
  const due = work.due_at === undefined ? undefined : momentOr(work.due_at, Infinity)
  if (due === undefined) return "Without a date"
  if (due < now) return "Overdue"
  return due < now + WEEK_MS ? "Due this week" : "Due later"
}

const priorityWords: Readonly<Record<string, string>> = { low: "Low", normal: "Normal", high: "High", urgent: "Urgent" }

/** A priority in words. An unknown value is returned as it is. */
export function priorityWord(priority: string): string {
  return (Object.hasOwn(priorityWords, priority) ? priorityWords[priority] : undefined) ?? priority
}

const rankOf = ({ priority }: Work): number => {
  const rank = priorities.indexOf(priority)
  return rank === -1 ? priorities.length : rank
}

function momentOr(iso: string, other: number): number {
  const moment = Date.parse(iso)
  return Number.isNaN(moment) ? other : moment
}

const compare = (one: number, other: number): number => (one === other ? 0 : one < other ? -1 : 1)

const fold = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()

function containsAll({ title, objective, attention_question: question = "" }: Work, words: readonly string[]): boolean {
  const text = fold(`${title}\n${objective}\n${question}`)
  return words.every((word) => text.includes(word))
}
