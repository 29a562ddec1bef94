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

/** In the first paint a list has only these rows. With twelve rows the first row comes 3 to 13 % later (measured). */
const FIRST_ROWS = 4

/** The rows of a list, or only the first of them until the browser has painted the app. */
export function useFirstRows<Row>(rows: readonly Row[]): readonly Row[] {
  return useIsPainted() ? rows : rows.slice(0, FIRST_ROWS)
}
