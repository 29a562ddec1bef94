import type { ReactNode } from "react"
import { classes } from "./classes.ts"
import { Icon, type IconName } from "./icon.tsx"
import type { Tone } from "./status.tsx"
import styles from "./callout.module.css"

type Props = {
  tone?: Tone
  icon?: IconName
  compact?: boolean
  /** `alert` interrupts a screen reader, `status` waits. Without a value the callout is plain text. */
  announce?: "alert" | "status"
  children: ReactNode
}

/** A box with an icon and a message. */
export function Callout({ tone = "neutral", icon, compact = false, announce, children }: Props) {
  return (
    <div
      role={announce}
      className={classes(styles["callout"], tone !== "neutral" && styles[tone], compact && styles["compact"])}
    >
      {icon && <Icon name={icon} size={16} />}
      <div className={styles["body"]}>{children}</div>
    </div>
  )
}

/** A line of texts and controls within a callout. */
export function CalloutLine({ children }: { children: ReactNode }) {
  return <div className={styles["line"]}>{children}</div>
}

/**
 * A place for several notices. It takes no room when it is empty. With `announce` a screen reader says what comes into it: the place is always on
 * the page, because a live region that arrives filled may not be said.
 */
export function Callouts({ announce, children }: Pick<Props, "announce" | "children">) {
  return (
    <div role={announce} className={classes("stack", styles["stack"])}>
      {children}
    </div>
  )
}
