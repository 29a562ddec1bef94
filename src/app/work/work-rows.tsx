import { lazy, Suspense } from "react"
import type { RowsProps } from "./virtual-rows.tsx"
import styles from "./work-list.module.css"
import { WorkRow } from "./work-row.tsx"

/** Up to this many rows stand in the page; beyond it only those that can be seen. */
const PLAIN_ROWS = 100

const VirtualRows = lazy(async () => ({ default: (await import("./virtual-rows.tsx")).VirtualRows }))

/** The rows, as few or as many as they are. */
export function WorkRows(props: RowsProps) {
  if (props.rows.length <= PLAIN_ROWS) return <PlainRows {...props} />
  return (
    <Suspense fallback={<PlainRows {...props} rows={props.rows.slice(0, PLAIN_ROWS)} />}>
      <VirtualRows {...props} />
    </Suspense>
  )
}

function PlainRows({ rows, selectedId, onOpen }: RowsProps) {
  return (
    <ul className={styles["rows"]} aria-label="Work">
      {rows.map((work) => (
        <li key={work.id}>
          <WorkRow work={work} selected={work.id === selectedId} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  )
}
