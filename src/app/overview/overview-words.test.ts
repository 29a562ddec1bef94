import { expect, test } from "vitest"
import type { Overview } from "../../contract/desk-work.ts"
import { overdueToday, formatDecisions, formatDue, formatWaiting } from "./overview-words.ts"

const AT = "2026-11-21T12:00:00Z"
const ago = (hours: number) => new Date(Date.parse(AT) - hours * 3_600_000).toISOString()
const overview = (more: Partial<Overview>): Overview => ({
  at: AT,
  checked: 0,
  total: 0,
  complete: true,
  oldest_check_at: AT,
  done_complete: true,
  waiting: [],
  due: dueOf({}),
  colleagues: [],
  ...more,
})

/** `on` says how many Works are due on a day: -7 to 14, counted from today. */
function dueOf({ on = {}, ...more }: Partial<Overview["due"]> & { on?: Readonly<Record<number, number>> }) {
  const days = Array.from({ length: 22 }, (_, index) => ({ date: "2026-11-14", count: on[index - 7] ?? 0 }))
  return { days, overdue: 0, earlier: 0, later: 0, none: 0, ...more }
}

test.each([
  [{}, "No Work is due"],
  [{ none: 3 }, "No Work is due; 3 without a date"],
  [{ on: { 0: 2, 14: 1 } }, "Nothing is overdue; 2 due today; 1 more within fourteen days"],
  [{ later: 4 }, "Nothing is overdue; 4 later"],
  [
    { on: { [-7]: 1, 0: 3 }, earlier: 2, overdue: 4, none: 1 },
    "4 overdue; 2 of them by more than seven days; 2 due today; 1 without a date",
  ],
])("the due dates %j are said as %s", (due, words) => {
  expect(formatDue(overview({ due: dueOf(due) }))).toBe(words)
})

test("what was due earlier today is overdue, and what is due later today is not", () => {
  expect(overdueToday(dueOf({ on: { [-7]: 1, 0: 3 }, earlier: 2, overdue: 4 }))).toBe(1)
})

test("what waits is said with how much is known", () => {
  const mark = (hours: number, kind: "attention" | "approval") => ({
    kind,
    work_id: "w",
    item_id: `i${hours}`,
    title: "t",
    created_at: ago(hours),
  })
  const waiting = [mark(50, "approval"), mark(5, "approval"), mark(3, "attention"), mark(1, "approval")]
  expect(formatWaiting(overview({}))).toBe("Nothing is waiting")
  expect(formatWaiting(overview({ complete: false }))).toBe("Nothing found yet")
  expect(formatWaiting(overview({ waiting: waiting.slice(0, 1), complete: false }))).toBe(
    "0 questions and 1 approval so far",
  )
  expect(formatWaiting(overview({ waiting }))).toBe("1 question and 3 approvals; half have waited longer than 5 hours")
})

test("decisions are said with their median, its range and the beginning of the record", () => {
  const days = [{ date: "2026-11-21", approved: 4, declined: 1 }]
  const words = formatDecisions({
    since: "2025-11-20T12:00:00Z",
    days,
    median_seconds: 7_300,
    range_seconds: [60, 200_000],
  })
  expect(words).toMatch(
    /^4 approved and 1 declined in 14 days; median time to decide 2 hours, ranging from 60 s to 2 days\. Recorded here since .*2025\.$/,
  )
})
