/** Loads the code that the person has not needed yet, so that it can still be shown when the desk is away, or when an upgrade has removed its files. */
import { isObject } from "../client/value-schema.ts"
import { allParts } from "../ui/part.tsx"

/**
 * Loads one part after the other, each while the browser is idle, and ends at the first that doesn't arrive. Not where the browser saves data, and not
 * without a network: some browsers request a file that didn't arrive only after a reload, so the part would stay missing.
 */
export async function loadAhead(): Promise<void> {
  const connection: unknown = Reflect.get(navigator, "connection")
  if (isObject(connection) && connection["saveData"] === true) return
  // The code of a part may make further parts, which this loop reaches too.
  for (const load of allParts) {
    await idle()
    if (!navigator.onLine) return
    await load()
  }
}

/** Resolves when the browser has nothing else to do. Safari can't tell. */
const idle = () =>
  new Promise<unknown>((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(resolve)
    else setTimeout(resolve)
  })
