import { hashKey, type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo } from "react"
import { rateLimitFactor } from "../client/polling.ts"
import { workKey, workListKey } from "../client/work-reads.ts"
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
    const unsubscribe = follower.subscribe(() => follower.state().name === "stopped" && hints.streamStopped())
    return () => {
      unsubscribe()
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

/** The least time between two reads. */
const INTERVAL_MS = 1_000
/** The interval grows to this while the rate limit runs low, so that a read still follows an event within two seconds. */
const LONGEST_INTERVAL_MS = 1_700
/** A read waits at most this long for the answer to the read before it. */
const ANSWER_TIMEOUT_MS = 5_000

/**
 * An event is a hint that something changed: every query under the Work's key is read again, at once and then at most once a second. The list of
 * all Work costs more to read, so that list is read again only when the Work or one of its own lists has changed. The desk itself lists what is pending.
 */
function createEventHints(client: QueryClient, workId: string) {
  const key = workKey(workId)
  let isStale = false
  // The page that follows the Work has just read it.
  let isPausing = true
  void sleep(INTERVAL_MS).then(endPause)

  function endPause() {
    isPausing = false
    if (isStale) void read()
  }

  async function read() {
    isStale = false
    isPausing = true
    const pause = sleep(Math.min(INTERVAL_MS * rateLimitFactor(), LONGEST_INTERVAL_MS))
    const before = dataUnder(client, key)
    await Promise.race([client.invalidateQueries({ queryKey: key }), sleep(ANSWER_TIMEOUT_MS)])
    const hasChanged = [...dataUnder(client, key)].some(([hash, data]) => before.get(hash) !== data)
    if (hasChanged) void client.invalidateQueries({ queryKey: workListKey })
    await pause
    endPause()
  }

  return {
    /** Called for each event. The Work is read again within two seconds, or after the read that is under way. */
    eventArrived: () => {
      isStale = true
      if (!isPausing) void read()
    },
    /** The service refuses the stream and the Work alike, so a Work on the screen is read again at once (`followWork` ends with that error). */
    streamStopped: () => {
      void client.refetchQueries({ queryKey: key, exact: true, predicate: ({ state }) => state.data !== undefined })
    },
    /** Forgets the events that no read has followed. */
    stop: () => {
      isStale = false
    },
  }
}

/** The data of every query under `queryKey`. Equal data keep their identity (TanStack Query's structural sharing). */
function dataUnder(client: QueryClient, queryKey: QueryKey): ReadonlyMap<string, unknown> {
  return new Map(client.getQueriesData({ queryKey }).map(([key, data]) => [hashKey(key), data]))
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
