import { onDeskClock } from "../client/clock.ts"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { useClock } from "../ui/now.ts"
import { formatExact, formatRelative } from "../ui/time-words.ts"
import styles from "./work-list.module.css"

/** The age of the list, in seconds during the first minute, and a button that reads the list again. */
export function Freshness({
  updatedAt: readAt,
  refreshing,
  onRefresh,
}: {
  updatedAt: number
  refreshing: boolean
  onRefresh: () => void
}) {
  const updatedAt = readAt === 0 ? 0 : onDeskClock(readAt)
  const age = useClock((now) => {
    if (updatedAt === 0) return ""
    const seconds = Math.floor((now - updatedAt) / 1000)
    if (seconds < 1) return "now"
    return seconds < 60 ? `${seconds} s ago` : formatRelative(updatedAt, now)
  })
  return (
    <span className={styles["fresh"]}>
      {updatedAt > 0 && (
        <span title={formatExact(new Date(updatedAt).toISOString())}>
          <span className={styles["updated"]}>Updated </span>
          {age}
        </span>
      )}
      <Button kind="plain" size="small" aria-label="Refresh" title="Refresh" aria-busy={refreshing} onClick={onRefresh}>
        <Icon name="refresh" />
      </Button>
    </span>
  )
}
