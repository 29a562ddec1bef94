import { defaultRangeExtractor, type Range, useVirtualizer, useWindowVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useLayoutEffect, useRef, useState } from "react"
import type { VirtualListProps } from "./virtual-list.tsx"

/** The visible rows of a long list, within the element or the window that scrolls it. */
export function VirtualRows(list: VirtualListProps) {
  const element = useRef<HTMLUListElement>(null)
  const { scroller, margin } = useScroller(element)
  return scroller === undefined ? (
    <RowsInWindow list={list} element={element} margin={margin} />
  ) : (
    <RowsInElement list={list} element={element} margin={margin} scroller={scroller} />
  )
}

type RowsProps = {
  list: VirtualListProps
  element: RefObject<HTMLUListElement | null>
  /** The pixels between the top of what is scrolled and the list. */
  margin: number
}

function RowsInWindow({ list, element, margin }: RowsProps) {
  const virtual = useWindowVirtualizer<Element>({
    ...optionsOf(list),
    scrollMargin: margin,
    anchorTo: list.staysInPlace === true && scrollY > margin ? "end" : "start",
    // A row that is opened at the end of the list must not scroll the list.
    scrollEndThreshold: -1,
  })
  return <Rows list={list} element={element} margin={margin} virtual={virtual} />
}

function RowsInElement({ list, element, margin, scroller }: RowsProps & { scroller: Element }) {
  const virtual = useVirtualizer({ ...optionsOf(list), scrollMargin: margin, getScrollElement: () => scroller })
  return <Rows list={list} element={element} margin={margin} virtual={virtual} />
}

const optionsOf = ({ keys, kept, heightOf, onVisibleRows }: VirtualListProps) => ({
  count: keys.length,
  estimateSize: heightOf,
  getItemKey: (index: number) => keys[index] ?? index,
  overscan: 12,
  // Without this size the first render would have no rows.
  initialRect: { width: innerWidth, height: innerHeight },
  onChange: ({ range }: { range: Pick<Range, "startIndex" | "endIndex"> | null }) =>
    range && onVisibleRows?.(range.startIndex, range.endIndex),
  rangeExtractor: (range: Range) => withRow(range, kept === undefined ? -1 : keys.indexOf(kept)),
})

type Virtual = Pick<ReturnType<typeof useVirtualizer>, "getTotalSize" | "getVirtualItems" | "measureElement">

function Rows({ list, element, margin, virtual }: RowsProps & { virtual: Virtual }) {
  const { label, className, keys, children } = list
  return (
    <ul
      ref={element}
      className={className}
      aria-label={label}
      style={{ position: "relative", height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map(({ key, index, start }) => (
        <li
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          aria-posinset={index + 1}
          aria-setsize={keys.length}
          style={{ position: "absolute", insetInline: 0, top: 0, transform: `translateY(${start - margin}px)` }}
        >
          {children(index)}
        </li>
      ))}
    </ul>
  )
}

/** The rows to draw: the visible rows, and the row with this index if there is one. */
export function withRow(range: Range, index: number): number[] {
  const visible = defaultRangeExtractor(range)
  if (index < 0 || index >= range.count || visible.includes(index)) return visible
  return [...visible, index].sort((a, b) => a - b)
}

/** What scrolls the list, undefined for the window, and how many pixels below the top of what is scrolled the list begins. */
function useScroller(list: RefObject<HTMLElement | null>) {
  const [state, setState] = useState<{ scroller: Element | undefined; margin: number }>()
  useLayoutEffect(() => {
    const measure = () => {
      if (list.current === null) return
      const scroller = scrollerOf(list.current)
      // Whatever changes its size above the list changes the size of the content too.
      observer.observe(scroller?.firstElementChild ?? document.body)
      const top = scroller === undefined ? -scrollY : scroller.getBoundingClientRect().top - scroller.scrollTop
      const margin = list.current.getBoundingClientRect().top - top
      setState((before) => (before?.scroller === scroller && before?.margin === margin ? before : { scroller, margin }))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    measure()
    return () => observer.disconnect()
  }, [list])
  return { scroller: state?.scroller, margin: state?.margin ?? 0 }
}

function scrollerOf(element: Element): Element | undefined {
  const above = element.parentElement
  if (above === null || above === document.body) return undefined
  return /auto|scroll/.test(getComputedStyle(above).overflowY) ? above : scrollerOf(above)
}
