/** Limits how many event streams the tabs of a browser have open, so that connections are left for other requests. */
import { array, picklist } from "valibot"
import { defineKind } from "../client/storage.ts"

/**
 * The permits of a browser to hold event streams. All tabs of a browser share six connections to an origin over HTTP/1.1, and six streams would
 * block every other request, so there are fewer permits. Each permit is a Web Lock, which the browser frees when the tab ends. A hidden tab holds
 * none, so only windows beside each other can want more.
 */
const NAMES = ["workdesk:stream:1", "workdesk:stream:2", "workdesk:stream:3", "workdesk:stream:4"] as const
export const PERMITS = NAMES.length
type Name = (typeof NAMES)[number]
/** A stolen permit is used after this time, because the browser closes the other tab's connection a moment later, in another process. */
const SETTLE_MS = 60

/** The permits in the order in which their windows took or used them last, the one used longest ago first. */
const usedPermits = defineKind<readonly [], readonly Name[]>({
  name: "stream-permits",
  schema: array(picklist(NAMES)),
  owner: "anyone",
  keptDays: 1,
})

const byUse = (): readonly Name[] => [...new Set([...(usedPermits().read() ?? []), ...NAMES])]

function markUsed(name: Name): void {
  usedPermits().write([...byUse().filter((other) => other !== name), name])
}

/** `free`: a permit that no tab holds. `any`: a free permit, else the permit of the window that was shown or used longest ago. */
export type WantedPermit = "free" | "any"

/**
 * Takes a permit, and holds it until `signal` aborts.
 *
 * @param onLost called when another tab has taken the permit before `signal` was aborted: close the stream
 * @returns false where no permit is free, or `signal` was aborted first
 */
export async function acquireStreamPermit(
  wanted: WantedPermit,
  signal: AbortSignal,
  onLost: () => void,
): Promise<boolean> {
  for (const name of NAMES) {
    if (signal.aborted) return false
    if (await hold(name, { ifAvailable: true }, signal, onLost)) return true
  }
  const [oldest] = byUse()
  if (wanted === "free" || signal.aborted || oldest === undefined) return false
  await hold(oldest, { steal: true }, signal, onLost)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  return !signal.aborted
}

/** Holds a permit until `signal` aborts. Resolves when it is held, or false where it is not available. */
function hold(name: Name, options: LockOptions, signal: AbortSignal, onLost: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    const whileHeld = (lock: Lock | null) => {
      resolve(lock !== null)
      if (lock === null) return undefined
      markUsed(name)
      addEventListener("focus", () => markUsed(name), { signal })
      return whenAborted(signal)
    }
    // The request rejects when another tab takes the permit.
    navigator.locks.request(name, options, whileHeld).catch(() => {
      if (!signal.aborted) onLost()
    })
  })
}

/** Resolves when `signal` aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve())
  })
}
