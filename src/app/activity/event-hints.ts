import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query"
import { rateLimitFactor } from "../client/polling.ts"
import { workKey, workListKey } from "../client/work-reads.ts"

/** The least time between two reads. */
const INTERVAL_MS = 1_000
/** The interval grows to this while the rate limit runs low, so that a read still follows an event within two seconds. */
const LONGEST_INTERVAL_MS = 1_700
/** A read waits at most this long for the answer to the read before it. */
const ANSWER_TIMEOUT_MS = 5_000

/**
 * An event is a hint that something changed: every query under the Work's key is read again, at once and then at most once a second. The list of
 * all Work costs more to read, so that list is read again only when the Work or one of its own lists has changed. The desk itself tells what waits.
 */
export function createEventHints(client: QueryClient, workId: string) {
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
    /** Tells that an event arrived. The Work is read again within two seconds, or after the read that is under way. */
    eventArrived: () => {
      isStale = true
      if (!isPausing) void read()
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
