import type { ReactNode } from "react"
import { Link } from "react-router"
import { classes } from "./classes.ts"
import styles from "./panes.module.css"

/** A list beside the chosen item. A phone shows one of the two, by `chosen`. */
export function Panes({ chosen, list, children }: { chosen: boolean; list: ReactNode; children: ReactNode }) {
  return (
    <div className={classes(styles["panes"], chosen && styles["chosen"])}>
      <div className={styles["list"]}>{list}</div>
      <div className={styles["reading"]}>{children}</div>
    </div>
  )
}

/** An item of the list in a pane: `title`, then small lines. `row` is its key in the list (`ui/row-keys.ts`). */
export function PaneItem({
  row,
  to,
  current,
  title,
  children,
}: {
  row: string
  to: string
  current: boolean
  title: ReactNode
  children?: ReactNode
}) {
  return (
    <Link to={to} className={styles["item"]} data-row={row} aria-current={current ? "true" : undefined}>
      <div className={styles["title"]}>{title}</div>
      {children}
    </Link>
  )
}
