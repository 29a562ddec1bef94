import { useSyncExternalStore } from "react"
import { steadyNow } from "../client/clock.ts"

/** One interval for every clock on the page: two hundred ages on a list cost one timer, and none when nobody looks. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Whether the moment `until` of `steadyNow` is still to come; false without one. */
export function useIsWaiting(until: number | undefined): boolean {
  return useClock(() => until !== undefined && steadyNow() < until)
}

/** The present moment in milliseconds since 1970, renewed every `everyMs` (at best once a second). */
export function useNow(everyMs = 1000): number {
  return useClock((now) => Math.floor(now / everyMs) * everyMs)
}

/** What `read` makes of the present moment (milliseconds since 1970), read every second; a component is only rendered when it changes. */
export function useClock<Value extends string | number | boolean | undefined>(read: (now: number) => Value): Value {
  return useSyncExternalStore(subscribe, () => read(Date.now()))
}
