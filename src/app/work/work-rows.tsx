import { useEffect, useRef, useState } from "react"
import { deskNow } from "../client/clock.ts"
import { part } from "../ui/part.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import type { Group } from "../../contract/work-order.ts"
import { groupNameOf } from "./list-order.ts"
import type { RowsProps } from "./virtual-rows.tsx"
import styles from "./work-list.module.css"
import { WorkRow } from "./work-row.tsx"

/** The largest number of rows that are all in the page. Of a longer list only the visible rows are. */
const PLAIN_ROWS = 100

const VirtualRows = part<RowsProps>(
  "A part of the list",
  async () => (await import("./virtual-rows.tsx")).VirtualRows,
  // Without the code of `VirtualRows` every row is in the page: slower, but no row is missing.
  { missing: PlainRows },
)

type Props = Omit<RowsProps, "headings"> & {
  /** How many rows are open Work. Rows of done Work follow them. */
  open: number
  group: Group | undefined
}

/** The rows of the list, with a heading before each group. */
export function WorkRows({ open, group, ...list }: Props) {
  const { rows, selectedId } = list
  const isLong = rows.length > PLAIN_ROWS
  const [isVirtualReady, setIsVirtualReady] = useState(false)
  useEffect(() => {
    const end = () => setIsVirtualReady(true)
    if (isLong) VirtualRows.load().then(end, end)
  }, [isLong])
  const frame = useRef<HTMLDivElement>(null)
  // The row with the focus is the selected row, and both forms of the list render the selected row.
  useKeptFocus(frame, () => frame.current?.querySelector<HTMLElement>(`[data-work="${CSS.escape(selectedId)}"]`))
  const Rows = isLong && isVirtualReady ? VirtualRows : PlainRows
  const shown = isLong && !isVirtualReady ? rows.slice(0, PLAIN_ROWS) : rows
  return (
    <div ref={frame}>
      <Rows {...list} rows={shown} headings={headingsOf(shown, open, group)} />
    </div>
  )
}

function headingsOf(rows: RowsProps["rows"], open: number, group: Group | undefined): ReadonlyMap<number, string> {
  const headings = new Map<number, string>()
  if (group === undefined) return headings
  const now = deskNow()
  let nameAbove: string | undefined
  for (const [index, work] of rows.entries()) {
    const name = index < open ? groupNameOf(work, group, now) : "Done"
    // A colleague may have the id "Done", so the first done row always has a heading.
    const isFirstDone = index === open
    if (name !== nameAbove || isFirstDone) headings.set(index, name)
    nameAbove = name
  }
  return headings
}

function PlainRows({ rows, headings, selectedId, onSelect }: RowsProps) {
  return (
    <ul className={styles["rows"]} aria-label="Work">
      {rows.map((work, index) => (
        <li key={work.id}>
          {headings.has(index) && <h2 className={styles["group"]}>{headings.get(index)}</h2>}
          <WorkRow work={work} selected={work.id === selectedId} onSelect={onSelect} />
        </li>
      ))}
    </ul>
  )
}
