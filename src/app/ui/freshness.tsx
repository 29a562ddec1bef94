import { onDeskClock } from "../client/clock.ts"
import { Button } from "./button.tsx"
import { useClock } from "./clocks.tsx"
import { Icon } from "./icon.tsx"
import styles from "./page-parts.module.css"
import { formatExact, formatRelative } from "./time-words.ts"

type Props = {
  /** When the page was read, in ms since 1970 on this machine's clock; 0 before the first answer. */
  updatedAt: number
  refreshing: boolean
  onRefresh: () => void
}

/** The age of what a page shows, and a button that reads it again. */
export function Freshness({ updatedAt, refreshing, onRefresh }: Props) {
  return (
    <span className={styles["fresh"]}>
      {updatedAt > 0 && <Age at={onDeskClock(updatedAt)} />}
      <Button
        kind="plain"
        size="small"
        aria-label="Refresh"
        title="Refresh"
        aria-busy={refreshing}
        onClick={() => onRefresh()}
      >
        <Icon name="refresh" />
      </Button>
    </span>
  )
}

/** How long ago the page was read, in seconds during the first minute. `at` is a moment of the desk's clock. */
function Age({ at }: { at: number }) {
  const age = useClock((now) => {
    const seconds = Math.floor((now - at) / 1000)
    if (seconds < 1) return "now"
    return seconds < 60 ? `${seconds} s ago` : formatRelative(at, now)
  })
  return (
    <span title={formatExact(new Date(at).toISOString())}>
      <span className={styles["updated"]}>Updated </span>
      {age}
    </span>
  )
}
