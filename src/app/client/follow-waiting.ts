import type { QueryClient } from "@tanstack/react-query"
import { WAIT_MAX_SECONDS } from "../../contract/desk-work.ts"
import type { WaitingChange } from "../../contract/waiting-change.ts"
import { callAt, steadyNow } from "./clock.ts"
import { DeskError, unreadable } from "./desk-error.ts"
import { isLocked, postToTabs } from "./session.ts"
import { ownedName } from "./storage.ts"
import {
  inWords,
  isWaiting,
  keepUnchecked,
  lastResolved,
  type News,
  removeResolvedElsewhere,
  type Resolved,
  type Told,
  type Waiting,
  waitingKey,
  type WaitingNow,
  writeWaiting,
} from "./waiting.ts"
import { askDesk, jsonOf } from "./desk-request.ts"
import { pauseAfter } from "./polling.ts"

/** A held request has ten seconds more than the desk may hold it. */
const TIMEOUT_MS = (WAIT_MAX_SECONDS + 10) * 1000
/** The least time between the beginnings of two requests, in a visible and in a hidden tab. */
const BETWEEN_MS = 250
const HIDDEN_MS = 15_000
/** The same while the desk checks more than `MANY_WORKS` for the first time: each answer has a few items more, and the page is drawn for each. */
const GATHERING_MS = 2_000
const MANY_WORKS = 100
/** The interval of the requests that the desk does not hold. */
const PLAIN_MS = 10_000
/** A held request that ends sooner without a change was not held: a desk that does not know `wait` answers at once. */
const HELD_MIN_MS = 1_000
/** After two requests that were not held, the desk is asked to hold none for this time. */
const PLAIN_FOR_MS = 10 * 60_000

type AskedWaiting = {
  /**
   * `silent`: a held request was cut, or no change could be read from its answer. A network may cut requests while the desk is well, so the next
   * request tells.
   */
  readonly outcome: News | DeskError | "unchanged" | "silent"
  /** The milliseconds until the next request. */
  readonly pauseMs: number
}
/** What this tab has learned about the desk and the network: whether they hold a request until something changes, and tell the change alone. */
export function createAsker() {
  let hasFailed = false
  /** Whether the last request was to be held, and was cut. The next one is not held: if it succeeds, the desk is well, and the network cuts. */
  let wasCut = false
  /** How many requests in a row were not held to their end. A change that comes early says nothing about it. */
  let notHeld = 0
  /** Until then the desk is asked to hold no request. */
  let plainUntil = 0
  /** How many requests for the change alone got the known answer in a row. A desk that does not know `since` answers so, and at once. */
  let notChanges = 0
  /** Until then the desk is asked for whole answers. */
  let wholeUntil = 0

  /**
   * Asks the desk once. With `mayHold` the desk may hold the request until the answer differs from `told`.
   *
   * @throws what fetch throws where `signal` aborts
   */
  return async (told: Told | undefined, mayHold: boolean, signal: AbortSignal): Promise<AskedWaiting> => {
    const askedAt = steadyNow()
    const wait = told?.etag !== undefined && mayHold && !hasFailed && askedAt >= plainUntil
    const since = wait && askedAt >= wholeUntil
    const outcome = await read(told, wait, since, signal)
    const endedAt = steadyNow()
    const tookMs = endedAt - askedAt
    const least = (document.hidden ? HIDDEN_MS : isGathering(told) ? GATHERING_MS : BETWEEN_MS) - tookMs
    if (since) {
      const news = typeof outcome === "object" && "told" in outcome ? outcome : undefined
      notChanges = news?.told.etag === told.etag && news?.change === undefined ? notChanges + 1 : 0
      const isRefused = outcome instanceof DeskError && outcome.failure === "invalid"
      if (notChanges > 1 || isRefused || outcome === "silent") wholeUntil = endedAt + PLAIN_FOR_MS
      if (isRefused || outcome === "silent") return { outcome: "silent", pauseMs: least }
    }
    hasFailed = outcome instanceof DeskError
    if (wait && outcome === "unchanged") notHeld = tookMs < HELD_MIN_MS ? notHeld + 1 : 0
    if (wasCut && !hasFailed) notHeld++
    wasCut = wait && outcome instanceof DeskError
    if (outcome instanceof DeskError && !wait) {
      return { outcome, pauseMs: Math.max(pauseAfter(outcome, endedAt) ?? PLAIN_MS, least, BETWEEN_MS) }
    }
    if (notHeld > 1) {
      notHeld = 0
      plainUntil = endedAt + PLAIN_FOR_MS
    }
    if (outcome instanceof DeskError) return { outcome: "silent", pauseMs: least }
    const { etag } = typeof outcome === "object" ? outcome.told : (told ?? {})
    const isHeldNext = etag !== undefined && endedAt >= plainUntil
    return { outcome, pauseMs: isHeldNext ? least : Math.max(PLAIN_MS, least) }
  }
}

const isGathering = (told: Told | undefined): boolean =>
  told !== undefined && !told.answer.complete && told.answer.total > MANY_WORKS

async function read(
  told: Told | undefined,
  wait: boolean,
  since: boolean,
  signal: AbortSignal,
): Promise<AskedWaiting["outcome"]> {
  const etag = told?.etag
  const asked = since && etag !== undefined ? `&since=${encodeURIComponent(etag)}` : ""
  const address = wait ? `/desk/waiting?wait=${String(WAIT_MAX_SECONDS)}${asked}` : "/desk/waiting"
  const headers = etag === undefined || asked !== "" ? {} : { "if-none-match": etag }
  try {
    // The cache of the browser would answer a 304 with an older body.
    const response = await askDesk(address, { signal, cache: "no-store", headers }, TIMEOUT_MS)
    if (response.status === 304) return "unchanged"
    const answer = await jsonOf(response)
    if (isWaiting(answer)) {
      return { told: await keepEntries(told, { etag: response.headers.get("etag") ?? undefined, answer }) }
    }
    // A network with a sign-in page of its own answers 200 for every address.
    if (told === undefined || asked === "") throw unreadable(response)
    return (await loadNext())?.readChange(told, answer) ?? "silent"
  } catch (error) {
    if (error instanceof DeskError) return error
    throw error
  }
}

