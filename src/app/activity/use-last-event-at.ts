import { useCallback, useSyncExternalStore } from "react"
import { summarise } from "./event-line.ts"
import type { ReceivedEvents } from "./received-events.ts"

/** The caller shows how long nothing has happened, so it need not render for each event. */
const TOLD_MS = 500

/** When the newest event happened, or was received if it does not say when it happened: ms since 1970. It changes at most twice a second. */
export function useLastEventAt(received: ReceivedEvents): number | undefined {
  const subscribe = useCallback(
    (listener: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const unsubscribe = received.subscribe(() => {
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
    [received],
  )
  return useSyncExternalStore(subscribe, () => {
    const { events, count } = received.snapshot()
    const newest = events[count - 1]
    if (newest === undefined) return undefined
    const { happened } = summarise(newest)
    return happened === undefined ? newest.receivedAt : Date.parse(happened.at)
  })
}
