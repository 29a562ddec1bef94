import { isHidden } from "./page-visibility.ts"

/**
 * The right to hold one of the browser's few event streams. A browser opens six connections to an origin over HTTP/1.1, over
 * all its tabs: six streams would freeze the seventh tab and every request, so four is the most.
 * The slots are Web Locks, which the browser frees by itself when a tab dies.
 */
const SLOTS = [1, 2, 3, 4]
/** How long a tab may take to give its slot up before it is taken away: a frozen one would never answer. */
const PATIENCE_MS = 1_000

/** The other tab's connection is closed by another process of the browser, a moment after it was told to. */
const SETTLE_MS = 60

const CLAIM = "workdesk:stream-claim"
const slotName = (slot: number) => `workdesk:stream-slot:${String(slot)}`
const RANK = "workdesk:stream-rank:"

export type StreamSlot = { readonly release: () => void }

type GiveUp = { readonly giveUp: number }

/**
 * Waits for a slot: a free one, else the one of the tab that is hidden longest, at once; where all four are seen, the one
 * of the window that was left longest ago. With `onlyFree` nobody loses theirs.
 *
 * @param signal gives the claim up; one that is held already is released by its `release`
 * @param onLost another tab takes the slot: close the stream, then release
 * @returns undefined when there is none to be had, or `signal` was aborted first
 */
export async function claimStreamSlot(
  signal: AbortSignal,
  onLost: () => void,
  onlyFree = false,
): Promise<StreamSlot | undefined> {
  // Without locks (no secure origin) there is nothing to agree with, and every tab has its stream.
  if (!("locks" in navigator)) return { release: () => undefined }
  const manager = navigator.locks
  try {
    // One claim at a time, so that two tabs never wait for the same slot.
    return await manager.request(CLAIM, { signal }, async () => {
      for (const slot of SLOTS) {
        const held = await holdSlot(manager, slot, { ifAvailable: true }, onLost)
        if (held !== undefined) return releasedIfAborted(held, signal)
      }
      if (onlyFree) return undefined
      const slot = await leastWanted(manager)
      const channel = openChannel()
      channel.postMessage({ giveUp: slot } satisfies GiveUp)
      channel.close()
      const held = await holdSlot(manager, slot, { signal: AbortSignal.timeout(PATIENCE_MS) }, onLost)
      const taken = held ?? (await holdSlot(manager, slot, { steal: true }, onLost))
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
      return taken && releasedIfAborted(taken, signal)
    })
  } catch {
    // Aborted while it waited for its turn.
    return undefined
  }
}

function releasedIfAborted(slot: StreamSlot, signal: AbortSignal): StreamSlot | undefined {
  if (!signal.aborted) return slot
  slot.release()
  return undefined
}

function openChannel(): BroadcastChannel {
  return new BroadcastChannel("workdesk:streams")
}

/** Resolves when the slot is held (undefined when it is not to be had); it stays held until `release`. */
function holdSlot(
  manager: LockManager,
  slot: number,
  options: LockOptions,
  onLost: () => void,
): Promise<StreamSlot | undefined> {
  return new Promise((resolve) => {
    const ended = Promise.withResolvers<void>()
    let isHeld = false
    const holding = manager.request(slotName(slot), options, (lock) => {
      if (lock === null) return resolve(undefined)
      isHeld = true
      const channel = openChannel()
      const stopRanking = keepRank(manager, slot)
      channel.addEventListener("message", ({ data }: MessageEvent<GiveUp>) => {
        if (data.giveUp === slot) onLost()
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

/** The slot whose tab needs it least: hidden before seen, then by the time since. */
async function leastWanted(manager: LockManager): Promise<number> {
  const { held = [] } = await manager.query()
  const ranks = held.flatMap(({ name = "" }) => {
    if (!name.startsWith(RANK)) return []
    const [slot, seen, since] = name.slice(RANK.length).split(":").map(Number)
    return slot === undefined || seen === undefined || since === undefined ? [] : [{ slot, seen, since }]
  })
  ranks.sort((one, other) => one.seen - other.seen || one.since - other.since)
  return ranks[0]?.slot ?? 1
}

/**
 * While a slot is held, a second lock says in its name how much its tab is looked at: `slot:0:since` hidden, `slot:1:since`
 * seen. Unlike messages, locks can be read at once and vanish with their tab.
 */
function keepRank(manager: LockManager, slot: number): () => void {
  let release: () => void = () => undefined
  let changes = 0
  function rank() {
    const before = release
    const { promise, resolve } = Promise.withResolvers<void>()
    release = resolve
    const name = `${RANK}${String(slot)}:${isHidden() ? "0" : "1"}:${String(Date.now())}:${String(changes++)}`
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
