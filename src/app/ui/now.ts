import { useSyncExternalStore } from "react"
import { deskNow } from "../client/clock.ts"

/** All clocks of the page share one timer, because a list shows hundreds of ages. */
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

/** The present moment of the desk's clock in milliseconds since 1970, renewed every `everyMs`, at most once a second. */
export function useNow(everyMs = 1000): number {
  return useClock((now) => Math.floor(now / everyMs) * everyMs)
}

/**
 * The result of `read` for the present moment of the desk's clock (milliseconds since 1970), read every second. A component is rendered only when the result
 * changes.
 */
export function useClock<Value extends string | number | boolean | undefined>(read: (now: number) => Value): Value {
  return useSyncExternalStore(subscribe, () => read(deskNow()))
}
