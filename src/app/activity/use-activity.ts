import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo } from "react"
import { createEventHints } from "./event-hints.ts"
import { createEventLog, type EventLog } from "./event-log.ts"
import { followWork, type WorkFollower } from "./follow-work.ts"

/** The events of a Work and the state of their stream, to be subscribed to: they change more often than a page should render. */
export type Activity = { readonly log: EventLog; readonly follower: WorkFollower }

/** Follows a Work from its first event, while the component is mounted. Each event has the Work and its lists read again. */
export function useActivity(workId: string): Activity {
  const client = useQueryClient()
  const { hints, ...activity } = useMemo(() => {
    const log = createEventLog()
    const hints = createEventHints(client, workId)
    const follower = followWork(workId, (frame) => {
      log.append(frame)
      hints.eventArrived()
    })
    return { log, hints, follower }
  }, [client, workId])
  const { follower } = activity
  useEffect(() => {
    const stopHints = hints.start()
    const stop = follower.start()
    return () => {
      stop()
      stopHints()
    }
  }, [follower, hints])
  return activity
}
