import { type ReactNode, useEffect, useRef, useState } from "react"

/** How many rows are drawn together. */
const BLOCK = 20
/** The expected height of a row in pixels, until the rows of a block have been drawn. */
const ROW_HEIGHT = 76
/** Rows are drawn when they are nearer to the window than this. */
const NEAR = "600px"

/**
 * A list of rows, of which only those near the window are in the page, and the block of the row `keep`. It works in a page that scrolls and in a
 * pane that scrolls alike.
 */
export function RowBlocks<Row>(props: {
  rows: readonly Row[]
  /** The index of a row that is always there; -1 for none. */
  keep: number
  /** Draws a row as an `li`. */
  children: (row: Row) => ReactNode
}) {
  const { rows, keep, children } = props
  const blocks = Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, at) =>
    rows.slice(at * BLOCK, (at + 1) * BLOCK),
  )
  return (
    <>
      {blocks.map((block, at) => (
        // The place of a block is its identity.
        <Block key={at} size={block.length} isNeeded={at === 0 || at === Math.floor(keep / BLOCK)}>
          {() => block.map(children)}
        </Block>
      ))}
    </>
  )
}

function Block({ size, isNeeded, children }: { size: number; isNeeded: boolean; children: () => ReactNode }) {
  const block = useRef<HTMLUListElement>(null)
  const [isNear, setIsNear] = useState(false)
  const [height, setHeight] = useState(size * ROW_HEIGHT)
  const isDrawn = isNear || isNeeded
  useEffect(() => {
    if (block.current === null) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return
        if (!entry.isIntersecting && entry.boundingClientRect.height > 0) setHeight(entry.boundingClientRect.height)
        setIsNear(entry.isIntersecting)
      },
      { rootMargin: NEAR },
    )
    observer.observe(block.current)
    return () => observer.disconnect()
  }, [])
  return (
    <ul ref={block} style={isDrawn ? undefined : { height }}>
      {isDrawn && children()}
    </ul>
  )
}
