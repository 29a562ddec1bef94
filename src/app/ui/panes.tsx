import type { ReactNode } from "react"
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
