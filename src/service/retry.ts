/** Repeats `action` until it succeeds or `signal` aborts, with pauses from a second to a minute. Never rejects. */
import { setTimeout as sleep } from "node:timers/promises"

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

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
