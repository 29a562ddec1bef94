import { useCallback, useSyncExternalStore } from "react"
import type { ReceivedEvents, ReceivedSnapshot } from "./received-events.ts"

/** A person cannot read a number that changes faster. */
const PERIOD_MS = 500

/** The received events, renewed at most twice a second. What stands beside the rows uses them, so that most frames render only rows. */
export function useSlowSnapshot(received: ReceivedEvents): ReceivedSnapshot {
  const subscribe = useCallback(
    (listener: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const unsubscribe = received.subscribe(() => {
        timer ??= setTimeout(() => {
          timer = undefined
          listener()
        }, PERIOD_MS)
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
