import { useState } from "react"

type Item = { readonly key: string; readonly createdAt: string | undefined }

/** A line of an inbox. `gone` where it was resolved elsewhere while the page was open. */
export type InboxRow<Row extends Item> = { readonly item: Row; readonly gone: boolean }

type Memory<Row extends Item> = {
  readonly source: readonly Row[]
  readonly settled: boolean
  readonly rows: readonly InboxRow<Row>[]
}

const timeOf = ({ createdAt }: Item) => (createdAt === undefined ? Infinity : Date.parse(createdAt))

const sorted = <Row extends Item>(rows: readonly InboxRow<Row>[]) =>
  [...rows].sort((a, b) => timeOf(a.item) - timeOf(b.item))

/**
 * The lines of an inbox while the page is open, oldest first. Until all Work is checked, they are sorted as they come. Then no line moves:
 * a resolved item stays as a tombstone, the newest item joins at the end, and an item that would push others down waits until `showWaiting`
 * is called.
 */
export function useInboxRows<Row extends Item>(items: readonly Row[], settled: boolean) {
  const [memory, setMemory] = useState<Memory<Row>>({ source: [], settled: false, rows: [] })
  const hasSettled = settled || memory.settled
  if (memory.source !== items || memory.settled !== hasSettled) {
    setMemory({ source: items, settled: hasSettled, rows: takeIn(memory, items) })
  }
  const { rows } = memory
  const keys = new Set(rows.map(({ item }) => item.key))
  const waiting = memory.source.filter(({ key }) => !keys.has(key))
  return {
    rows,
    waiting: waiting.length,
    showWaiting: () =>
      setMemory({ ...memory, rows: sorted([...rows, ...waiting.map((item) => ({ item, gone: false }))]) }),
    /** Removes a line: the person has resolved the item here. */
    drop: (key: string) =>
      setMemory((before) => ({ ...before, rows: before.rows.filter(({ item }) => item.key !== key) })),
  }
}

function takeIn<Row extends Item>({ rows, settled }: Memory<Row>, items: readonly Row[]): readonly InboxRow<Row>[] {
  const present = new Map(items.map((item) => [item.key, item]))
  const known = new Set(rows.map(({ item }) => item.key))
  const kept = rows.map((row) => {
    const item = present.get(row.item.key)
    return item === undefined ? { ...row, gone: true } : { item, gone: false }
  })
  const fresh = items.filter(({ key }) => !known.has(key))
  if (!settled) return sorted([...kept.filter(({ gone }) => !gone), ...fresh.map((item) => ({ item, gone: false }))])
  const last = kept.at(-1)
  const newest = fresh.filter((item) => last === undefined || timeOf(item) >= timeOf(last.item))
  return [...kept, ...sorted(newest.map((item) => ({ item, gone: false })))]
}

/** The line to read after `key`: the next that still waits, else the first one. */
export function rowAfter<Row extends Item>(rows: readonly InboxRow<Row>[], key: string): Row | undefined {
  const at = rows.findIndex(({ item }) => item.key === key)
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))]
  return others.find(({ gone }) => !gone)?.item
}
