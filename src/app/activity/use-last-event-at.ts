import { summarise } from "./event-line.ts"
import type { ReceivedEvents } from "./received-events.ts"
import { useSlowSnapshot } from "./use-slow-snapshot.ts"

/** When the newest event happened, or was received if it does not say when it happened: ms since 1970. It changes at most twice a second. */
export function useLastEventAt(received: ReceivedEvents): number | undefined {
  const { events, count } = useSlowSnapshot(received)
  const newest = events[count - 1]
  if (newest === undefined) return undefined
  const { happened } = summarise(newest)
  return happened === undefined ? newest.receivedAt : Date.parse(happened.at)
}
