import { useNow } from "./now.ts"

/** Whole seconds until `until` (milliseconds since 1970), never below zero. */
function useSecondsUntil(until: number): number {
  return Math.max(0, Math.ceil((until - useNow(1000)) / 1000))
}

/**
 * "in 12 s", counting down. A timer is not announced at every second (role `timer` is a live region that is off), so that it may
 * stand inside an alert.
 */
export function Countdown({ until, done = "now" }: { until: number; done?: string }) {
  const seconds = useSecondsUntil(until)
  return (
    <span role="timer">
      {seconds > 0 ? `in ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`}` : done}
    </span>
  )
}
