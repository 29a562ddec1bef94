/** The rows of an inbox, which stay in place while a person reads. */
import { useState } from "react"

type Keyed = { readonly key: string }

/** A row of an inbox. `gone`: a tombstone, because its item was resolved elsewhere while the page was open. */
export type InboxRow<Row extends Keyed> = { readonly item: Row; readonly gone: boolean }
type Rows<Row extends Keyed> = readonly InboxRow<Row>[]

type RowsOptions<Row extends Keyed> = {
  /** Whether a person reads the list, so that no row moves (`nextRows`). */
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
  const shown = keysOf(rows.map(({ item }) => item))
  return {
    rows,
    /** The number of items that no longer wait and have no row. */
    folded,
    /** The number of items that wait and have no row. */
    notShown: memory.items.filter(({ key }) => !shown.has(key)).length,
    showAll: () =>
      setMemory((before) => {
        const tombstones = before.rows.filter(({ gone }) => gone)
        return { ...before, rows: sortRows(before.items, before.rows, tombstones) }
      }),
    /** Call this before the item comes back into the list, so that the item has its row at once. */
    bringBack: (key: string) => setMemory((before) => ({ ...before, broughtBack: key })),
    /** Removes the rows of items that a filter leaves out, but not the row `chosen`: the person moves on with a key. */
    dropLeftOut: (chosen: string) =>
      setMemory((before) => {
        const listed = keysOf(before.items)
        const rows = before.rows.filter(({ item: { key }, gone }) => gone || key === chosen || listed.has(key))
        return rows.length === before.rows.length ? before : { ...before, rows }
      }),
    /** Removes a row: the person has resolved the item here. */
    drop: (key: string) =>
      setMemory((before) => ({ ...before, rows: before.rows.filter(({ item }) => item.key !== key) })),
  }
}

/**
 * The rows after a change of the items, by what has become of a row's item:
 *
 * | the item                                   | a person reads the list  | nobody reads it                  |
 * | ------------------------------------------ | ------------------------ | -------------------------------- |
 * | is in the list                             | keeps its place          | in the order of the list         |
 * | changed, so that a filter leaves it out    | keeps its place          | no row                           |
 * | is pending, but no longer needs the person | no row                   | no row                           |
 * | was resolved                               | its row, as a tombstone  | a tombstone if chosen, or no row |
 * | is new, after the last row                 | joins at the end         | in the order of the list         |
 * | is new, before the last row                | no row until `showAll`   | in the order of the list         |
 *
 * A new item that the person chose or brought back gets its row at once. Then all items get their rows, in the list's order.
 */
function nextRows<Row extends Keyed>(memory: Memory<Row>, items: readonly Row[], options: RowsOptions<Row>): Rows<Row> {
  const { frozen, chosen, view, waiting, unfiltered = [] } = options
  const isReading = frozen && memory.view === view
  const listed = keysOf(items)
  const filtered = isReading ? unfiltered.filter(({ key }) => !listed.has(key)) : []
  const stays = keysOf([...items, ...filtered])
  const rows = memory.rows.filter(({ item: { key } }) => stays.has(key) || !waiting.has(key))
  const resolved = rows.filter(({ item: { key } }) => !stays.has(key))
  if (!isReading || rows.length === 0) {
    const chosenTombstone = resolved.filter(({ item }) => item.key === chosen)
    return sortRows(items, rows, chosenTombstone)
  }
  const present = keysOf(rows.map(({ item }) => item))
  const lacksRow = (key: string | undefined) => key !== undefined && listed.has(key) && !present.has(key)
  if (lacksRow(chosen) || lacksRow(memory.broughtBack)) return sortRows(items, rows, resolved)
  return joinRows(rows, items, filtered)
}

const keysOf = (items: readonly Keyed[]): ReadonlySet<string> => new Set(items.map(({ key }) => key))

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
  const known = keysOf(rows.map(({ item }) => item))
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
