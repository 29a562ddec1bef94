/**
 * The permits of a browser to hold event streams. All tabs of a browser share six connections to an origin over HTTP/1.1, and six streams would
 * block every other request, so there are four permits. A permit is a Web Lock, whose name says since when its tab has been shown or in use. The
 * browser frees it when the tab ends. A hidden tab holds none, so only windows beside each other can want more than four.
 */
const PERMITS = 4
const PERMIT = "workdesk:stream:"
/** Whoever takes or renames a permit holds this lock, so that two tabs never count at the same time. */
const TURN = "workdesk:stream-turn"
/** The browser closes the other tab's connection in another process, a moment after the permit is free. */
const SETTLE_MS = 60

export type StreamPermit = { readonly release: () => void }

/**
 * Takes a permit: a free one, else at once that of the window which was shown or used before all others.
 *
 * @param signal ends the waiting; a permit that is held already ends with its `release`
 * @param onLost another tab has taken the permit: close the stream
 * @param onlyFree true where no permit is taken from another window
 * @returns undefined where no permit is free, or `signal` was aborted first
 */
export async function claimStreamPermit(
  signal: AbortSignal,
  onLost: () => void,
  onlyFree = false,
): Promise<StreamPermit | undefined> {
  let release = () => {}
  const isHeld = await inTurn(signal, async () => {
    const held = await heldPermits()
    const [first] = held
    if (held.length >= PERMITS && first !== undefined) {
      if (onlyFree) return false
      await navigator.locks.request(first, { steal: true }, () => undefined)
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    }
    release = await hold(onLost)
    return true
  })
  if (isHeld !== true) return undefined
  let isReleased = false
  // The tab is in use again: its permit gets a newer name.
  const renew = () =>
    void inTurn(signal, async () => {
      if (isReleased) return
      const before = release
      release = await hold(onLost)
      before()
      if (isReleased) release()
    })
  addEventListener("focus", renew)
  return {
    release: () => {
      isReleased = true
      removeEventListener("focus", renew)
      release()
    },
  }
}

/** The result of `act`; undefined where `signal` was aborted while other tabs had their turn. */
async function inTurn<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result | undefined> {
  return navigator.locks.request(TURN, { signal }, act).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return undefined
  })
}

/** The names of the permits that are held in this browser, the one that was shown or used first at the beginning. */
async function heldPermits(): Promise<readonly string[]> {
  const { held = [] } = await navigator.locks.query()
  return held.flatMap(({ name = "" }) => (name.startsWith(PERMIT) ? [name] : [])).sort()
}

/** Holds a permit of this moment. Returns a function that releases it. */
function hold(onLost: () => void): Promise<() => void> {
  return new Promise((resolve) => {
    const { promise, resolve: release } = Promise.withResolvers<void>()
    let isReleased = false
    const end = () => {
      isReleased = true
      release()
    }
    const name = `${PERMIT}${String(Date.now()).padStart(16, "0")}:${crypto.randomUUID()}`
    navigator.locks
      .request(name, () => {
        resolve(end)
        return promise
      })
      .catch(() => isReleased || onLost())
  })
}
