/** Which items an inbox lists and in which order, and rows that stay in place while a person reads. */
import { useState } from "react"
import { standingOf, type WaitingItem } from "../client/waiting.ts"
import { rowKey } from "./addresses.ts"
import {
  addressIn,
  groupOf,
  type InboxPage,
  type InboxView,
  isInView,
  isMine,
  type Reader,
  writeInboxView,
} from "./inbox-view.ts"
import { type Item, type ItemId, type ItemKind, kindOf } from "./item.ts"
import { momentOf } from "../ui/time-words.ts"
import { compareKeys, type SortKey } from "../../contract/work-order.ts"

/** A pending item, as a line of an inbox. */
export type InboxLine = {
  readonly id: ItemId
  readonly kind: ItemKind
  readonly key: string
  readonly to: string
  readonly entry: WaitingItem<Item>
}

/** For this long, an item given to the person or their team comes before the others (docs/team.md). */
const GIVEN_FIRST_MS = 24 * 60 * 60_000

/**
 * The lines of an inbox. The order of `listed`: items that came back, then those that were given to the person or their
 * team within `GIVEN_FIRST_MS`, then all others; within each by the time to decide
 * unless `sort` is `oldest`, then the oldest first. With groups, each group stands where its first item would stand. The view may leave lines out of
 * `listed`, but no key out of `keys`.
 *
 * @param page the address of the inbox page
 * @param now the present moment on the desk's clock, in ms since 1970
 */
export function arrangeLines(
  entries: readonly WaitingItem<Item>[],
  page: InboxPage,
  view: InboxView,
  me: Reader,
  now: number,
) {
  const query = writeInboxView(view)
  const lines = entries.map((entry): InboxLine => {
    const id: ItemId = [entry.work.id, entry.item.id]
    const kind = kindOf(entry.item)
    return { id, kind, key: rowKey(kind, id), to: addressIn(page, query, id), entry }
  })
  const standing = Object.groupBy(lines, ({ entry }) => standingOf(entry, me?.person.id ?? ""))
  const waits = standing.waits ?? []
  const sorted = waits
    .filter(({ entry }) => isInView(entry, view, me))
    // The key of each line is made once: a comparison would read four dates.
    .map((line) => ({ line, key: sortKeyOf(line.entry, view, me, now) }))
    .sort((one, other) => compareKeys(one.key, other.key))
    .map(({ line }) => line)
  const { group } = view
  return {
    keys: new Set(lines.map(({ key }) => key)),
    listed:
      group === undefined ? sorted : [...Map.groupBy(sorted, ({ entry }) => groupOf(entry, group).key).values()].flat(),
    /** The person's pending items, without any filter. */
    waits,
    aside: standing.aside ?? [],
    approved: standing.approved ?? [],
    /** What other people have to answer or approve. */
    others: standing.others ?? [],
  }
}

/** An item without a readable moment comes last. */
const momentOrLast = (text: string | undefined): number => momentOf(text ?? "") ?? Infinity

function sortKeyOf(entry: WaitingItem<Item>, { sort }: InboxView, me: Reader, now: number): SortKey {
  const { back, assignment, decide_by: by, item } = entry
  const wasGivenLately = now - (momentOf(assignment?.at ?? "") ?? 0) < GIVEN_FIRST_MS
  const place = back === true ? 0 : isMine(entry, me) && wasGivenLately ? 1 : 2
  return [place, sort === "oldest" ? 0 : momentOrLast(by), momentOrLast(item.created_at)]
}

type Keyed = { readonly key: string }

/** A row of an inbox. `gone`: a tombstone, because its item was resolved elsewhere while the page was open. */
export type InboxRow<Row extends Keyed> = { readonly item: Row; readonly gone: boolean }
type Rows<Row extends Keyed> = readonly InboxRow<Row>[]

type RowsOptions<Row extends Keyed> = {
  /**
   * Whether a person reads the list. If not, the rows follow the items, and only the chosen item stays as a tombstone. If so, no row moves: a
   * resolved item stays as a tombstone, an item after the last row joins at the end, and any other item waits for `showAll`.
   */
  readonly frozen: boolean
  /** The key of the item of the address. */
  readonly chosen: string | undefined
  /** Names the filter and the order of the items. With another view the rows begin anew. */
  readonly view: string
  /** The keys of all pending items, including items outside the list. An item that left the list but is still pending leaves no tombstone. */
  readonly waiting: ReadonlySet<string>
  /**
   * The person's pending items, without any filter. A row whose item has changed, so that a filter now leaves it out, keeps its place until
   * `dropLeftOut`, while the person reads the list.
   */
  readonly unfiltered?: readonly Row[]
}

type Memory<Row extends Keyed> = Pick<RowsOptions<Row>, "chosen" | "view"> & {
  readonly items: readonly Row[]
  readonly rows: Rows<Row>
  /** How many tombstones no longer have a row. */
  readonly folded: number
  /** The key of an item that the person has brought back. It gets its row at once, and so does the chosen item. */
  readonly broughtBack: string | undefined
}

