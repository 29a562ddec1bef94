import { useMemo, useSyncExternalStore } from "react"
import { summarise } from "./event-line.ts"
import type { ReceivedEvents, ReceivedSnapshot } from "./received-events.ts"

/** A person cannot read a number that changes faster. */
const PERIOD_MS = 500

/** The received events, renewed every `periodMs` at most. What stands beside the rows uses them, so that most frames render only rows. */
export function useSlowSnapshot(received: ReceivedEvents, periodMs = PERIOD_MS): ReceivedSnapshot {
  const subscribe = useMemo(() => slowSubscribe(received, periodMs), [received, periodMs])
  return useSyncExternalStore(subscribe, received.snapshot)
}

function slowSubscribe(received: ReceivedEvents, periodMs: number) {
  return (listener: () => void) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = received.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        listener()
      }, periodMs)
    })
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }
}

/** When the newest event happened, or was received if it does not say when it happened: ms since 1970. It changes at most twice a second. */
export function useLastEventAt(received: ReceivedEvents): number | undefined {
  const { events, count } = useSlowSnapshot(received)
  const newest = events[count - 1]
  if (newest === undefined) return undefined
  const { happened } = summarise(newest)
  return happened === undefined ? newest.receivedAt : Date.parse(happened.at)
}
