import { useCallback, useSyncExternalStore } from "react"

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

/** The present moment in milliseconds since 1970, renewed every `everyMs` (at best once a second). */
export function useNow(everyMs = 1000): number {
  const snapshot = useCallback(() => Math.floor(Date.now() / everyMs) * everyMs, [everyMs])
  return useSyncExternalStore(subscribe, snapshot)
}
