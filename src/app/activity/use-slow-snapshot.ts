import { useCallback, useSyncExternalStore } from "react"
import type { ReceivedEvents, ReceivedSnapshot } from "./received-events.ts"

/** Also at 200 events a second, a person reads a count no faster than this. */
const TOLD_MS = 500

/** The received events, told at most twice a second: for numbers and words beside the rows, which then cost no time in each frame. */
export function useSlowSnapshot(received: ReceivedEvents): ReceivedSnapshot {
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
  return useSyncExternalStore(subscribe, received.snapshot)
}
