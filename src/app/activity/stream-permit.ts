/**
 * A permit to hold an event stream. All tabs of a browser share six connections to an origin over HTTP/1.1. Six streams would block
 * every other request, so there are four permits. A permit is a Web Lock, which the browser frees when its tab ends.
 */
const PERMITS = [1, 2, 3, 4]
/** How long a tab may take to give its permit up. Then the permit is taken away, because a frozen tab never answers. */
const GIVE_UP_MS = 1_000

/** The browser closes the other tab's connection in another process, a moment after the permit is free. */
const SETTLE_MS = 60

const CLAIM = "workdesk:stream-claim"
const permitName = (permit: number) => `workdesk:stream-permit:${String(permit)}`
const RANK = "workdesk:stream-rank:"

export type StreamPermit = { readonly release: () => void }

type GiveUp = { readonly giveUp: number }

/**
 * Waits for a permit: a free one, else at once the one of the tab that has been hidden longest. Where all four tabs are visible, it
 * takes the permit of the window that lost the focus first. With `onlyFree` no permit is taken away.
 *
 * @param signal ends the waiting; a permit that is held already ends with its `release`
 * @param onLost another tab takes the permit: close the stream, then release
 * @returns undefined when no permit is free, or `signal` was aborted first
 */
export async function claimStreamPermit(
  signal: AbortSignal,
  onLost: () => void,
  onlyFree = false,
): Promise<StreamPermit | undefined> {
  // Without locks (no secure origin) there is nothing to agree with, and every tab has its stream.
  if (!("locks" in navigator)) return { release: () => undefined }
  const manager = navigator.locks
  try {
    // One claim at a time, so that two tabs never wait for the same permit.
    return await manager.request(CLAIM, { signal }, async () => {
      for (const permit of PERMITS) {
        const held = await holdPermit(manager, permit, { ifAvailable: true }, onLost)
        if (held !== undefined) return releasedIfAborted(held, signal)
      }
      if (onlyFree) return undefined
      const permit = await leastWanted(manager)
      const channel = openChannel()
      channel.postMessage({ giveUp: permit } satisfies GiveUp)
      channel.close()
      const held = await holdPermit(manager, permit, { signal: AbortSignal.timeout(GIVE_UP_MS) }, onLost)
      const taken = held ?? (await holdPermit(manager, permit, { steal: true }, onLost))
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
      return taken && releasedIfAborted(taken, signal)
    })
  } catch {
    // Aborted while it waited for its turn.
    return undefined
  }
}

function releasedIfAborted(permit: StreamPermit, signal: AbortSignal): StreamPermit | undefined {
  if (!signal.aborted) return permit
  permit.release()
  return undefined
}

function openChannel(): BroadcastChannel {
  return new BroadcastChannel("workdesk:streams")
}

/** Resolves when the permit is held, with undefined when it cannot be. The permit stays held until `release`. */
function holdPermit(
  manager: LockManager,
  permit: number,
  options: LockOptions,
  onLost: () => void,
): Promise<StreamPermit | undefined> {
  return new Promise((resolve) => {
    const ended = Promise.withResolvers<void>()
    let isHeld = false
    const holding = manager.request(permitName(permit), options, (lock) => {
      if (lock === null) return resolve(undefined)
      isHeld = true
      const channel = openChannel()
      const stopRanking = keepRank(manager, permit)
      channel.addEventListener("message", ({ data }: MessageEvent<GiveUp>) => {
        if (data.giveUp === permit) onLost()
      })
      resolve({ release: ended.resolve })
      return ended.promise.finally(() => {
        channel.close()
        stopRanking()
      })
    })
    holding.catch(() => {
      // Timed out while it waited, or stolen while it was held.
      resolve(undefined)
      ended.resolve()
      if (isHeld) onLost()
    })
  })
}

/** The permit whose tab needs it least: hidden tabs before visible ones, then by the time since. */
async function leastWanted(manager: LockManager): Promise<number> {
  const { held = [] } = await manager.query()
  const ranks = held.flatMap(({ name = "" }) => {
    if (!name.startsWith(RANK)) return []
    const [permit, visible, since] = name.slice(RANK.length).split(":").map(Number)
    return permit === undefined || visible === undefined || since === undefined ? [] : [{ permit, visible, since }]
  })
  ranks.sort((one, other) => one.visible - other.visible || one.since - other.since)
  return ranks[0]?.permit ?? 1
}

/**
 * While a permit is held, the name of a second lock says whether its tab is visible: `permit:0:since` hidden, `permit:1:since` visible.
 * Locks can be read at once, and they end with their tab. Messages cannot do that.
 */
function keepRank(manager: LockManager, permit: number): () => void {
  let release: () => void = () => undefined
  let changes = 0
  function rank() {
    const before = release
    const { promise, resolve } = Promise.withResolvers<void>()
    release = resolve
    const name = `${RANK}${String(permit)}:${document.hidden ? "0" : "1"}:${String(Date.now())}:${String(changes++)}`
    void manager.request(name, () => {
      before()
      return promise
    })
  }
  rank()
  document.addEventListener("visibilitychange", rank)
  addEventListener("focus", rank)
  return () => {
    document.removeEventListener("visibilitychange", rank)
    removeEventListener("focus", rank)
    release()
  }
}
