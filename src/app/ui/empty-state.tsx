import type { ReactNode } from "react"
import styles from "./empty-state.module.css"

/** Says what will appear here, and what can be done now. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles["empty"]}>
      <h2>{title}</h2>
      <p>{children}</p>
      {action !== undefined && <div className={styles["act"]}>{action}</div>}
    </div>
  )
}
