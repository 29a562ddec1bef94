import { useState } from "react"

type Item = { readonly key: string; readonly createdAt: string | undefined }

/** A row of an inbox. `gone` is true where it was resolved elsewhere while the page was open. */
export type InboxRow<Row extends Item> = { readonly item: Row; readonly gone: boolean }

type Memory<Row extends Item> = {
  /** The items that the rows were made of. */
  readonly items: readonly Row[]
  readonly wasComplete: boolean
  readonly rows: readonly InboxRow<Row>[]
}

const timeOf = ({ createdAt }: Item) => (createdAt === undefined ? Infinity : Date.parse(createdAt))

const sorted = <Row extends Item>(rows: readonly InboxRow<Row>[]) =>
  [...rows].sort((a, b) => timeOf(a.item) - timeOf(b.item))

/**
 * The rows of an inbox while the page is open, oldest first. Until the list was `complete` once, new items are sorted in. Then no row moves:
 * a resolved item stays as a tombstone, the newest item joins at the end, and an item that would push others down gets its row when
 * `showAll` is called.
 */
export function useInboxRows<Row extends Item>(items: readonly Row[], complete: boolean) {
  const [memory, setMemory] = useState<Memory<Row>>({ items: [], wasComplete: false, rows: [] })
  const wasComplete = complete || memory.wasComplete
  if (memory.items !== items || memory.wasComplete !== wasComplete) {
    setMemory({ items, wasComplete, rows: addItems(memory, items) })
  }
  const { rows } = memory
  const keys = new Set(rows.map(({ item }) => item.key))
  const notShown = memory.items.filter(({ key }) => !keys.has(key))
  return {
    rows,
    /** The number of items without a row. */
    notShown: notShown.length,
    showAll: () =>
      setMemory({ ...memory, rows: sorted([...rows, ...notShown.map((item) => ({ item, gone: false }))]) }),
    /** Removes a row: the person has resolved the item here. */
    drop: (key: string) =>
      setMemory((before) => ({ ...before, rows: before.rows.filter(({ item }) => item.key !== key) })),
  }
}

function addItems<Row extends Item>(
  { rows, wasComplete }: Memory<Row>,
  items: readonly Row[],
): readonly InboxRow<Row>[] {
  const present = new Map(items.map((item) => [item.key, item]))
  const known = new Set(rows.map(({ item }) => item.key))
  const kept = rows.map((row) => {
    const item = present.get(row.item.key)
    return item === undefined ? { ...row, gone: true } : { item, gone: false }
  })
  const fresh = items.filter(({ key }) => !known.has(key))
  if (!wasComplete)
    return sorted([...kept.filter(({ gone }) => !gone), ...fresh.map((item) => ({ item, gone: false }))])
  const last = kept.at(-1)
  const newest = fresh.filter((item) => last === undefined || timeOf(item) >= timeOf(last.item))
  return [...kept, ...sorted(newest.map((item) => ({ item, gone: false })))]
}

/** The item to read after the item `key`: the next that still waits, else the first that waits. */
export function rowAfter<Row extends Item>(rows: readonly InboxRow<Row>[], key: string): Row | undefined {
  const at = rows.findIndex(({ item }) => item.key === key)
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))]
  return others.find(({ gone }) => !gone)?.item
}
