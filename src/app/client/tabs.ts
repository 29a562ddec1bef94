/** What one tab of a browser knows of the others, and tells them. */
import { ownedName } from "./storage.ts"

/** Posts to the other tabs. A page that the browser is leaving has lost its channel already, and then tells nobody. */
export function post(channel: BroadcastChannel, message: unknown): void {
  try {
    channel.postMessage(message)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "InvalidStateError")) throw error
  }
}

/** The name of a shared lock that every visible tab of the person holds (Web Locks), so that hidden tabs know of it. */
const lockName = () => ownedName("looking")

/**
 * Holds the lock while this tab is visible.
 *
 * @param onShown called each time the tab becomes visible
 * @returns a function that releases the lock for good
 */
export function holdWhileShown(onShown: () => void): () => void {
  let release: (() => void) | undefined
  const update = () => {
    release?.()
    release = undefined
    if (document.hidden) return
    const { promise, resolve } = Promise.withResolvers<void>()
    release = resolve
    void navigator.locks.request(lockName(), { mode: "shared" }, () => {
      onShown()
      return promise
    })
  }
  update()
  document.addEventListener("visibilitychange", update)
  return () => {
    document.removeEventListener("visibilitychange", update)
    release?.()
  }
}

/** Whether some tab of the person is visible. */
export async function isSomebodyLooking(): Promise<boolean> {
  if (!document.hidden) return true
  const name = lockName()
  const { held = [] } = await navigator.locks.query()
  return held.some((lock) => lock.name === name)
}
