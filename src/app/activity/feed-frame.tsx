import { type ReactNode, useRef } from "react"
import { formatNumber } from "../../contract/plural.ts"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import styles from "./activity.module.css"

type Props = {
  /** How many newer entries the list below doesn't show. */
  unread: number
  showNew: () => void
  /** The list. */
  children: ReactNode
}

/** The list of the region Activity, below a button that shows what is new. The button goes when it is pressed, and the heading gets the focus. */
export function FeedFrame({ unread, showNew, children }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  useKeptFocus(frame, () => frame.current?.closest("section")?.querySelector("h2"))
  return (
    <div ref={frame} className={styles["frame"]}>
      {unread > 0 && (
        <div className={styles["unread"]}>
          <Button kind="primary" size="small" onClick={showNew}>
            <Icon name="refresh" size={14} />
            {formatNumber(unread)} new
          </Button>
        </div>
      )}
      {children}
    </div>
  )
}
