import { useSyncExternalStore } from "react"
import { onEvents } from "../client/create-store.ts"

/** Makes a hook that says whether the window is at most `width` wide. */
function whetherAtMost(width: string): () => boolean {
  const query = globalThis.matchMedia?.(`(max-width: ${width})`)
  const onQuery = onEvents(query, "change")
  return () => useSyncExternalStore(onQuery, () => query?.matches ?? false)
}

/** Whether the menu stands at the bottom, as on a phone. */
export const useIsPhone = whetherAtMost("599.98px")

/** Whether the window has no room for a list beside what it lists. */
export const useIsNarrow = whetherAtMost("720px")
