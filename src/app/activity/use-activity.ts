import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo } from "react"
import { createEventHints } from "./event-hints.ts"
import { happenedAt } from "./event-line.ts"
import { followWork, type WorkFollower } from "./follow-work.ts"
import { createReceivedEvents, type ReceivedEvents, useSlowSnapshot } from "./received-events.ts"

/** The events of a Work and the state of their stream. Components subscribe to them, because they change more often than a page should render. */
export type Activity = { readonly received: ReceivedEvents; readonly follower: WorkFollower }

/** Follows a Work from its first event, while the component is mounted. After each event the Work and its lists are read again. */
export function useActivity(workId: string): Activity {
  const client = useQueryClient()
  const { hints, ...activity } = useMemo(() => {
    const received = createReceivedEvents()
    const hints = createEventHints(client, workId)
    const follower = followWork(workId, (frame) => {
      received.append(frame)
      hints.eventArrived()
    })
    return { received, hints, follower }
  }, [client, workId])
  const { follower } = activity
  useEffect(() => {
    const stop = follower.start()
    return () => {
      stop()
      hints.stop()
    }
  }, [follower, hints])
  return activity
}

/** When the newest event happened, or was received if it does not say when it happened: ms since 1970. It changes at most twice a second. */
export function useLastEventAt(received: ReceivedEvents): number | undefined {
  const { events, count } = useSlowSnapshot(received)
  const newest = events[count - 1]
  return newest && happenedAt(newest)
}
