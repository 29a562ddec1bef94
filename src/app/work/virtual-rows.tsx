import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual"
import { useLayoutEffect, useRef, useState } from "react"
import type { Work } from "../../contract/resources.ts"
import styles from "./work-list.module.css"
import { WorkRow } from "./work-row.tsx"

export type RowsProps = {
  rows: readonly Work[]
  /** The headings of groups, each by the index of the row below it. */
  headings: ReadonlyMap<number, string>
  selectedId: string
  onSelect: (id: string) => void
  /** Called with the indexes of the first and the last row in sight. */
  onSight: (first: number, last: number) => void
}

/** The expected heights in pixels of a row without and with a question, and of a heading. Each row is measured when it is drawn. */
const HEIGHT = 51
const HEIGHT_WITH_QUESTION = 72
const HEADING = 41

/** A long list. Only the visible rows are in the page, and the selected row, which may have the focus. */
export function VirtualRows({ rows, headings, selectedId, onSelect, onSight }: RowsProps) {
  const list = useRef<HTMLUListElement>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  useLayoutEffect(() => {
    const measure = () => setScrollMargin((list.current?.getBoundingClientRect().top ?? 0) + scrollY)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  const selectedIndex = rows.findIndex(({ id }) => id === selectedId)
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) =>
      (rows[index]?.attention_question === undefined ? HEIGHT : HEIGHT_WITH_QUESTION) +
      (headings.has(index) ? HEADING : 0),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
    // Without this size the first render would have no rows.
    initialRect: { width: innerWidth, height: innerHeight },
    scrollMargin,
    onChange: ({ range }) => range && onSight(range.startIndex, range.endIndex),
    rangeExtractor: (range) => {
      const visible = defaultRangeExtractor(range)
      return selectedIndex < 0 || visible.includes(selectedIndex)
        ? visible
        : [...visible, selectedIndex].sort((a, b) => a - b)
    },
  })
  return (
    <ul
      ref={list}
      className={styles["rows"]}
      aria-label="Work"
      style={{ position: "relative", height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map(({ key, index, start }) => {
        const work = rows[index]
        return (
          work && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={rows.length}
              style={{
                position: "absolute",
                insetInline: 0,
                top: 0,
                transform: `translateY(${start - scrollMargin}px)`,
              }}
            >
              {headings.has(index) && <h2 className={styles["group"]}>{headings.get(index)}</h2>}
              <WorkRow work={work} selected={index === selectedIndex} onSelect={onSelect} />
            </li>
          )
        )
      })}
    </ul>
  )
}
