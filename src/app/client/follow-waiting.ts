import type { QueryClient } from "@tanstack/react-query"
import { callAt, steadyNow } from "./clock.ts"
import { DeskError, unreadable } from "./desk-error.ts"
import { isLocked, postToTabs } from "./session.ts"
import { ownedName } from "./storage.ts"
import {
  keepUnchecked,
  lastResolved,
  readWaiting,
  removeResolvedElsewhere,
  type Resolved,
  type Waiting,
  waitingKey,
  type WaitingNow,
  writeWaiting,
} from "./waiting.ts"
import { askDesk, jsonOf } from "./desk-request.ts"
import { pauseAfter } from "./polling.ts"

/** How long the desk may hold a request until something changes: its `wait` parameter, which is 25 s at most. */
const WAIT_SECONDS = 25
/** A held request has ten seconds more than the desk may hold it. */
const TIMEOUT_MS = (WAIT_SECONDS + 10) * 1000
/** The least time between the beginnings of two requests, in a visible and in a hidden tab. */
const BETWEEN_MS = 250
const HIDDEN_MS = 15_000
/** The interval of the requests that the desk does not hold. */
const PLAIN_MS = 10_000
/** A held request that ends sooner without a change was not held: a desk that does not know `wait` answers at once. */
const HELD_MIN_MS = 1_000
/** After two requests that were not held, the desk is asked to hold none for this time. */
const PLAIN_FOR_MS = 10 * 60_000

export type AskedWaiting = {
  /** `silent`: a held request was cut. A network may do that while the desk is well, so the next request tells. */
  readonly outcome: Waiting | DeskError | "unchanged" | "silent"
  readonly etag: string | undefined
  /** The milliseconds until the next request. */
  readonly pauseMs: number
}

/** What this tab has learned about the desk and the network: whether they hold a request until something changes. */
export function createAsker() {
  let hasFailed = false
  /** Whether the last request was to be held, and was cut. The next one is not held: if it succeeds, the desk is well, and the network cuts. */
  let wasCut = false
  /** How many requests in a row were not held to their end. A change that comes early says nothing about it. */
  let notHeld = 0
  /** Until then the desk is asked to hold no request. */
  let plainUntil = 0

  /**
   * Asks the desk once. With `mayHold` the desk may hold the request until the answer of `etag` changes.
   *
   * @throws what fetch throws where `signal` aborts
   */
  return async (etag: string | undefined, mayHold: boolean, signal: AbortSignal): Promise<AskedWaiting> => {
    const askedAt = steadyNow()
    const wait = etag !== undefined && mayHold && !hasFailed && askedAt >= plainUntil
    const { outcome, etag: nextEtag } = await read(etag, wait, signal)
    const endedAt = steadyNow()
    const tookMs = endedAt - askedAt
    const least = (document.hidden ? HIDDEN_MS : BETWEEN_MS) - tookMs
    hasFailed = outcome instanceof DeskError
    if (wait && outcome === "unchanged") notHeld = tookMs < HELD_MIN_MS ? notHeld + 1 : 0
    if (wasCut && !hasFailed) notHeld++
    wasCut = wait && outcome instanceof DeskError
    if (outcome instanceof DeskError && !wait) {
      return { outcome, etag, pauseMs: Math.max(pauseAfter(outcome, endedAt) ?? PLAIN_MS, least, BETWEEN_MS) }
    }
    if (notHeld > 1) {
      notHeld = 0
      plainUntil = endedAt + PLAIN_FOR_MS
    }
    if (outcome instanceof DeskError) return { outcome: "silent", etag, pauseMs: least }
    const isHeldNext = nextEtag !== undefined && endedAt >= plainUntil
    return { outcome, etag: nextEtag, pauseMs: isHeldNext ? least : Math.max(PLAIN_MS, least) }
  }
}

