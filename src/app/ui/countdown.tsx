import { steadyNow } from "../client/clock.ts"
import { useClock } from "./now.ts"
import { formatWait } from "./time-words.ts"

/**
 * "in 12 s", counting down to the moment `until` of `steadyNow`, then `done`. A screen reader does not read every second aloud:
 * the role `timer` is a live region that is off.
 */
export function Countdown({ until, done = "now" }: { until: number; done?: string }) {
  const words = useClock(() => {
    const left = until - steadyNow()
    return left > 0 ? `in ${formatWait(left)}` : done
  })
  return <span role="timer">{words}</span>
}

/** Whether `until`, a moment of `steadyNow`, is still to come; false where it is undefined. */
export function useIsWaiting(until: number | undefined): boolean {
  return useClock(() => until !== undefined && steadyNow() < until)
}
