/**
 * The permits of a browser to hold event streams. All tabs of a browser share six connections to an origin over HTTP/1.1, and six streams would
 * block every other request, so there are fewer permits. A permit is a Web Lock, whose name says since when its tab has been shown or in use. The
 * browser frees it when the tab ends. A hidden tab holds none, so only windows beside each other can want more.
 */
export const PERMITS = 4
const PERMIT = "workdesk:stream:"
/** Whoever takes or renames a permit holds this lock, so that two tabs never count at the same time. */
const TURN = "workdesk:stream-turn"
/** A stolen permit is used after this time, because the browser closes the other tab's connection a moment later, in another process. */
const SETTLE_MS = 60

/** `free`: a permit that no tab holds. `any`: a free permit, else the permit of the window that was shown or used longest ago. */
export type WantedPermit = "free" | "any"

/**
 * Takes a permit, and holds it until `signal` aborts.
 *
 * @param onLost called when another tab has taken the permit before `signal` was aborted: close the stream
 * @returns false where no permit is free, or `signal` was aborted first
 */
export async function takeStreamPermit(
  wanted: WantedPermit,
  signal: AbortSignal,
  onLost: () => void,
): Promise<boolean> {
  /** Aborted, it gives back the permit that this tab holds now. */
  let holding: AbortController | undefined
  const holdNew = () => {
    holding = new AbortController()
    return hold(AbortSignal.any([signal, holding.signal]), onLost)
  }
  const isTaken = await inTurn(signal, async () => {
    if (!(await makeRoom(wanted))) return false
    await holdNew()
    return true
  })
  // The tab is in use again: a new permit, with a newer name, replaces its older permit.
  const renew = () =>
    void inTurn(signal, async () => {
      const older = holding
      await holdNew()
      older?.abort()
    })
  if (isTaken) addEventListener("focus", renew, { signal })
  return isTaken && !signal.aborted
}

/** Makes room for one more permit: where all are held, `any` takes away the oldest. @returns false where there is no room */
async function makeRoom(wanted: WantedPermit): Promise<boolean> {
  const permits = await heldPermits()
  const [oldest] = permits
  if (permits.length < PERMITS || oldest === undefined) return true
  if (wanted === "free") return false
  await navigator.locks.request(oldest, { steal: true }, () => undefined)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  return true
}

/** The result of `act`; false where `signal` was aborted while other tabs had their turn. */
async function inTurn<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result | false> {
  return navigator.locks.request(TURN, { signal }, act).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return false as const
  })
}

/** The names of the permits that are held in this browser. The permit of the window that was shown or used longest ago comes first. */
async function heldPermits(): Promise<readonly string[]> {
  const { held = [] } = await navigator.locks.query()
  return held.flatMap(({ name = "" }) => (name.startsWith(PERMIT) ? [name] : [])).sort()
}

/** Holds a permit of this moment until `signal` aborts. Resolves when it is held. */
function hold(signal: AbortSignal, onLost: () => void): Promise<void> {
  const name = `${PERMIT}${String(Date.now()).padStart(16, "0")}:${crypto.randomUUID()}`
  return new Promise((resolve) => {
    const whileHeld = () => {
      resolve()
      return whenAborted(signal)
    }
    // The request rejects when another tab takes the permit.
    navigator.locks.request(name, whileHeld).catch(() => {
      if (!signal.aborted) onLost()
    })
  })
}

export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve())
  })
}
