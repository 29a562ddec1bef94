/** Builds the pages of `GET /desk/work`: open Work, filtered, grouped and sorted. */
import * as v from "valibot"
import type { WatchedWork } from "../waiting/watch-state.ts"
import type { ListedWork } from "../waiting/resources.ts"

const PAGE_DEFAULT = 100
const PAGE_MAX = 500
const DAY_MS = 86_400_000
const WEEK_DAYS = 7

const PRIORITIES = ["urgent", "high", "normal", "low"]

const parameters = v.object({
  status: v.optional(v.picklist(["working", "needs_you", "paused", "done"])),
  colleague: v.optional(v.string()),
  priority: v.optional(v.picklist(["low", "normal", "high", "urgent"])),
  due: v.optional(v.picklist(["overdue", "week"])),
  q: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
  sort: v.optional(v.picklist(["newest", "waiting", "due", "priority", "updated"]), "newest"),
  group: v.optional(v.picklist(["colleague", "priority", "due"])),
  limit: v.optional(
    v.pipe(v.string(), v.regex(/^[1-9]\d{0,2}$/), v.transform(Number), v.maxValue(PAGE_MAX)),
    String(PAGE_DEFAULT),
  ),
  cursor: v.optional(v.pipe(v.string(), v.rawTransform(readCursor))),
})

type Parameters = v.InferOutput<typeof parameters>

/** The values that a row is sorted by, compared one after the other. */
type SortKey = readonly (number | string)[]

type Row = { readonly key: SortKey; readonly watched: WatchedWork }

export type OpenWorkPage = {
  readonly works: readonly ListedWork[]
  readonly nextCursor: string | undefined
  readonly total: number
  readonly groups: readonly { readonly key: string; readonly count: number }[] | undefined
}

const DUE_GROUPS = ["overdue", "week", "later", "none"]

/** Names a parameter that has a bad value or is given twice. */
export type WrongParameter = { readonly wrong: string }

/** Reads the query. A cursor is valid only with the sort and group of its page. */
export function readOpenWorkQuery(query: string): Parameters | WrongParameter {
  const asked: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(parameters.entries, name)) continue
    if (Object.hasOwn(asked, name)) return { wrong: name }
    asked[name] = value
  }
  const read = v.safeParse(parameters, asked)
  if (!read.success) return { wrong: v.getDotPath(read.issues[0]) ?? "" }
  const { cursor } = read.output
  return cursor === undefined || cursor.order === orderOf(read.output) ? read.output : { wrong: "cursor" }
}

/** Gives one page of the open Works that match. `now` is in milliseconds since 1970. */
export function listOpenWork(works: Iterable<WatchedWork>, asked: Parameters, now: number): OpenWorkPage {
  const words = fold(asked.q ?? "")
    .split(/\s+/)
    .filter(Boolean)
  const rows: Row[] = []
  for (const watched of works) {
    if (matches(watched.work, asked, words, now)) rows.push({ key: sortKeyOf(watched, asked, now), watched })
  }
  rows.sort((one, other) => compareKeys(one.key, other.key) || other.watched.place - one.watched.place)
  const start = asked.cursor === undefined ? 0 : startAfter(rows, asked.cursor)
  const page = start === -1 ? [] : rows.slice(start, start + asked.limit)
  const last = page.at(-1)
  const goesOn = last !== undefined && last !== rows.at(-1)
  return {
    works: page.map(({ watched }) => watched.work),
    nextCursor: goesOn ? writeCursor({ order: orderOf(asked), key: last.key, id: last.watched.work.id }) : undefined,
    total: rows.length,
    groups: asked.group === undefined ? undefined : countGroups(rows, asked.group),
  }
}

/** The index of the first row after the cursor's. When that row has gone, Works of its key may be in two pages, but no Work is left out. */
function startAfter(rows: readonly Row[], { key, id }: Cursor): number {
  const last = rows.findIndex((row) => row.watched.work.id === id && compareKeys(row.key, key) === 0)
  return last === -1 ? rows.findIndex((row) => compareKeys(row.key, key) >= 0) : last + 1
}

/** Whether the Work was due before `now`. */
export const isOverdue = ({ dueAt }: ListedWork, now: number) => dueAt !== undefined && dueAt < now

