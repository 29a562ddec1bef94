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
 * The end of the list: reads more when it comes near, says when there is no more, and tries again what failed. After a page of which
 * the filters show nothing, it reads on when the person asks for it.
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
    // It begins anew after every page, so that an end that is still near asks for the next one.
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
        <Button kind="plain" disabled={more.loading} onClick={onMore}>
          {more.loading ? "Loading more" : more.isFruitless ? "Load more done Work" : "Load more"}
        </Button>
      ) : (
        shown > 50 && <span>All {shown} are shown</span>
      )}
    </div>
  )
}
