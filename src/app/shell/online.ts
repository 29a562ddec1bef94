import { useSyncExternalStore } from "react"

const subscribe = (listener: () => void): (() => void) => {
  addEventListener("online", listener)
  addEventListener("offline", listener)
  return () => {
    removeEventListener("online", listener)
    removeEventListener("offline", listener)
  }
}

/** False when the browser knows that it has no network; true promises nothing. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine)
