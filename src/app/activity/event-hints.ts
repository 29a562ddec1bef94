import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query"
import { workKey, workListKey } from "../client/keys.ts"
import { rateLimitFactor } from "../client/rate-limit.ts"
import { isHidden } from "./page-visibility.ts"

/** A burst is one hint: this long is waited for the rest of it. */
const BURST_MS = 200
/** At most once a second; slower as the quota runs down, but within two (design, "The app's addresses"). */
const INTERVAL_MS = 1_000
const LONGEST_MS = 1_700
/** Reading again while the answers are still under way would cancel them; one that hangs does not hold up the rest. */
const PATIENCE_MS = 5_000

export type EventHints = {
  readonly note: () => void
  /** Begins to act. Returns the end of it. */
  readonly start: () => () => void
}

/**
 * Events are hints that something changed: whatever lies under the Work's key is read again, once for a burst and at most
 * once a second, in a tab that is seen; a hidden one does so when it is shown. Other lists (all Work, the inboxes) cost the
 * service more to read, so they follow only when the Work or what lies under it came back different.
 */
export function createEventHints(client: QueryClient, workId: string): EventHints {
  const key = workKey(workId)
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastReadAt = -INTERVAL_MS
  let isReading = false
  let isDirty = false
  let isStopped = false

  function schedule() {
    if (timer !== undefined || isReading || !isDirty || isHidden()) return
    const interval = Math.min(INTERVAL_MS * rateLimitFactor(), LONGEST_MS)
    const wait = Math.max(lastReadAt + interval - performance.now(), INTERVAL_MS - sinceRead())
    timer = setTimeout(() => void read(), Math.max(BURST_MS, wait))
  }

  /** How long ago the Work came, whoever asked; a clock that was set back says nothing. */
  function sinceRead(): number {
    const since = Date.now() - (client.getQueryState(key)?.dataUpdatedAt ?? 0)
    return since < 0 ? INTERVAL_MS : since
  }

  async function read() {
    timer = undefined
    isDirty = false
    isReading = true
    lastReadAt = performance.now()
    const before = contents(client, key)
    await Promise.race([client.invalidateQueries({ queryKey: key }), sleep(PATIENCE_MS)])
    isReading = false
    if (isStopped) return
    if (hasChanged(before, contents(client, key))) {
      void client.invalidateQueries({ queryKey: workListKey })
      void client.invalidateQueries({ queryKey: ["inbox"] })
    }
    schedule()
  }

  return {
    note: () => {
      isDirty = true
      schedule()
    },
    start: () => {
      isStopped = false
      document.addEventListener("visibilitychange", schedule)
      return () => {
        document.removeEventListener("visibilitychange", schedule)
        isStopped = true
        isDirty = false
        clearTimeout(timer)
        timer = undefined
      }
    },
  }
}

/** Equal answers keep their identity (structural sharing), so comparing identities is comparing contents. */
function contents(client: QueryClient, queryKey: QueryKey): Map<string, unknown> {
  return new Map(client.getQueriesData({ queryKey }).map(([key, data]) => [hashKey(key), data]))
}

function hasChanged(before: Map<string, unknown>, after: Map<string, unknown>): boolean {
  return [...after].some(([key, data]) => before.get(key) !== data)
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
