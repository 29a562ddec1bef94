import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query"
import { rateLimitFactor } from "../client/polling.ts"
import { workKey, workListKey } from "../client/work-reads.ts"

/** The wait between an event and the read, so that a burst of events causes one read. */
const BURST_MS = 200
/** The least time between two reads. */
const INTERVAL_MS = 1_000
/** The interval grows to this while the rate limit runs low, so that a read still follows an event within two seconds. */
const LONGEST_INTERVAL_MS = 1_700
/** A read waits at most this long for the answer to the read before it. */
const ANSWER_TIMEOUT_MS = 5_000

/**
 * An event is a hint that something changed: every query under the Work's key is read again, once for a burst. The list of all Work costs more
 * to read, so that list is read again only when the Work or one of its own lists has changed. The desk itself tells what waits.
 */
export function createEventHints(client: QueryClient, workId: string) {
  const key = workKey(workId)
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastReadAt = -INTERVAL_MS
  let isReading = false
  let isStale = false

  function schedule() {
    if (timer !== undefined || isReading || !isStale) return
    const interval = Math.min(INTERVAL_MS * rateLimitFactor(), LONGEST_INTERVAL_MS)
    const sinceOwnRead = performance.now() - lastReadAt
    const wait = Math.max(BURST_MS, interval - sinceOwnRead, INTERVAL_MS - ageOfWork())
    timer = setTimeout(() => void read(), wait)
  }

  /** How many milliseconds ago any part of the page read the Work. A clock that was set back hides the age: then the Work may be read. */
  function ageOfWork(): number {
    const age = Date.now() - (client.getQueryState(key)?.dataUpdatedAt ?? 0)
    return age < 0 ? INTERVAL_MS : age
  }

  async function read() {
    timer = undefined
    isStale = false
    isReading = true
    lastReadAt = performance.now()
    const before = dataUnder(client, key)
    await Promise.race([client.invalidateQueries({ queryKey: key }), sleep(ANSWER_TIMEOUT_MS)])
    isReading = false
    const hasChanged = [...dataUnder(client, key)].some(([hash, data]) => before.get(hash) !== data)
    if (hasChanged) void client.invalidateQueries({ queryKey: workListKey })
    schedule()
  }

  return {
    /** Tells that an event arrived. The Work is read again within two seconds, or after the read that is under way. */
    eventArrived: () => {
      isStale = true
      schedule()
    },
    /** Forgets the events that no read has followed. */
    stop: () => {
      isStale = false
      clearTimeout(timer)
      timer = undefined
    },
  }
}

/** The data of every query under `queryKey`. Equal data keep their identity (TanStack Query's structural sharing). */
function dataUnder(client: QueryClient, queryKey: QueryKey): ReadonlyMap<string, unknown> {
  return new Map(client.getQueriesData({ queryKey }).map(([key, data]) => [hashKey(key), data]))
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
