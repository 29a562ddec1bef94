import type { ReactNode } from "react"
import { classes } from "./classes.ts"
import { Icon, type IconName } from "./icon.tsx"
import styles from "./notice.module.css"

type Props = {
  tone?: "neutral" | "needs" | "good" | "warn" | "bad"
  icon?: IconName
  compact?: boolean
  /** `alert` interrupts, `status` waits its turn; without one it is plain text. */
  announce?: "alert" | "status"
  children: ReactNode
}

/** A calm box with an icon: something to know, beside what it is about. */
export function Notice({ tone = "neutral", icon, compact = false, announce, children }: Props) {
  return (
    <div
      role={announce}
      className={classes(styles["notice"], tone !== "neutral" && styles[tone], compact && styles["compact"])}
    >
      {icon && <Icon name={icon} size={16} />}
      <div className={styles["body"]}>{children}</div>
    </div>
  )
}

/** A line of small words and controls within a notice. */
export function NoticeLine({ children }: { children: ReactNode }) {
  return <div className={styles["line"]}>{children}</div>
}

/** Several notices above what they are about; no room where there is none. */
export function Notices({ children }: { children: ReactNode }) {
  return <div className={styles["stack"]}>{children}</div>
}
