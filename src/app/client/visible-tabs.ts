/** Whether some tab of the person is visible. Each visible tab holds a shared lock (Web Locks), so that hidden tabs know of it. */
import { ownedName } from "./storage.ts"

const lockName = () => ownedName("looking")

/**
 * Holds the lock while this tab is visible.
 *
 * @param onVisible called each time the tab becomes visible
 * @returns a function that releases the lock for good
 */
export function holdWhileVisible(onVisible: () => void): () => void {
  let release: (() => void) | undefined
  const update = () => {
    release?.()
    release = undefined
    if (document.hidden) return
    const { promise, resolve } = Promise.withResolvers<void>()
    release = resolve
    void navigator.locks.request(lockName(), { mode: "shared" }, () => {
      onVisible()
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

export async function isSomeTabVisible(): Promise<boolean> {
  if (!document.hidden) return true
  const name = lockName()
  const { held = [] } = await navigator.locks.query()
  return held.some((lock) => lock.name === name)
}
