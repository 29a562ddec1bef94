/** Up to which event a person has seen a Work. */
import { useEffect, useState } from "react"
import { array, string, tuple } from "valibot"
import { defineKind } from "../client/storage.ts"
import { readSequence } from "./event-connection.ts"
import type { ReceivedEvents } from "./received-events.ts"

const WORKS_MAX = 300

/** A Work that this person has looked at, and the newest sequence that they can have seen of it. */
type SeenWork = readonly [workId: string, sequence: string]

/** The Works that this person has looked at, the latest first. */
const seenWorks = defineKind<readonly [], readonly SeenWork[]>({
  name: "activity-seen",
  schema: array(tuple([string(), string()])),
  keptDays: 90,
})

const readSeenWorks = (): readonly SeenWork[] => seenWorks().read() ?? []

function readLastSeen(workId: string): bigint | undefined {
  const seen = readSeenWorks().find(([id]) => id === workId)
  return readSequence(seen?.[1])
}

/** Remembers the newest sequence that was seen. The Works seen longest ago are forgotten first. */
function writeLastSeen(workId: string, sequence: bigint): void {
  const others = readSeenWorks().filter(([id]) => id !== workId)
  seenWorks().write([[workId, sequence.toString()] as const, ...others].slice(0, WORKS_MAX))
}

/**
 * The newest sequence that the person can have seen when they last left this Work, for `New since you left`; undefined on the first visit.
 *
 * @param workId stays the same while the component is mounted: `WorkPage` mounts a new component for another Work
 */
export function useLastSeen(workId: string, received: ReceivedEvents): bigint | undefined {
  const [lastSeen, setLastSeen] = useState(() => readLastSeen(workId))
  useEffect(() => {
    let wasSeen = !document.hidden
    // Leaving a hidden tab stores nothing: the person has not seen the events that came while it was hidden.
    const leave = () => {
      const newest = wasSeen ? newestSequence(received) : undefined
      wasSeen = false
      if (newest === undefined) return
      writeLastSeen(workId, newest)
      setLastSeen(newest)
    }
    const onVisibility = () => {
      if (document.hidden) leave()
      else wasSeen = true
    }
    document.addEventListener("visibilitychange", onVisibility)
    addEventListener("pagehide", leave)
    return () => {
      document.removeEventListener("visibilitychange", onVisibility)
      removeEventListener("pagehide", leave)
      leave()
    }
  }, [workId, received])
  return lastSeen
}

function newestSequence(received: ReceivedEvents): bigint | undefined {
  const { events, count } = received.snapshot()
  return readSequence(events.slice(0, count).findLast(({ id }) => readSequence(id) !== undefined)?.id)
}
