import { useSyncExternalStore } from "react"
import { onEvents } from "../client/create-store.ts"

/** Makes a hook that returns whether the window is at most `width` wide. */
function whetherAtMost(width: string): () => boolean {
  const query = globalThis.matchMedia?.(`(max-width: ${width})`)
  const onQuery = onEvents(query, "change")
  return () => useSyncExternalStore(onQuery, () => query?.matches ?? false)
}

/** Whether the menu is at the bottom, as on a phone. */
export const useIsPhone = whetherAtMost("599.98px")

/** Whether the window is too narrow for a list beside its items. */
export const useIsNarrow = whetherAtMost("720px")
