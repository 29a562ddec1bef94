import { useEffect, useState } from "react"
import { array, string, tuple } from "valibot"
import { defineKind } from "../client/storage.ts"
import { readSequence } from "./event-connection.ts"
import type { ReceivedEvents } from "./received-events.ts"

const WORKS_MAX = 300

/** The newest sequence of each Work when this person last looked at it, for `New since you left`. The Work seen last comes first. */
const lastSeenByWork = defineKind<readonly [], readonly (readonly [workId: string, sequence: string])[]>({
  name: "activity-seen",
  version: 1,
  schema: array(tuple([string(), string()])),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
})

/** The newest sequence that was seen; undefined where the Work was never looked at. */
function readLastSeen(workId: string): bigint | undefined {
  return readSequence(
    lastSeenByWork()
      .read()
      ?.find(([id]) => id === workId)?.[1],
  )
}

/** Remembers the newest sequence that was seen. The Works seen longest ago are forgotten first. */
function writeLastSeen(workId: string, sequence: bigint): void {
  const others = (lastSeenByWork().read() ?? []).filter(([id]) => id !== workId)
  lastSeenByWork().write([[workId, sequence.toString()] as const, ...others].slice(0, WORKS_MAX))
}

/** The newest sequence that the person can have seen when they last left this Work; undefined on the first visit. */
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
