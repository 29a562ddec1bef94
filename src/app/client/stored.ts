import { useSyncExternalStore } from "react"

/**
 * Text that belongs to the browser, not the tab: localStorage, with every tab told of a change. Where the browser refuses
 * (private windows, a full quota) it is kept for this page alone, which is the best that can be had.
 */
const PREFIX = "workdesk:"
const pageOnly = new Map<string, string>()
const listeners = new Set<() => void>()

/** The text stored under `name`. */
export function readStored(name: string): string | undefined {
  const kept = pageOnly.get(name)
  if (kept !== undefined) return kept
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores `text` under `name`; undefined removes it. It is readable, in every tab, when this returns. */
export function writeStored(name: string, text: string | undefined): void {
  pageOnly.delete(name)
  try {
    if (text === undefined) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, text)
  } catch {
    if (text !== undefined) pageOnly.set(name, text)
  }
  for (const listener of listeners) listener()
}

/** The names under `prefix` that hold something. */
export function storedNames(prefix: string): string[] {
  const names = new Set(pageOnly.keys())
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) names.add(name.slice(PREFIX.length))
  } catch {
    // Nothing but this page's own.
  }
  return [...names].filter((name) => name.startsWith(prefix))
}

/** Calls `listener` after every change, whichever tab made it. Returns the end of it. */
export function onStoredChange(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

/** The text stored under `name`, as it changes in any tab. */
export function useStored(name: string): string | undefined {
  return useSyncExternalStore(onStoredChange, () => readStored(name))
}
