/** What changes with the time: the present moment and countdowns. */
import { deskNow, steadyNow } from "../client/clock.ts"
import { createStore, useStore } from "../client/create-store.ts"
import { formatWait } from "./time-words.ts"

/** Changes every second. All clocks of the page share it, because a list shows hundreds of ages. */
const seconds = createStore(0, ({ get, set }) => {
  const timer = setInterval(() => set(get() + 1), 1000)
  return () => clearInterval(timer)
})

/** The present moment of the desk's clock in milliseconds since 1970, renewed every `everyMs`, at most once a second. */
export function useNow(everyMs = 1000): number {
  return useClock((now) => Math.floor(now / everyMs) * everyMs)
}

/**
 * The result of `read` for the present moment of the desk's clock (milliseconds since 1970), read every second. A component is rendered only when
 * the result changes.
 */
export function useClock<Value extends string | number | boolean | undefined>(read: (now: number) => Value): Value {
  return useStore(seconds, () => read(deskNow()))
}

/** Whether the page's clocks have run for a second. */
export const useHasTicked = (): boolean => useStore(seconds, (passed) => passed > 0)

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
