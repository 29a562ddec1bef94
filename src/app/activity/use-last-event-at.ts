import { useCallback, useSyncExternalStore } from "react"
import { summarise } from "./event-line.ts"
import type { EventLog } from "./event-log.ts"

/** Who asks wants to know of silence, not of each event. */
const TOLD_MS = 1_000

/** When the newest event happened, or where it does not say, came: ms since 1970, told at most once a second. */
export function useLastEventAt(log: EventLog): number | undefined {
  const subscribe = useCallback(
    (listener: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const unsubscribe = log.subscribe(() => {
        timer ??= setTimeout(() => {
          timer = undefined
          listener()
        }, TOLD_MS)
      })
      return () => {
        clearTimeout(timer)
        unsubscribe()
      }
    },
    [log],
  )
  return useSyncExternalStore(subscribe, () => {
    const { events, count } = log.snapshot()
    const newest = events[count - 1]
    if (newest === undefined) return undefined
    const { happened } = summarise(newest)
    return happened === undefined ? newest.receivedAt : Date.parse(happened.at)
  })
}
