import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react"
import { callAt } from "../client/clock.ts"
import { createStore, useStore } from "../client/create-store.ts"
import type { DeskError } from "../client/desk-error.ts"
import { retriesAt } from "../client/polling.ts"
import { Button } from "./button.tsx"
import { ReadError } from "./error-alert.tsx"
import styles from "./list.module.css"
import { Skeleton } from "./page-parts.tsx"

/** Rows that keep the layout still while a list is loaded. `what` names the list for assistive technology. */
export function PlaceholderRows({ what }: { what: string }) {
  return (
    <div aria-busy="true">
      <span className="visually-hidden">Loading {what}</span>
      {["62%", "48%", "70%", "55%", "40%", "66%", "50%", "58%"].map((width) => (
        <div key={width} className={styles["placeholder"]}>
          <Skeleton width="84px" />
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  )
}

type ListEndProps = {
  more: {
    readonly exists: boolean
    /** Whether the last page had no row to show. Then the next page is read only at a click. */
    readonly isFruitless?: boolean
    readonly loading: boolean
    readonly error: DeskError | null
  }
  onMore: () => void
  /** The word on the button after a page without a row to show. */
  moreAfterNothing?: string
  /** Shown where nothing more follows. */
  children: ReactNode
}

/** The end of a list. Reads the next page when the person scrolls near the end. After a failure, tries again where another try may help. */
export function ListEnd({ more, onMore, moreAfterNothing = "Load more", children }: ListEndProps) {
  const { exists, isFruitless = false, loading, error } = more
  const end = useRef<HTMLDivElement>(null)
  const load = useEffectEvent(onMore)
  const watches = exists && !isFruitless && !loading && !error
  useEffect(() => {
    if (!watches || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load(), {
      rootMargin: "800px",
    })
    observer.observe(end.current)
    return () => observer.disconnect()
    // A new observer after every page reads the next page where the end is still near.
  }, [watches])
  useEffect(() => {
    const retryAt = error ? retriesAt(error) : undefined
    return retryAt === undefined ? undefined : callAt(retryAt, () => load())
  }, [error])
  return (
    <div ref={end} className={styles["end"]}>
      {error ? (
        <ReadError error={error} compact kept="The rows above are unchanged." onRetry={onMore} />
      ) : exists ? (
        <Button kind="plain" inactive={loading} onClick={onMore}>
          {loading ? "Loading more…" : isFruitless ? moreAfterNothing : "Load more"}
        </Button>
      ) : (
        children
      )}
    </div>
  )
}

/** Whether the person has pressed a key, moved the pointer or scrolled since the page was opened. From then on no row of a list moves. */
export function useTouched(): boolean {
  const [touched] = useState(() =>
    createStore(false, ({ set }) => {
      const ended = new AbortController()
      const touch = () => {
        ended.abort()
        set(true)
      }
      for (const type of ["keydown", "pointerdown", "pointermove", "wheel", "scroll"])
        addEventListener(type, touch, { capture: true, passive: true, signal: ended.signal })
      return () => ended.abort()
    }),
  )
  return useStore(touched)
}
