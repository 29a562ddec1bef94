import type { QueryClient } from "@tanstack/react-query"
import type { WaitingChange } from "../../contract/waiting-change.ts"
import { createAsker, HIDDEN_MS, keepEntries, loadNext } from "./ask-waiting.ts"
import { callAt, steadyNow } from "./clock.ts"
import { DeskError } from "./desk-error.ts"
import { isLocked, postToTabs } from "./session.ts"
import { ownedName } from "./storage.ts"
import {
  inWords,
  keepUnchecked,
  lastResolved,
  removeResolvedElsewhere,
  type Resolved,
  type AnsweredWaiting,
  type Waiting,
  waitingKey,
  type WaitingNow,
  writeWaiting,
} from "./waiting.ts"

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
      readonly told: AnsweredWaiting | undefined
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
 * Keeps the query of pending items current. One tab of a browser, which holds a lock (Web Locks), asks the desk, and tells the other tabs each answer
 * (BroadcastChannel). Visible tabs queue for the lock, so that the next of them asks as soon as one closes. Hidden tabs take only a free lock. The
 * tab that shows notifications holds a lock of its own (`shell/notifications.ts`).
 *
 * @param preloaded the answer that the browser has preloaded for this page; undefined where there is none
 */
export function followWaiting(client: QueryClient, preloaded: Promise<AnsweredWaiting | undefined>): void {
  const channel = new BroadcastChannel(ownedName(NAME))
  const tell = (message: Message) => postToTabs(channel, message)
  const now = (): WaitingNow | undefined => client.getQueryData(waitingKey)
  const ask = createAsker()
  let told: AnsweredWaiting | undefined
  /** The last answer of a desk that had checked every Work, for `keepUnchecked`. */
  let whole: Waiting | undefined
  /** Whether this tab holds the lock, and so asks the desk. */
  let leads = false
  /** When another tab has told something last. */
  let toldAt = steadyNow() - (now() === undefined ? SILENCE_MS - FIRST_SILENCE_MS : 0)

  const show = (next: AnsweredWaiting, error?: DeskError) => {
    told = next
    const waiting = inWords(next.answer)
    if (waiting.complete) whole = waiting
    writeWaiting(client, { waiting: keepUnchecked(whole, waiting, steadyNow()), error })
  }
  const showError = (error: DeskError | undefined) => writeWaiting(client, { waiting: now()?.waiting, error })
  const sentError = () => now()?.error && Object.assign({}, now()?.error)
  const notifyAll = () => tell({ kind: "all", told, whole, error: sentError() })

  async function hear(message: Message): Promise<void> {
    if (message.kind === "resolved") return removeResolvedElsewhere(client, message.resolved)
    if (message.kind === "hello") {
      if (leads && now() !== undefined) notifyAll()
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
      if (outcome.change === undefined) notifyAll()
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
