import { type ReactNode, useEffect, useRef } from "react"
import { callAt, steadyNow } from "../client/clock.ts"
import type { DeskError } from "../client/desk-error.ts"
import { Button } from "./button.tsx"
import styles from "./list.module.css"
import { PAUSE_MS, ReadError } from "./read-error.tsx"

type Props = {
  more: {
    readonly exists: boolean
    /** Whether the last page had no row to show. Then the next page is read only at a click. */
    readonly isFruitless?: boolean
    readonly loading: boolean
    readonly error: DeskError | null
    readonly errorAt: number
  }
  onMore: () => void
  /** The word on the button after a page without a row to show. */
  moreAfterNothing?: string
  /** Shown where nothing more follows. */
  children: ReactNode
}

/** The end of a list. It reads the next page when the person scrolls near it, and tries again after a failure. */
export function ListEnd({ more, onMore, moreAfterNothing = "Load more", children }: Props) {
  const { exists, isFruitless = false, loading, error, errorAt } = more
  const end = useRef<HTMLDivElement>(null)
  const load = useRef(onMore)
  useEffect(() => {
    load.current = onMore
  })
  const watches = exists && !isFruitless && !loading && !error
  useEffect(() => {
    if (!watches || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load.current(), {
      rootMargin: "800px",
    })
    observer.observe(end.current)
    return () => observer.disconnect()
    // A new observer after every page reads the next page where the end is still near.
  }, [watches])
  useEffect(() => {
    if (!error || !(error.retryAt ?? (error.retryable || error.outcomeUnknown))) return
    return callAt(error.retryAt ?? steadyNow() + PAUSE_MS, () => load.current())
  }, [error])
  return (
    <div ref={end} className={styles["end"]}>
      {error ? (
        <ReadError error={error} errorAt={errorAt} compact kept="The rows above stay." onRetry={onMore} />
      ) : exists ? (
        <Button kind="plain" inactive={loading} onClick={onMore}>
          {loading ? "Loading more" : isFruitless ? moreAfterNothing : "Load more"}
        </Button>
      ) : (
        children
      )}
    </div>
  )
}
