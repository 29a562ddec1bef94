import { useEffect, useState } from "react"
import { readSequence } from "./event-cursor.ts"
import type { ReceivedEvents } from "./received-events.ts"
import { readLastSeen, writeLastSeen } from "./last-seen.ts"

/** The newest sequence that the person can have seen when they last left this Work; undefined on the first visit. */
export function useLastSeen(workId: string, received: ReceivedEvents): bigint | undefined {
  const [lastSeen, setLastSeen] = useState(() => readLastSeen(workId))
  useEffect(() => {
    let wasSeen = !document.hidden
    // Closing a hidden tab does not make the events seen that came while it was hidden.
    const leave = () => {
      const newest = wasSeen ? newestSequence(received) : undefined
      wasSeen = false
      if (newest !== undefined) writeLastSeen(workId, newest)
      return newest
    }
    const look = () => {
      if (!document.hidden) {
        wasSeen = true
        return
      }
      const newest = leave()
      if (newest !== undefined) setLastSeen(newest)
    }
    document.addEventListener("visibilitychange", look)
    addEventListener("pagehide", leave)
    return () => {
      document.removeEventListener("visibilitychange", look)
      removeEventListener("pagehide", leave)
      leave()
    }
  }, [workId, received])
  return lastSeen
}

function newestSequence(received: ReceivedEvents): bigint | undefined {
  const { events, count } = received.snapshot()
  for (let position = count - 1; position >= 0; position--) {
    const sequence = readSequence(events[position]?.id)
    if (sequence !== undefined) return sequence
  }
  return undefined
}