async function read(
  etag: string | undefined,
  wait: boolean,
  signal: AbortSignal,
): Promise<Pick<AskedWaiting, "etag"> & { readonly outcome: Waiting | DeskError | "unchanged" }> {
  const address = wait ? `/desk/waiting?wait=${String(WAIT_SECONDS)}` : "/desk/waiting"
  const headers = etag === undefined ? {} : { "if-none-match": etag }
  try {
    // The cache of the browser would answer a 304 with an older body.
    const response = await askDesk(address, { signal, cache: "no-store", headers }, TIMEOUT_MS)
    if (response.status === 304) return { outcome: "unchanged", etag }
    const outcome = readWaiting(await jsonOf(response))
    // A network with a sign-in page of its own answers 200 for every address.
    if (outcome === undefined) throw unreadable(response)
    return { outcome, etag: response.headers.get("etag") ?? undefined }
  } catch (error) {
    if (error instanceof DeskError) return { outcome: error, etag }
    throw error
  }
}

/** A visible tab that is told nothing for this time takes the lock: the tab that holds it is blocked, for instance by a print dialog. */
const SILENCE_MS = 40_000
/** A new tab that knows nothing waits so long for another tab to tell. */
const FIRST_SILENCE_MS = 1_000

/**
 * What waits, as one tab sends it to another. A message keeps only the standard fields of an Error (HTML, "StructuredSerializeInternal"), so a
 * DeskError is sent as a plain object.
 */
type SentNow = {
  readonly waiting: Waiting | undefined
  readonly error: ConstructorParameters<typeof DeskError>[0] | undefined
}

/** What one tab of a person's browser sends to the others. `unchanged`: the desk has answered that nothing is new. */
type Message =
  | { readonly kind: "hello" | "unchanged" }
  | { readonly kind: "news"; readonly now: SentNow; readonly etag: string | undefined }
  | { readonly kind: "resolved"; readonly resolved: Resolved }

/** The name of the lock and of the channel. A change of `Message` needs another name, because tabs of an older build may be open. */
const NAME = "what-waits"

/**
 * Keeps the query of what waits current. One tab of a browser, which holds a lock (Web Locks), asks the desk, and tells the other tabs each answer
 * (BroadcastChannel). Visible tabs queue for the lock, so that the next of them asks as soon as one closes. Hidden tabs take only a free lock. The
 * tab that shows notifications holds a lock of its own (`shell/notifications.ts`).
 */