/** The rows of an inbox while the page is open. `items` are the pending items, in the order of the list. */
export function useInboxRows<Row extends Keyed>(items: readonly Row[], options: RowsOptions<Row>) {
  const { chosen, view } = options
  const [memory, setMemory] = useState<Memory<Row>>({
    items: [],
    chosen,
    view,
    rows: [],
    folded: 0,
    broughtBack: undefined,
  })
  if (memory.items !== items || memory.chosen !== chosen || memory.view !== view)
    setMemory({ ...memory, items, chosen, view, ...foldTombstones(memory, nextRows(memory, items, options), options) })
  const { rows, folded } = memory
  const keys = new Set(rows.map(({ item }) => item.key))
  return {
    rows,
    /** The number of items that no longer wait and have no row. */
    folded,
    /** The number of items that wait and have no row. */
    notShown: memory.items.filter(({ key }) => !keys.has(key)).length,
    showAll: () =>
      setMemory((before) => ({
        ...before,
        rows: sortRows(
          before.items,
          before.rows,
          before.rows.filter(({ gone }) => gone),
        ),
      })),
    /** Call this before the item comes back into the list, so that the item has its row at once. */
    bringBack: (key: string) => setMemory((before) => ({ ...before, broughtBack: key })),
    /** Removes the rows of items that a filter leaves out, but not the row `chosen`: the person moves on with a key. */
    dropLeftOut: (chosen: string) =>
      setMemory((before) => {
        const listed = new Set(before.items.map(({ key }) => key))
        const rows = before.rows.filter(({ item: { key }, gone }) => gone || key === chosen || listed.has(key))
        return rows.length === before.rows.length ? before : { ...before, rows }
      }),
    /** Removes a row: the person has resolved the item here. */
    drop: (key: string) =>
      setMemory((before) => ({ ...before, rows: before.rows.filter(({ item }) => item.key !== key) })),
  }
}

function nextRows<Row extends Keyed>(memory: Memory<Row>, items: readonly Row[], options: RowsOptions<Row>): Rows<Row> {
  const { frozen, chosen, view, waiting, unfiltered = [] } = options
  const isBegun = frozen && memory.view === view
  const listed = new Set(items.map(({ key }) => key))
  // Items that a filter now leaves out, because they have changed. Their rows keep their places.
  const filtered = isBegun ? unfiltered.filter(({ key }) => !listed.has(key)) : []
  const stays = new Set([...listed, ...filtered.map(({ key }) => key)])
  // If an item left the list because of something that the person did, its row is removed.
  const before = memory.rows.filter(({ item: { key } }) => stays.has(key) || !waiting.has(key))
  const resolved = before.filter(({ item }) => !stays.has(item.key))
  if (!isBegun || before.length === 0) {
    const chosenTombstone = resolved.filter(({ item }) => item.key === chosen)
    return sortRows(items, before, chosenTombstone)
  }
  const hasRow = (key: string) => before.some(({ item }) => item.key === key)
  const lacksRow = [chosen, memory.broughtBack].some((key) => key !== undefined && listed.has(key) && !hasRow(key))
  return lacksRow ? sortRows(items, before, resolved) : joinRows(before, items, filtered)
}

/** More tombstones than this become one line with their number, so that a page left open does not grow. */
export const TOMBSTONES_MAX = 20

function foldTombstones<Row extends Keyed>(memory: Memory<Row>, rows: Rows<Row>, { chosen, view }: RowsOptions<Row>) {
  const folded = memory.view === view ? memory.folded : 0
  const tombstones = rows.filter(({ gone }) => gone).length
  if (folded === 0 && tombstones <= TOMBSTONES_MAX) return { rows, folded }
  const kept = rows.filter(({ item, gone }) => !gone || item.key === chosen)
  return { rows: kept, folded: folded + rows.length - kept.length }
}

const live = <Row extends Keyed>(item: Row): InboxRow<Row> => ({ item, gone: false })

/** The rows in their places, each with its item as it is now or as a tombstone, then the items after the last row. */
function joinRows<Row extends Keyed>(rows: Rows<Row>, items: readonly Row[], filtered: readonly Row[]): Rows<Row> {
  const present = new Map([...items, ...filtered].map((item) => [item.key, item]))
  const known = new Set(rows.map(({ item }) => item.key))
  const kept = rows.map((row) => {
    const item = present.get(row.item.key)
    return item === undefined ? { ...row, gone: true } : live(item)
  })
  const last = items.findLastIndex(({ key }) => known.has(key))
  return [...kept, ...items.slice(last + 1).map(live)]
}

/** The items in their order, and the tombstones, each below the row that stood above it in `before`. */
function sortRows<Row extends Keyed>(items: readonly Row[], before: Rows<Row>, tombstones: Rows<Row>): Rows<Row> {
  const sorted = items.map(live)
  for (const { item } of tombstones) {
    const at = before.findIndex((row) => row.item.key === item.key)
    const above = before.slice(0, at).findLast((row) => sorted.some((each) => each.item.key === row.item.key))
    sorted.splice(sorted.findIndex((each) => each.item.key === above?.item.key) + 1, 0, { item, gone: true })
  }
  return sorted
}

/** The item to read after the item `key`: the next pending one, else the first. */
export function rowAfter<Row extends Keyed>(rows: Rows<Row>, key: string): Row | undefined {
  const at = rows.findIndex(({ item }) => item.key === key)
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))]
  return others.find(({ gone }) => !gone)?.item
}
