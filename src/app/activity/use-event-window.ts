import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { countBefore, type FilteredEvents } from "./feed-filter.ts"

/** A row's height in pixels until one is measured: two lines and the space below. */
const ROW_HEIGHT = 60
/** So many rows are in the page at once, and so many of them above what is seen. */
const ROWS = 120
const ROWS_ABOVE = 40
/** The window moves in steps, so that scrolling does not render at every pixel. */
const STEP = 20

export type EventWindow = {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly list: RefObject<HTMLOListElement | null>
  /** The rows in the page; row 0 is the newest. */
  readonly first: number
  readonly end: number
  /** The height of the rows that are not, above and below. */
  readonly above: number
  readonly below: number
  readonly onScroll: () => void
  readonly scrollToRow: (row: number) => void
  /** Whether the newest row is out of sight. */
  readonly isAway: boolean
}

/**
 * Keeps a bounded part of the newest-first list in the page. Rows are of one height, but for those few that are opened or
 * have a heading, which are measured. `holdsStill` keeps what is seen in its place also at the top, while a payload is read.
 */
export function useEventWindow(events: FilteredEvents, holdsStill: boolean): EventWindow {
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const [rowHeight, setRowHeight] = useState(ROW_HEIGHT)
  /** By how much rows are higher than the rest, by their event's index. */
  const [extras, setExtras] = useState<ReadonlyMap<number, number>>(new Map())
  const [first, setFirst] = useState(0)
  const [isAway, setIsAway] = useState(false)
  const { length } = events
  const end = Math.min(first + ROWS, length)

  const offsetOf = useCallback(
    (row: number) => {
      let offset = row * rowHeight
      for (const [index, extra] of extras) {
        const itsRow = length - 1 - countBefore(events, index)
        if (itsRow < row) offset += extra
      }
      return offset
    },
    [events, length, rowHeight, extras],
  )

  const onScroll = useCallback(() => {
    const top = scroller.current?.scrollTop ?? 0
    let low = 0
    let high = length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (offsetOf(middle + 1) <= top) low = middle + 1
      else high = middle
    }
    setFirst(Math.max(0, Math.floor((low - ROWS_ABOVE) / STEP) * STEP))
    setIsAway(top > rowHeight / 2)
  }, [length, offsetOf, rowHeight])

  const scrollToRow = useCallback(
    (row: number) => {
      scroller.current?.scrollTo({ top: row === 0 ? 0 : Math.max(0, offsetOf(row) - rowHeight) })
      onScroll()
    },
    [offsetOf, onScroll, rowHeight],
  )

  useStillness(scroller, events, rowHeight, holdsStill || isAway)
  useMeasuredRows(list, setRowHeight, setExtras)

  const [above, below] = useMemo(
    () => [offsetOf(first), Math.max(0, offsetOf(length) - offsetOf(end))],
    [offsetOf, first, end, length],
  )
  return { scroller, list, first, end, above, below, onScroll, scrollToRow, isAway }
}

/** Keeps what is seen where it is while rows are put above it. */
function useStillness(
  scroller: RefObject<HTMLDivElement | null>,
  events: FilteredEvents,
  rowHeight: number,
  holdsStill: boolean,
) {
  const newest = useRef<number>(undefined)
  useLayoutEffect(() => {
    const element = scroller.current
    const before = newest.current
    newest.current = events.at(events.length - 1)?.index
    if (element === null || before === undefined) return
    // Whether it is scrolled is known already: asking here would make the browser lay out twice a frame.
    if (!holdsStill) return
    const added = events.length - countBefore(events, before + 1)
    if (added > 0) element.scrollBy({ top: added * rowHeight, behavior: "instant" })
  }, [scroller, events, rowHeight, holdsStill])
}

/** Measures the rows that are in the page: most are of one height, and what some have more is remembered. */
function useMeasuredRows(
  list: RefObject<HTMLOListElement | null>,
  setRowHeight: (height: number) => void,
  setExtras: (update: (extras: ReadonlyMap<number, number>) => ReadonlyMap<number, number>) => void,
) {
  const observer = useRef<ResizeObserver>(undefined)
  const observed = useRef(new WeakSet<Element>())
  useEffect(() => {
    observed.current = new WeakSet()
    const created = new ResizeObserver((entries) => {
      for (const { target } of entries) if (!target.isConnected) created.unobserve(target)
      const rows = [...(list.current?.children ?? [])].filter((row) => row instanceof HTMLElement)
      const measured = rows.flatMap((row) => {
        const index = row.dataset["index"]
        return index === undefined ? [] : [{ index: Number(index), height: row.getBoundingClientRect().height }]
      })
      const plain = Math.min(...measured.map(({ height }) => height))
      if (plain === 0 || plain === Infinity) return
      setRowHeight(plain)
      setExtras((extras) => withMeasured(extras, measured, plain))
    })
    observer.current = created
    return () => created.disconnect()
  }, [list, setRowHeight, setExtras])
  useEffect(() => {
    for (const row of list.current?.children ?? []) {
      // Observing again would report it again.
      if (!observed.current.has(row)) observer.current?.observe(row)
      observed.current.add(row)
    }
  })
}

function withMeasured(
  extras: ReadonlyMap<number, number>,
  measured: readonly { index: number; height: number }[],
  plain: number,
): ReadonlyMap<number, number> {
  const next = new Map(extras)
  for (const { index, height } of measured) {
    if (height - plain > 1) next.set(index, height - plain)
    else next.delete(index)
  }
  const isSame = next.size === extras.size && [...next].every(([index, extra]) => extras.get(index) === extra)
  return isSame ? extras : next
}