export function followWaiting(client: QueryClient): void {
  const channel = new BroadcastChannel(ownedName(NAME))
  const tell = (message: Message) => postToTabs(channel, message)
  const now = (): WaitingNow | undefined => client.getQueryData(waitingKey)
  const ask = createAsker()
  /** The last answer of a desk that had checked every Work, for `keepUnchecked`. */
  let whole: Waiting | undefined
  let etag: string | undefined
  /** Whether this tab holds the lock, and so asks the desk. */
  let leads = false
  /** When another tab has told something last. */
  let toldAt = steadyNow() - (now() === undefined ? SILENCE_MS - FIRST_SILENCE_MS : 0)

  const showHere = (next: WaitingNow) => {
    if (next.waiting?.complete === true) whole = next.waiting
    writeWaiting(client, next)
  }
  const showInAllTabs = (next: WaitingNow) => {
    showHere(next)
    tell({ kind: "news", now: toSend(next), etag })
  }

  channel.addEventListener("message", ({ data: message }: MessageEvent<Message>) => {
    if (message.kind === "resolved") return removeResolvedElsewhere(client, message.resolved)
    if (message.kind === "hello") {
      const known = now()
      if (leads && known !== undefined) tell({ kind: "news", now: toSend(known), etag })
      return
    }
    toldAt = steadyNow()
    if (leads || message.kind !== "news") return
    etag = message.etag
    const { waiting, error } = message.now
    showHere({ waiting, error: error && new DeskError(error) })
  })

  /** Asks the desk once, and shows the answer in all tabs. Resolves with the milliseconds until the next request. */
  async function askForAll(signal: AbortSignal): Promise<number> {
    // While an error is shown, an answer at once tells that the desk is there again.
    const asked = await ask(etag, now()?.error === undefined, signal)
    const { outcome, pauseMs } = asked
    etag = asked.etag
    const { waiting, error } = now() ?? {}
    if (outcome instanceof DeskError) showInAllTabs({ waiting, error: outcome })
    else if (typeof outcome === "object")
      showInAllTabs({ waiting: keepUnchecked(whole, outcome, steadyNow()), error: undefined })
    else if (outcome === "unchanged" && error !== undefined) showInAllTabs({ waiting, error: undefined })
    else tell({ kind: "unchanged" })
    return pauseMs
  }

  /** The end of a `Retry-After` that some tab has met. Before that no tab asks. */
  const mayAskAt = () => now()?.error?.retryAt ?? 0

  /** Asks again and again while this tab has the lock and is visible, and once in a hidden tab. Resolves with the moment of the next request. */
  async function lead(signal: AbortSignal): Promise<number> {
    leads = true
    let nextAt = mayAskAt()
    while (await waitUntil(nextAt, signal)) {
      nextAt = steadyNow() + (await askForAll(signal))
      if (document.hidden) break
    }
    return nextAt
  }

  /** Leads as soon as this tab has the lock. Resolves with undefined where the tab does not get the lock, or another tab has taken it. */
  async function takeTurn(options: LockOptions, signal: AbortSignal): Promise<number | undefined> {
    try {
      return await navigator.locks.request(ownedName(NAME), options, (lock) =>
        lock === null ? undefined : lead(signal),
      )
    } catch (error) {
      if (!(error instanceof DOMException)) throw error
      const isTaken = !signal.aborted
      if (isTaken) {
        // Another tab knows more since this tab was blocked.
        toldAt = steadyNow()
        tell({ kind: "hello" })
      }
      return undefined
    } finally {
      leads = false
    }
  }

  async function follow(): Promise<never> {
    let nextAt = 0
    for (;;) {
      const present = new AbortController()
      const { signal } = present
      // While the page is locked, no tab asks.
      if (isLocked()) toldAt = steadyNow()
      if (document.hidden) {
        if (await waitUntil(Math.max(nextAt, toldAt + HIDDEN_MS, mayAskAt()), signal))
          nextAt = (await takeTurn({ ifAvailable: true }, signal)) ?? steadyNow() + HIDDEN_MS
      } else {
        const silentAt = Math.max(toldAt, mayAskAt()) + SILENCE_MS
        const isSilent = steadyNow() >= silentAt
        // In the queue until this tab is hidden, or the tab that holds the lock falls silent.
        if (!isSilent) void waitUntil(silentAt, signal).then(() => leads || present.abort())
        nextAt = (await takeTurn(isSilent ? { steal: true } : { signal }, signal)) ?? 0
      }
      present.abort()
    }
  }

  void follow()
  lastResolved.subscribe(() => {
    const resolved = lastResolved.get()
    if (resolved !== undefined) tell({ kind: "resolved", resolved })
  })
  tell({ kind: "hello" })
}

function toSend({ waiting, error }: WaitingNow): SentNow {
  return { waiting, error: error && Object.assign({}, error) }
}

/** Waits until `moment`. Resolves with false where the tab is shown or hidden, or `signal` aborts, before that. */
function waitUntil(moment: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  // Browsers delay the timers of hidden tabs, so no timer is set where there is nothing to wait for.
  if (signal.aborted || steadyNow() >= moment) resolve(!signal.aborted)
  else {
    const ended = new AbortController()
    const end = (isReached: boolean) => () => {
      ended.abort()
      cancel()
      resolve(isReached)
    }
    const cancel = callAt(moment, end(true))
    signal.addEventListener("abort", end(false), ended)
    document.addEventListener("visibilitychange", end(false), ended)
  }
  return promise
}
