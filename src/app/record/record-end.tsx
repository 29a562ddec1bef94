import { useEffect, useRef } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import styles from "./record.module.css"

type Props = { hasMore: boolean; isLoading: boolean; error: DeskError | null; onMore: () => void }

/** The end of the list. It reads the next page when the person scrolls near it. */
export function RecordEnd({ hasMore, isLoading, error, onMore }: Props) {
  const end = useRef<HTMLDivElement>(null)
  const load = useRef(onMore)
  useEffect(() => {
    load.current = onMore
  })
  const watches = hasMore && !isLoading && error === null
  useEffect(() => {
    if (!watches || end.current === null) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load.current(), {
      rootMargin: "800px",
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [watches])
  return (
    <div ref={end} className={styles["end"]}>
      {error ? (
        <ErrorAlert
          error={error}
          compact
          kept="The entries above stay."
          action={<Button onClick={onMore}>Try again</Button>}
        />
      ) : hasMore ? (
        <Button kind="plain" inactive={isLoading} onClick={onMore}>
          {isLoading ? "Loading more" : "Load more"}
        </Button>
      ) : (
        "This is the beginning of the record."
      )}
    </div>
  )
}
