import { useSyncExternalStore } from "react"

let isPainted = false
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (!isPainted && listeners.size === 1) whenPainted(end)
  return () => listeners.delete(listener)
}

function end(): void {
  isPainted = true
  for (const listener of listeners) listener()
}

/** Calls `act` in a task after the next frame, or at once in a hidden tab, which has no frames. */
function whenPainted(act: () => void): void {
  if (document.hidden) setTimeout(act)
  else requestAnimationFrame(() => setTimeout(act))
}

/** Whether the browser has painted the app. Only for work that would delay the first paint and shows nothing in it. */
export function useIsPainted(): boolean {
  return useSyncExternalStore(subscribe, () => isPainted)
}
