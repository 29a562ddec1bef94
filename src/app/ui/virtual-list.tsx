import { type ReactNode, useEffect, useRef, useState } from "react"
import { part } from "./part.tsx"
import { useKeptFocus } from "./use-kept-focus.ts"

export type VirtualListProps = {
  label: string
  className?: string | undefined
  /** The keys of the rows, in their order. The link of a row has the key as `data-row`. */
  keys: readonly string[]
  /** The key of the row that stays in the page wherever the list is scrolled to, because that row may have the focus. */
  kept: string | undefined
  /** The expected height of a row in pixels. Each row is measured when it is drawn. */
  heightOf: (index: number) => number
  /** Called with the indexes of the first and the last visible row. */
  onVisibleRows?: (first: number, last: number) => void
  /** Whether the visible rows stay in their places when rows are added above them. At its top the list shows the added rows. */
  staysInPlace?: boolean
  /** Draws the row with this index. */
  children: (index: number) => ReactNode
}

/** The largest number of rows that are all in the page. Of a longer list only the visible rows are. */
const PLAIN_ROWS = 100

const VirtualRows = part<VirtualListProps>(
  "List",
  async () => (await import("./virtual-rows.tsx")).VirtualRows,
  // Without the code of `VirtualRows` every row is in the page: slower, but no row is missing.
  { missing: PlainRows },
)

/** A list of any length. What is in the page does not grow with the list. */
export function VirtualList(list: VirtualListProps) {
  const { keys, kept } = list
  const isLong = keys.length > PLAIN_ROWS
  const [isVirtualReady, setIsVirtualReady] = useState(false)
  useEffect(() => {
    const end = () => setIsVirtualReady(true)
    if (isLong) VirtualRows.load().then(end, end)
  }, [isLong])
  const frame = useRef<HTMLDivElement>(null)
  // The row with the focus is the kept row, and both forms of the list draw that row.
  useKeptFocus(frame, () => frame.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(kept ?? "")}"]`))
  const Rows = isLong && isVirtualReady ? VirtualRows : PlainRows
  return (
    <div ref={frame}>
      <Rows {...list} keys={isLong && !isVirtualReady ? keys.slice(0, PLAIN_ROWS) : keys} />
    </div>
  )
}

function PlainRows({ label, className, keys, children }: VirtualListProps) {
  return (
    <ul className={className} aria-label={label}>
      {keys.map((key, index) => (
        <li key={key}>{children(index)}</li>
      ))}
    </ul>
  )
}
