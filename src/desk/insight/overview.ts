/** Answers `GET /desk/overview`: figures from the watcher and the record. Nothing is estimated. */
import * as v from "valibot"
import type { Decision } from "./decisions.ts"
import type { ContextSources } from "./find-context.ts"
import { OVERDUE_DAYS, type Overview, SHOWN_DAYS, type WaitingMark } from "../../contract/desk-work.ts"
import type { Problem, WorkStatus } from "../../contract/resources.ts"
import { readQuery } from "../../platform/http/query-parameters.ts"
import { isOverdue } from "../../contract/work-order.ts"
import { Days, isZone } from "./days.ts"
import type { CreatedWork } from "../watcher/done-work-reads.ts"
import { type Audience, totalOf } from "../watcher/visible-work.ts"
import { isChecked, itemsOf, oldestCheckOf, type WatchedWork } from "../watcher/watched-work.ts"

/** With fewer decisions in the shown days, the overview has no figures of decisions. */
const DECISIONS_MIN = 5
/** How far back decisions are taken: the days that are shown, and one more, because a day has up to 25 hours. */
const DECISIONS_TAKEN_MS = (SHOWN_DAYS + 1) * 86_400_000

const parameters = v.object({ zone: v.optional(v.pipe(v.string(), v.check(isZone)), "UTC") })

/** Answers `GET /desk/overview?zone=`. The days are those of the time zone, UTC without one. @throws Refused */
export async function answerOverview(
  query: string,
  audience: Audience,
  { watcher, approvals, decisions, done }: ContextSources,
): Promise<Overview> {
  const { zone } = readQuery(parameters, query)
  const state = watcher.wake()
  await decisions.refresh()
  await watcher.visibleWork.readPeople([...done.created.keys(), ...decisions.workIds])
  const now = Date.now()
  const visible = watcher.visibleWork.of(audience)
  const sees = (workId: string) => watcher.visibleWork.seesWork(audience, workId)
  const recorded = decisions.since(now - DECISIONS_TAKEN_MS, approvals, sees)
  const parts: OverviewParts = {
    // Nothing is known of a Work that cannot be read.
    works: visible.works.filter(({ work }) => !work.isUnread),
    total: totalOf(state, visible),
    isComplete: state.isCompleteFor(visible.works),
    problem: state.failureFor(visible.sees)?.problem,
    done: new Map([...done.created].filter(([id]) => sees(id))),
    isDoneListed: done.areShownDaysListed,
    decisions: recorded.decisions,
    recordedSince: recorded.first,
  }
  return buildOverview(parts, now, zone)
}

export type OverviewParts = {
  /** The open Works that the person sees. */
  readonly works: readonly WatchedWork[]
  /** `totalOf` of the person's `VisibleWork`: with the open Works that are not watched, for a person who sees everything. */
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
  const { works, problem } = parts
  const past = new Days(now, zone, 1 - SHOWN_DAYS, 0)
  const decisions = decisionFigures(parts, past)
  const oldestCheck = oldestCheckOf(works)
  return {
    at: new Date(now).toISOString(),
    checked: works.filter(isChecked).length,
    total: parts.total,
    complete: parts.isComplete,
    oldest_check_at: oldestCheck === undefined ? null : new Date(oldestCheck).toISOString(),
    ...(problem !== undefined && { problem }),
    done_complete: parts.isDoneListed,
    waiting: listMarks(works),
    due: countDue(works, now, zone),
    colleagues: countColleagues(works, parts.done, past),
    ...(decisions !== undefined && { decisions }),
  }
}

/** The marks of all waiting items, the longest wait first. */
function listMarks(works: readonly WatchedWork[]): WaitingMark[] {
  return works
    .flatMap((watched) => itemsOf(watched).map((item) => ({ work: watched.work, item })))
    .filter(({ item }) => !Number.isNaN(item.createdAt))
    .sort((one, other) => one.item.createdAt - other.item.createdAt)
    .map(({ work, item }) => ({
      kind: item.kind === "approval" ? item.kind : "attention",
      work_id: work.id,
      item_id: item.id,
      title: item.title,
      created_at: new Date(item.createdAt).toISOString(),
    }))
}

