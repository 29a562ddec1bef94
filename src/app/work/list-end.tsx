import { useEffect, useRef } from "react"
import { callAt, steadyNow } from "../client/clock.ts"
import type { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { PAUSE_MS, ReadError } from "./read-error.tsx"
import styles from "./work-list.module.css"

type Props = {
  more: { exists: boolean; isFruitless: boolean; loading: boolean; error: DeskError | null; errorAt: number }
  onMore: () => void
  shown: number
}

/**
 * The end of the list. It reads the next page when the person scrolls near it, and tries again after a failure. After a page without a
 * matching row it reads on only at a click.
 */
export function ListEnd({ more, onMore, shown }: Props) {
  const end = useRef<HTMLDivElement>(null)
  const load = useRef(onMore)
  useEffect(() => {
    load.current = onMore
  })
  const watches = more.exists && !more.isFruitless && !more.loading && !more.error
  useEffect(() => {
    if (!watches || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load.current(), {
      rootMargin: "800px",
    })
    observer.observe(end.current)
    return () => observer.disconnect()
    // A new observer after every page reads the next page where the end is still near.
  }, [watches])
  const { error, errorAt } = more
  useEffect(() => {
    if (!error || !(error.retryAt ?? (error.retryable || error.outcomeUnknown))) return
    return callAt(error.retryAt ?? steadyNow() + PAUSE_MS, () => load.current())
  }, [error])
  return (
    <div ref={end} className={styles["end"]}>
      {error ? (
        <ReadError error={error} errorAt={errorAt} compact kept="The rows above stay." onRetry={onMore} />
      ) : more.exists ? (
        <Button kind="plain" inactive={more.loading} onClick={onMore}>
          {more.loading ? "Loading more" : more.isFruitless ? "Load more done Work" : "Load more"}
        </Button>
      ) : (
        shown > 50 && <span>All {shown} are shown</span>
      )}
    </div>
  )
}
