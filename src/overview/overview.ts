/** Builds the answer of `GET /desk/overview`: figures from the watcher and the record. Nothing is estimated. */
import type { Decision } from "../context/decisions.ts"
import { OVERDUE_DAYS, type Overview, SHOWN_DAYS, type WaitingMark } from "../contract/desk-work.ts"
import type { Problem, WorkStatus } from "../contract/resources.ts"
import { isOverdue } from "../contract/work-order.ts"
import { Days } from "./days.ts"
import type { CreatedWork } from "../waiting/done-work.ts"
import { isChecked, oldestCheckOf, type WatchedWork } from "../waiting/watch-state.ts"
import type { ListedWork } from "../waiting/resources.ts"

/** With fewer decisions there is no median. */
const DECISIONS_MIN = 5

export type OverviewParts = {
  /** The open Works that the person sees, and how many open Works there are for them. */
  readonly works: readonly WatchedWork[]
  readonly total: number
  readonly isComplete: boolean
  /** Why Work that the person sees cannot be read. */
  readonly problem: Problem | undefined
  /** The done Work that was created within the last `SHOWN_DAYS` days, by id. */
  readonly done: ReadonlyMap<string, CreatedWork>
  readonly isDoneListed: boolean
  /** The decisions of at least the last `SHOWN_DAYS` days. */
  readonly decisions: readonly Decision[]
  /** The first decision of the whole record, in milliseconds since 1970. */
  readonly recordedSince: number | undefined
}

/** Builds the overview. `now` is in milliseconds since 1970. The days are those of the time zone `zone`. */
export function buildOverview(parts: OverviewParts, now: number, zone: string): Overview {
  const { works } = parts
  const past = new Days(now, zone, 1 - SHOWN_DAYS, 0)
  const decisions = countDecisions(parts, past)
  const oldestCheck = oldestCheckOf(parts.works)
  const { problem } = parts
  return {
    at: new Date(now).toISOString(),
    checked: works.filter(isChecked).length,
    total: parts.total,
    complete: parts.isComplete,
    oldest_check_at: oldestCheck === undefined ? null : new Date(oldestCheck).toISOString(),
    ...(problem !== undefined && { problem }),
    done_complete: parts.isDoneListed,
    waiting: listMarks(works),
    due: countDue(
      works.map(({ work }) => work),
      now,
      zone,
    ),
    colleagues: countColleagues(
      works.map(({ work }) => work),
      parts.done,
      past,
    ),
    ...(decisions !== undefined && { decisions }),
  }
}

/** The marks of all waiting items, the longest wait first. */
function listMarks(works: readonly WatchedWork[]): WaitingMark[] {
  const marks = works.flatMap(({ work, approvals, clarifications }) =>
    [...clarifications, ...approvals]
      .filter(({ createdAt }) => !Number.isNaN(createdAt))
      .map((item) => ({ at: item.createdAt, work, item })),
  )
  return marks
    .sort((one, other) => one.at - other.at)
    .map(({ at, work, item }) => ({
      kind: item.kind === "approval" ? item.kind : "attention",
      work_id: work.id,
      item_id: item.id,
      title: item.title,
      created_at: new Date(at).toISOString(),
    }))
}

function countDue(works: readonly ListedWork[], now: number, zone: string): Overview["due"] {
  const days = new Days(now, zone, -OVERDUE_DAYS, SHOWN_DAYS)
  const counts = days.dates.map(() => 0)
  let [earlier, later, none] = [0, 0, 0]
  for (const { dueAt } of works) {
    if (dueAt === undefined || Number.isNaN(dueAt)) none++
    else {
      const index = days.indexOf(dueAt)
      if (index < 0) earlier++
      else if (index >= counts.length) later++
      else counts[index] = (counts[index] ?? 0) + 1
    }
  }
  return {
    days: days.dates.map((date, index) => ({ date, count: counts[index] ?? 0 })),
    overdue: works.filter((work) => isOverdue(work, now)).length,
    earlier,
    later,
    none,
  }
}

type Tally = { readonly open: Partial<Record<WorkStatus, number>>; readonly created: number[]; readonly done: number[] }

/** The figures of each colleague, the colleague with the most open Work first. */
function countColleagues(
  works: readonly ListedWork[],
  done: ReadonlyMap<string, CreatedWork>,
  days: Days,
): Overview["colleagues"] {
  const tallies = new Map<string, Tally>()
  const tallyOf = (colleague: string): Tally => {
    const tally = tallies.get(colleague) ?? {
      open: {},
      created: days.dates.map(() => 0),
      done: days.dates.map(() => 0),
    }
    tallies.set(colleague, tally)
    return tally
  }
  const add = (counts: number[], moment: number) => {
    const index = days.indexOf(moment)
    const count = counts[index]
    if (count !== undefined) counts[index] = count + 1
  }
  for (const { colleague, status, createdAt } of works) {
    const { open, created } = tallyOf(colleague)
    if (isOpenStatus(status)) open[status] = (open[status] ?? 0) + 1
    add(created, createdAt)
  }
  const open = new Set(works.map(({ id }) => id))
  for (const [id, { colleague, createdAt }] of done) {
    if (open.has(id) || days.indexOf(createdAt) < 0) continue
    const tally = tallyOf(colleague)
    add(tally.created, createdAt)
    add(tally.done, createdAt)
  }
  const sum = ({ open: counts }: Tally) => Object.values(counts).reduce((total, count) => total + count, 0)
  return [...tallies]
    .sort(([oneId, one], [otherId, other]) => sum(other) - sum(one) || (oneId < otherId ? -1 : 1))
    .map(([id, tally]) => ({
      id,
      open: tally.open,
      created: days.dates.map((date, index) => ({
        date,
        count: tally.created[index] ?? 0,
        done: tally.done[index] ?? 0,
      })),
    }))
}

function isOpenStatus(status: string): status is WorkStatus {
  return status === "working" || status === "needs_you" || status === "paused"
}

function countDecisions({ decisions, recordedSince }: OverviewParts, days: Days): Overview["decisions"] {
  const shown = decisions.filter(({ at }) => days.indexOf(at) >= 0 && days.indexOf(at) < days.dates.length)
  if (shown.length < DECISIONS_MIN || recordedSince === undefined) return undefined
  const count = (index: number, wanted: string) =>
    shown.filter(({ at, decision }) => decision === wanted && days.indexOf(at) === index).length
  const waits = shown
    .flatMap(({ at, requestedAt }) => (requestedAt === undefined ? [] : Math.max(0, at - requestedAt) / 1_000))
    .sort((one, other) => one - other)
  const [least, most] = [waits[0], waits.at(-1)]
  return {
    since: new Date(recordedSince).toISOString(),
    days: days.dates.map((date, index) => ({
      date,
      approved: count(index, "approve"),
      declined: count(index, "decline"),
    })),
    ...(least !== undefined && most !== undefined && { median_seconds: median(waits), range_seconds: [least, most] }),
  }
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle - 0.5)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}
