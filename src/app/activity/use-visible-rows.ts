import { useVirtualizer } from "@tanstack/react-virtual"
import { type FocusEvent, useCallback, useRef, useState } from "react"
import { withRow } from "../ui/virtual-rows.tsx"
import { countBefore, type FilteredEvents } from "./feed-filter.ts"

/** The height of a closed row in pixels until one is measured: two lines and the space below. */
const ROW_HEIGHT = 60
/** Up to this many rows are all in the page. Every row in the page makes each frame longer. */
const ALL_ROWS = 40
/** Of more rows the visible rows are in the page, and this many above and below them. */
const OVERSCAN = 8
/**
 * While the top of the list is visible, only this many rows get a place, because react-virtual computes all places anew for each new event:
 * 5 ms for 100,000 rows (measured).
 */
const PLACED_AT_TOP = 200

/**
 * Keeps only the visible rows of a newest-first list in the page, and the row that has the focus. What is visible stays in its
 * place when newer events arrive, unless the top of the list is visible and `holdsStill` is false. Row 0 is the newest event.
 */
export function useVisibleRows(events: FilteredEvents, holdsStill: boolean) {
  const scroller = useRef<HTMLDivElement>(null)
  const [measuredHeight, setMeasuredHeight] = useState<number>()
  const rowHeight = measuredHeight ?? ROW_HEIGHT
  const [isAway, setIsAway] = useState(false)
  /** The index of the event whose row has the focus. */
  const [focused, setFocused] = useState<number>()
  const { length } = events
  const focusedRow = focused === undefined ? -1 : length - 1 - countBefore(events, focused)

  const placesOnlyTop = !isAway && !holdsStill && focusedRow < PLACED_AT_TOP
  const placed = placesOnlyTop ? Math.min(length, PLACED_AT_TOP) : length

  // A new function makes react-virtual compute all places anew, which a new `rowHeight` needs. So `rowHeight` is a dependency, and is used in
  // the key that a row without an event gets: negative, as no event's key is.
  const getItemKey = useCallback(
    (row: number) => events.at(length - 1 - row)?.index ?? -rowHeight - row,
    [events, length, rowHeight],
  )
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: placed,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey,
    overscan: length <= ALL_ROWS ? ALL_ROWS : OVERSCAN,
    // `end` keeps the visible rows in place when rows are added above them.
    anchorTo: holdsStill || isAway ? "end" : "start",
    // A row that is opened at the end of the list must not scroll the list.
    scrollEndThreshold: -1,
    measureElement: (element, entry, { itemSizeCache }) => {
      const key = getItemKey(Number(element.dataset["index"]))
      // Reading the element's height would make the browser lay out the page in the middle of a render.
      if (entry === undefined) return itemSizeCache.get(key) ?? rowHeight
      const height = entry.borderBoxSize[0]?.blockSize ?? rowHeight
      // Only a closed row (`data-plain`) has the height of a typical row.
      if (element.dataset["plain"] === "true" && height > 0) setMeasuredHeight(height)
      return height
    },
    rangeExtractor: (range) => withRow(range, focusedRow),
  })

  const scrollToRow = (row: number) => {
    const [offset = 0] = virtualizer.getOffsetForIndex(row, row === 0 ? "start" : "center") ?? []
    scroller.current?.scrollTo({ top: offset })
  }
  /** False until a row was measured, because its height moves all rows below. */
  const isInView = (row: number) => {
    const { range } = virtualizer
    return measuredHeight !== undefined && range !== null && row >= range.startIndex && row <= range.endIndex
  }

  return {
    scroller,
    /**
     * The rows to render, each with its place. A row's element has its number as `data-index` and its event's index as `data-event`;
     * `data-plain` says that it has nothing but its two lines.
     */
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize() + (length - placed) * rowHeight,
    measure: virtualizer.measureElement,
    listeners: {
      onScroll: () => setIsAway((scroller.current?.scrollTop ?? 0) > rowHeight / 2),
      onFocus: ({ target }: FocusEvent) => {
        const row = target.closest<HTMLElement>("[data-event]")
        setFocused(row === null ? undefined : Number(row.dataset["event"]))
      },
      onBlur: () => setFocused(undefined),
    },
    scrollToRow,
    isInView,
    /** Whether the newest row is not visible. */
    isAway,
  }
}
