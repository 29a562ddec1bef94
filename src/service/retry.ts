import { setTimeout as sleep } from "node:timers/promises"

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/**
 * Repeats `action` until the action succeeds or `signal` aborts. The pause after a failure is a second, then two, and so on up to a minute.
 * Calls `onFailure` with each error. Never rejects.
 */
export async function retry(
  action: () => Promise<unknown>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return void (await action())
    } catch (error) {
      onFailure(error)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
