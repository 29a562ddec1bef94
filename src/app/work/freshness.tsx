import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { useNow } from "../ui/now.ts"
import { formatExact, formatRelative } from "../ui/time-words.ts"
import styles from "./work-list.module.css"

/** How old what is shown is, to the second at first, and a way to have it read again. */
export function Freshness({
  updatedAt,
  refreshing,
  onRefresh,
}: {
  updatedAt: number
  refreshing: boolean
  onRefresh: () => void
}) {
  const now = useNow(1000)
  const seconds = Math.max(0, Math.floor((now - updatedAt) / 1000))
  const age = seconds < 1 ? "now" : seconds < 60 ? `${seconds} s ago` : formatRelative(updatedAt, now)
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
