/** Answers `GET /desk/work`: pages of open Work, filtered, grouped and sorted. */
import { OPEN_WORK_PAGE_ROWS } from "../../contract/desk-work.ts"
import * as v from "valibot"
import { badParameter, readQuery, wholeNumber } from "../../platform/http/query-parameters.ts"
import { type Answer, jsonAnswer, Refused } from "../../platform/http/send.ts"
import {
  compareKeys,
  DUE_GROUPS,
  DUES,
  type Group,
  GROUPS,
  isListed,
  PRIORITIES,
  type SortKey,
  sortKeyOf,
  SORTS,
  STATUSES,
} from "../../contract/work-order.ts"
import { PROBLEM_MEDIA_TYPE } from "../../contract/problem.ts"
import type { ListedWork } from "../watcher/read-resources.ts"
import { type Audience, personOf, totalOf, type VisibleWork, unreadOf } from "../watcher/visible-work.ts"
import { itemsOf, type WatchedWork } from "../watcher/watched-work.ts"
import type { Watcher } from "../watcher/watcher.ts"
import type { Delegators } from "./delegators.ts"

const PAGE_MAX = 500
/** How many colleagues an answer names to choose from. */
const COLLEAGUES_MAX = 500

const parameters = v.object({
  status: v.optional(v.picklist(STATUSES)),
  colleague: v.optional(v.string()),
  priority: v.optional(v.picklist(PRIORITIES)),
  due: v.optional(v.picklist(DUES)),
  by: v.optional(v.string()),
  new: v.optional(v.literal("1")),
  created_from: v.optional(v.pipe(v.string(), v.isoTimestamp(), v.transform(Date.parse))),
  created_before: v.optional(v.pipe(v.string(), v.isoTimestamp(), v.transform(Date.parse))),
  q: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
  sort: v.optional(v.picklist(SORTS), "newest"),
  group: v.optional(v.picklist(GROUPS)),
  limit: v.optional(wholeNumber(1, PAGE_MAX), String(OPEN_WORK_PAGE_ROWS)),
  cursor: v.optional(v.pipe(v.string(), v.rawTransform(readCursor))),
})

type Parameters = v.InferOutput<typeof parameters>

type Row = { readonly key: SortKey; readonly watched: WatchedWork }

export type OpenWorkPage = {
  readonly works: readonly ListedWork[]
  readonly nextCursor: string | undefined
  readonly total: number
  readonly groups: readonly { readonly key: string; readonly count: number }[] | undefined
}

/**
 * Answers `GET /desk/work`. With `isFresh` (the request has `no-cache`) the answer waits a moment for a list that was read after the request.
 * While the list cannot be read, the first page is the upstream's Problem. `readNewIds` gives the Work that is new to the person.
 * @throws Refused
 */
export async function answerOpenWork(
  query: string,
  isFresh: boolean,
  audience: Audience,
  watcher: Watcher,
  delegators: Delegators,
  readNewIds: () => Promise<ReadonlySet<string>>,
): Promise<Answer> {
  const { state, pauseMs } = await watcher.readList({ isFresh })
  const asked = readOpenWorkQuery(query)
  const failure = asked.cursor === undefined ? state.listFailure : undefined
  if (failure !== undefined) {
    const retryAfter = pauseMs > 0 ? { "Retry-After": String(Math.ceil(pauseMs / 1_000)) } : {}
    const { problem, json, cause } = failure
    const headers = { "Content-Type": PROBLEM_MEDIA_TYPE, ...retryAfter }
    throw new Refused({ ...jsonAnswer(json, headers, problem.status), cause, upstreamRequestId: problem.request_id })
  }
  const seen = watcher.visibleWork.of(audience)
  const unread = unreadOf(state, seen)
  // A Work that cannot be read has no row, and is counted instead.
  const visible = { ...seen, works: seen.works.filter(({ work }) => !work.isUnread) }
  await delegators.readNames()
  const personId = asked.by === "me" ? personOf(audience) : asked.by
  // In local mode one person delegated everything, so the filter has no effect.
  const delegated =
    personId === undefined || audience === "everything"
      ? visible.works
      : visible.works.filter(({ work }) => delegators.isBy(work.id, personId))
  const newIds = asked.new === undefined ? undefined : await readNewIds()
  const wanted = newIds === undefined ? delegated : delegated.filter(({ work }) => newIds.has(work.id))
  const { works, nextCursor, total, groups } = listOpenWork(wanted, asked, Date.now())
  const people = delegators.everybody(visible.works.map(({ work }) => work.id))
  const members = [
    `"data":[${works.map((work) => work.json).join(",")}]`,
    ...(nextCursor === undefined ? [] : [`"next_cursor":${JSON.stringify(nextCursor)}`]),
    `"total":${total},"of":${totalOf(state, visible)},"complete":${state.knownWhole().level === "whole" && state.unwatched === 0}`,
    ...(unread === 0 ? [] : [`"unread":${unread}`]),
    `"colleagues":${JSON.stringify(listColleagues(visible))}`,
    `"delegated":${JSON.stringify(delegators.of(works.map(({ id }) => id)))}`,
    ...(people === undefined ? [] : [`"delegators":${JSON.stringify(people)}`]),
    ...(groups === undefined ? [] : [`"groups":${JSON.stringify(groups)}`]),
  ]
  return jsonAnswer(`{${members.join(",")}}`)
}