/** The code for a second answer, which the first load does not have. Undefined where the code cannot be loaded: then whole answers serve. */
const loadNext = () => import("./next-waiting.ts").catch(() => undefined)

/** The whole answer `next`, in which every entry that is as in `before` is the same object. */
async function keepEntries(before: Told | undefined, next: Told): Promise<Told> {
  return (before && (await loadNext())?.keepEntries(before, next)) ?? next
}

/** A visible tab that is told nothing for this time takes the lock: the tab that holds it is blocked, for instance by a print dialog. */
const SILENCE_MS = 40_000
/** A new tab that knows nothing waits so long for another tab to tell. */
const FIRST_SILENCE_MS = 1_000

/** A message keeps only the standard fields of an Error (HTML, "StructuredSerializeInternal"), so a DeskError is sent as a plain object. */
type SentError = ConstructorParameters<typeof DeskError>[0] | undefined

/** What one tab of a person's browser sends to the others. */
type Message =
  | { readonly kind: "hello" }
  /** All that is known: for tabs that know nothing, and after a whole answer. `whole` is sent where the desk has not checked every Work. */
  | {
      readonly kind: "all"
      readonly told: Told | undefined
      readonly whole: Waiting | undefined
      readonly error: SentError
    }
  | { readonly kind: "change"; readonly change: WaitingChange }
  /** The desk has told nothing new. `error`: why nothing newer can be received. */
  | { readonly kind: "unchanged"; readonly error: SentError }
  | { readonly kind: "resolved"; readonly resolved: Resolved }

/** The name of the lock and of the channel. A change of `Message` needs another name, because tabs of an older build may be open. */
const NAME = "what-waits-now"

/**
 * Keeps the query of what waits current. One tab of a browser, which holds a lock (Web Locks), asks the desk, and tells the other tabs each answer
 * (BroadcastChannel). Visible tabs queue for the lock, so that the next of them asks as soon as one closes. Hidden tabs take only a free lock. The
 * tab that shows notifications holds a lock of its own (`shell/notifications.ts`).
 *
 * @param preloaded the answer that the browser has preloaded for this page; undefined where there is none
 */
export function followWaiting(client: QueryClient, preloaded: Promise<Told | undefined>): void {
  const channel = new BroadcastChannel(ownedName(NAME))
  const tell = (message: Message) => postToTabs(channel, message)
  const now = (): WaitingNow | undefined => client.getQueryData(waitingKey)
  const ask = createAsker()
  let told: Told | undefined
  /** The last answer of a desk that had checked every Work, for `keepUnchecked`. */
  let whole: Waiting | undefined
  /** Whether this tab holds the lock, and so asks the desk. */
  let leads = false
  /** When another tab has told something last. */
  let toldAt = steadyNow() - (now() === undefined ? SILENCE_MS - FIRST_SILENCE_MS : 0)

  const show = (next: Told, error?: DeskError) => {
    told = next
    const waiting = inWords(next.answer)
    if (waiting.complete) whole = waiting
    writeWaiting(client, { waiting: keepUnchecked(whole, waiting, steadyNow()), error })
  }
  const showError = (error: DeskError | undefined) => writeWaiting(client, { waiting: now()?.waiting, error })
  const sentError = () => now()?.error && Object.assign({}, now()?.error)
  const tellAll = () => tell({ kind: "all", told, whole, error: sentError() })

  async function hear(message: Message): Promise<void> {
    if (message.kind === "resolved") return removeResolvedElsewhere(client, message.resolved)
    if (message.kind === "hello") {
      if (leads && now() !== undefined) tellAll()
      return
    }
    toldAt = steadyNow()
    if (leads) return
    if (message.kind === "change") {
      const code = await loadNext()
      const news = told && code?.readChange(told, message.change)
      if (news === undefined) tell({ kind: "hello" })
      else show(news.told)
      return
    }
    const error = message.error && new DeskError(message.error)
    if (message.kind === "unchanged" || message.told === undefined) return showError(error)
    whole = message.whole
    show(await keepEntries(told, message.told), error)
  }
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => void hear(data))

  /** Asks the desk once, and shows the answer in all tabs. Resolves with the milliseconds until the next request. */
  async function askForAll(signal: AbortSignal): Promise<number> {
    // While an error is shown, an answer at once tells that the desk is there again.
    const { outcome, pauseMs } = await ask(told, now()?.error === undefined, signal)
    if (outcome instanceof DeskError || typeof outcome === "string") {
      if (outcome !== "silent") showError(outcome === "unchanged" ? undefined : outcome)
      tell({ kind: "unchanged", error: sentError() })
    } else {
      show(outcome.told)
      if (outcome.change === undefined) tellAll()
      else tell({ kind: "change", change: outcome.change })
    }
    return pauseMs
  }

  /** The end of a `Retry-After` that some tab has met. Before that no tab asks. */
  const mayAskAt = () => now()?.error?.retryAt ?? 0

  /** Asks again and again while this tab has the lock and is visible, and once in a hidden tab. Resolves with the moment of the next request. */
  async function lead(signal: AbortSignal): Promise<number> {
    leads = true
    const first = await preloaded
    if (first !== undefined && told === undefined) show(first)
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