function matches(work: ListedWork, asked: Parameters, words: readonly string[], now: number): boolean {
  const { status, colleague, priority, due } = asked
  if (status !== undefined && work.status !== status) return false
  if (colleague !== undefined && work.colleague !== colleague) return false
  if (priority !== undefined && work.priority !== priority) return false
  if (due === "overdue" && !isOverdue(work, now)) return false
  if (due === "week" && !isDueThisWeek(work, now)) return false
  return words.length === 0 || containsAll(work, words)
}

/** Whether the Work is due within the next seven days. Overdue Work is not. */
function isDueThisWeek({ dueAt }: ListedWork, now: number): boolean {
  return dueAt !== undefined && dueAt >= now && dueAt < now + WEEK_DAYS * DAY_MS
}

/** The sort key of a row. It ends with the time, so that newer Work comes first. */
function sortKeyOf(watched: WatchedWork, { sort, group }: Parameters, now: number): SortKey {
  const { work } = watched
  const groupKey = group === undefined ? [] : [groupKeyOf(work, group, now)]
  return [...groupKey, ...sortKey(watched, sort), -timeOr(work.createdAt, 0)]
}

function countGroups(rows: readonly Row[], group: NonNullable<Parameters["group"]>) {
  const counts = new Map<number | string, number>()
  for (const { key } of rows) counts.set(key[0] ?? "", (counts.get(key[0] ?? "") ?? 0) + 1)
  const names = group === "due" ? DUE_GROUPS : PRIORITIES
  return [...counts].map(([key, count]) => ({
    key: typeof key === "string" ? key : (names[key] ?? ""),
    count,
  }))
}

function groupKeyOf(work: ListedWork, group: NonNullable<Parameters["group"]>, now: number): number | string {
  if (group === "colleague") return work.colleague
  if (group === "priority") return rankOf(work.priority)
  if (work.dueAt === undefined) return 3
  if (isOverdue(work, now)) return 0
  return isDueThisWeek(work, now) ? 1 : 2
}

function sortKey(watched: WatchedWork, sort: Parameters["sort"]): SortKey {
  const { work } = watched
  switch (sort) {
    case "newest":
      return []
    case "waiting":
      return [waitingSince(watched)]
    case "due":
      return [timeOr(work.dueAt, Number.MAX_SAFE_INTEGER)]
    case "priority":
      return [rankOf(work.priority)]
    case "updated":
      return [-timeOr(work.updatedAt, 0)]
  }
}

/** When the oldest waiting item was created. The greatest number for Work without a waiting item. */
function waitingSince({ approvals, attention }: WatchedWork): number {
  return [...approvals, ...attention].reduce(
    (oldest, { createdAt }) => Math.min(oldest, timeOr(createdAt, Number.MAX_SAFE_INTEGER)),
    Number.MAX_SAFE_INTEGER,
  )
}

/** The rank of a priority. A priority that openapi.yaml does not have comes last. */
const rankOf = (priority: string) => (PRIORITIES.includes(priority) ? PRIORITIES.indexOf(priority) : PRIORITIES.length)

const timeOr = (time: number | undefined, other: number) => (time === undefined || Number.isNaN(time) ? other : time)

const folded = new WeakMap<ListedWork, string>()

/** Whether title, objective or question contain every word, without letter case and accents. */
function containsAll(work: ListedWork, words: readonly string[]): boolean {
  const text = folded.get(work) ?? fold(`${work.title}\n${work.objective}\n${work.question}`)
  folded.set(work, text)
  return words.every((word) => text.includes(word))
}

function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
}

function compareKeys(one: SortKey, other: SortKey): number {
  for (const [index, member] of one.entries()) {
    const counterpart = other[index] ?? ""
    if (member !== counterpart) return member < counterpart ? -1 : 1
  }
  return 0
}

const orderOf = ({ sort, group }: Pick<Parameters, "sort" | "group">) => `${sort} ${group ?? ""}`

const cursorSchema = v.object({ order: v.string(), key: v.array(v.union([v.number(), v.string()])), id: v.string() })

/** The page's last row. The next page begins after it, even when rows have come or gone. */
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