function countDue(works: readonly WatchedWork[], now: number, zone: string): Overview["due"] {
  const days = new Days(now, zone, -OVERDUE_DAYS, SHOWN_DAYS)
  const dated = works.flatMap(({ work: { dueAt } }) => (dueAt === undefined || Number.isNaN(dueAt) ? [] : dueAt))
  const counts = days.count(dated)
  return {
    days: days.dates.map((date, index) => ({ date, count: counts[index] ?? 0 })),
    overdue: works.filter(({ work }) => isOverdue(work, now)).length,
    earlier: dated.filter((dueAt) => days.indexOf(dueAt) < 0).length,
    later: dated.filter((dueAt) => days.indexOf(dueAt) >= days.dates.length).length,
    none: works.length - dated.length,
  }
}

/** Each colleague's open Work and created Work, the colleague with the most open Work first. */
function countColleagues(
  works: readonly WatchedWork[],
  done: ReadonlyMap<string, CreatedWork>,
  days: Days,
): Overview["colleagues"] {
  const openIds = new Set(works.map(({ work }) => work.id))
  const shown = [...done].filter(([id, { createdAt }]) => !openIds.has(id) && days.indexOf(createdAt) >= 0)
  const openOf = Map.groupBy(works, ({ work }) => work.colleague)
  const doneOf = Map.groupBy(shown, ([, { colleague }]) => colleague)
  const openCount = (id: string) => openOf.get(id)?.length ?? 0
  return [...new Set([...openOf.keys(), ...doneOf.keys()])]
    .sort((one, other) => openCount(other) - openCount(one) || (one < other ? -1 : 1))
    .map((id) => {
      const open = openOf.get(id) ?? []
      const createdDone = (doneOf.get(id) ?? []).map(([, { createdAt }]) => createdAt)
      const counts = days.count([...open.map(({ work }) => work.createdAt), ...createdDone])
      const doneCounts = days.count(createdDone)
      const created = days.dates.map((date, index) => {
        return { date, count: counts[index] ?? 0, done: doneCounts[index] ?? 0 }
      })
      return { id, open: countStatuses(open), created }
    })
}

const OPEN_STATUSES = ["working", "needs_you", "paused"] as const

function countStatuses(works: readonly WatchedWork[]): Partial<Record<WorkStatus, number>> {
  const byStatus = Map.groupBy(works, ({ work }) => work.status)
  const counts = OPEN_STATUSES.map((status) => [status, byStatus.get(status)?.length] as const)
  return Object.fromEntries(counts.filter(([, count]) => count !== undefined))
}

/** The decisions of each day, and how long they took. Undefined with fewer than `DECISIONS_MIN` decisions in `days`. */
function decisionFigures({ decisions, recordedSince }: OverviewParts, days: Days): Overview["decisions"] {
  const shown = decisions.filter(({ at }) => days.indexOf(at) >= 0 && days.indexOf(at) < days.dates.length)
  if (shown.length < DECISIONS_MIN || recordedSince === undefined) return undefined
  const count = (wanted: string) => days.count(shown.flatMap(({ at, decision }) => (decision === wanted ? at : [])))
  const [approved, declined] = [count("approve"), count("decline")]
  return {
    since: new Date(recordedSince).toISOString(),
    days: days.dates.map((date, index) => {
      return { date, approved: approved[index] ?? 0, declined: declined[index] ?? 0 }
    }),
    ...waitFigures(shown),
  }
}

/** The seconds from the request to the decision. Without figures when the desk has read the approval of no decision. */
function waitFigures(
  decisions: readonly Decision[],
): Pick<NonNullable<Overview["decisions"]>, "median_seconds" | "range_seconds"> {
  const waits = decisions
    .flatMap(({ at, requestedAt }) => (requestedAt === undefined ? [] : Math.max(0, at - requestedAt) / 1_000))
    .sort((one, other) => one - other)
  const [shortest, longest] = [waits[0], waits.at(-1)]
  if (shortest === undefined || longest === undefined) return {}
  return { median_seconds: median(waits), range_seconds: [shortest, longest] }
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle - 0.5)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}
