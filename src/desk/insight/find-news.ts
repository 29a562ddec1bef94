/** What is new to a person in a Work that concerns them, since they last saw the Work. */
import { NEWS_KINDS, type NewsKind } from "../../contract/desk-work.ts"
import type { RecordedAction } from "../record/recorded-actions.ts"
import type { DoneWork } from "../watcher/done-work-reads.ts"
import type { ListedItem } from "../watcher/read-resources.ts"
import type { SeenSince, SeenWorkRow } from "./seen-store.ts"

/** A Work as the desk knows it now. */
export type KnownState = DoneWork & {
  readonly status: string
  /** The items that wait. */
  readonly items: readonly ListedItem[]
  /** How many results a done Work has, as far as that is known. */
  readonly results: () => number | undefined
}

export type News = {
  readonly what: readonly NewsKind[]
  /** The id of the person who decided or answered last. */
  readonly by: string | undefined
  readonly results: number | undefined
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What there is to compare a Work with. */
type Baseline = {
  readonly hasRisen: boolean
  readonly sequence: number
  readonly itemsUntil: number
}

const OTHERS_ACTIONS = ["declined", "approved", "answered"] as const

/** `row`: what the person last saw of the Work. Without it, everything until `since` counts as seen. Undefined: nothing is new. */
export function findNews(
  personId: string,
  work: KnownState,
  actions: readonly RecordedAction[],
  row: SeenWorkRow | undefined,
  since: SeenSince,
): News | undefined {
  const own = actions.filter((action) => action.personId === personId)
  const { hasRisen, sequence, itemsUntil } = row === undefined ? firstBaseline(work, own, since) : baselineOf(work, row)
  const others = actions.filter((action) => action.personId !== personId && action.sequence > sequence)
  const actionKinds = OTHERS_ACTIONS.filter((kind) => others.some((action) => action.kind === kind))
  const lastAction = others.findLast(({ kind }) => OTHERS_ACTIONS.some((one) => one === kind))
  const items = work.items.filter(({ createdAt }) => createdAt > itemsUntil)
  const isDone = hasRisen && work.status === "done"
  const results = isDone ? work.results() : undefined
  const kinds = new Set<NewsKind>([
    ...(isDone ? (["done"] as const) : []),
    ...(results !== undefined && results > 0 ? (["results"] as const) : []),
    ...(hasRisen && work.status === "paused" ? (["paused"] as const) : []),
    ...actionKinds,
    ...items.map(({ kind }) => (kind === "approval" ? kind : "asked")),
  ])
  // A person's own action raises the version, too. The service has written that version before it answered.
  const lastOwnAt = own.findLast(({ kind }) => kind !== "created")?.at ?? Number.NEGATIVE_INFINITY
  if (kinds.size === 0 && hasRisen && work.updatedAt > lastOwnAt) kinds.add("changed")
  if (kinds.size === 0) return undefined
  const times = [
    ...(hasRisen ? [work.updatedAt] : []),
    ...(lastAction === undefined ? [] : [lastAction.at]),
    ...items.map(({ createdAt }) => createdAt),
  ]
  return {
    what: NEWS_KINDS.filter((kind) => kinds.has(kind)),
    by: lastAction?.personId,
    results: results === 0 ? undefined : results,
    at: Math.max(0, ...times.filter((time) => !Number.isNaN(time))),
  }
}

function baselineOf({ version }: KnownState, row: SeenWorkRow): Baseline {
  return { hasRisen: version > row.version, sequence: row.sequence, itemsUntil: row.itemsUntil }
}

/** For a Work that the person has not seen since their first use. Who acts in a Work for the first time knows what happened before. */
function firstBaseline(work: KnownState, [first]: readonly RecordedAction[], since: SeenSince): Baseline {
  return {
    // The first version is what its delegator wrote.
    hasRisen: work.version > 1n && work.updatedAt > since.at,
    sequence: Math.max(since.sequence, first?.sequence ?? 0),
    // The colleague may ask before the desk has stored the answer to the person's action.
    itemsUntil: Math.max(since.at, first?.begunAt ?? 0),
  }
}

/** The row of a person who sees the Work now. `until` is the newest action that the desk has read. */
export function toSeenRow({ id, version, updatedAt, items }: KnownState, until: number): SeenWorkRow {
  const times = [updatedAt, ...items.map(({ createdAt }) => createdAt)].filter((time) => !Number.isNaN(time))
  return { workId: id, version, sequence: until, itemsUntil: Math.max(0, ...times) }
}