/** The colleagues that have open Work, so that a person can choose one. */
function listColleagues({ works }: VisibleWork): readonly string[] {
  const colleagues = new Set(works.map(({ work }) => work.colleague))
  return [...colleagues].sort().slice(0, COLLEAGUES_MAX)
}

/** Reads the query. A cursor is valid only with the sort and group of its page. @throws Refused */
export function readOpenWorkQuery(query: string): Parameters {
  const asked = readQuery(parameters, query)
  if (asked.cursor !== undefined && asked.cursor.order !== orderOf(asked)) throw new Refused(badParameter("cursor"))
  return asked
}

/** Returns one page of the open Works that match. `now` is in milliseconds since 1970. */
export function listOpenWork(works: Iterable<WatchedWork>, asked: Parameters, now: number): OpenWorkPage {
  const rows: Row[] = []
  const order = { ...asked, createdFrom: asked.created_from, createdBefore: asked.created_before }
  for (const watched of works) {
    const { work } = watched
    if (isListed(work, order, now)) rows.push({ key: sortKeyOf(work, asked, now, waitingSince(watched)), watched })
  }
  rows.sort((one, other) => compareKeys(one.key, other.key) || other.watched.place - one.watched.place)
  const start = asked.cursor === undefined ? 0 : startAfter(rows, asked.cursor)
  const page = start === -1 ? [] : rows.slice(start, start + asked.limit)
  const last = page.at(-1)
  const hasMore = last !== undefined && last !== rows.at(-1)
  return {
    works: page.map(({ watched }) => watched.work),
    nextCursor: hasMore ? writeCursor({ order: orderOf(asked), key: last.key, id: last.watched.work.id }) : undefined,
    total: rows.length,
    groups: asked.group === undefined ? undefined : countGroups(rows, asked.group),
  }
}

/**
 * The index of the row after the cursor's row. If that row has gone: of the first row whose key is not before the cursor's, so that no row is
 * left out. A Work may then be in two pages, and the app shows the Work once. -1 when no row is left.
 */
function startAfter(rows: readonly Row[], { key, id }: Cursor): number {
  const before = rows.findIndex((row) => row.watched.work.id === id && compareKeys(row.key, key) === 0)
  return before === -1 ? rows.findIndex((row) => compareKeys(row.key, key) >= 0) : before + 1
}

function countGroups(rows: readonly Row[], group: Group) {
  const counts = new Map<number | string, number>()
  for (const { key } of rows) {
    // A sort key begins with the group.
    const groupKey = key[0] ?? ""
    counts.set(groupKey, (counts.get(groupKey) ?? 0) + 1)
  }
  // A key names a colleague, or has the place of a due date or a priority in its list.
  const names = group === "due" ? DUE_GROUPS : PRIORITIES
  return [...counts].map(([key, count]) => ({
    key: typeof key === "string" ? key : (names[key] ?? ""),
    count,
  }))
}

/** When the oldest waiting item was created. Undefined for Work without a waiting item. */
function waitingSince(watched: WatchedWork): number | undefined {
  const times = itemsOf(watched).flatMap(({ createdAt }) => (Number.isNaN(createdAt) ? [] : createdAt))
  return times.length === 0 ? undefined : Math.min(...times)
}

const orderOf = ({ sort, group }: Pick<Parameters, "sort" | "group">) => `${sort} ${group ?? ""}`

const cursorSchema = v.object({ order: v.string(), key: v.array(v.union([v.number(), v.string()])), id: v.string() })

/** The page's last row. `startAfter` finds where the next page begins. */
type Cursor = v.InferOutput<typeof cursorSchema>

function writeCursor(cursor: { readonly order: string; readonly key: SortKey; readonly id: string }): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url")
}

function readCursor({ dataset, addIssue, NEVER }: v.RawTransformContext<string>): Cursor {
  try {
    return v.parse(cursorSchema, JSON.parse(Buffer.from(dataset.value, "base64url").toString()))
  } catch {
    addIssue({ message: "not a cursor" })
    return NEVER
  }
}
