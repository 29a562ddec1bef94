/** Keeps the pending items current: one tab of a browser asks the desk for all tabs. */
import type { QueryClient } from "@tanstack/react-query"
import type { WaitingChange } from "../../contract/waiting-change.ts"
import { createAsker, HIDDEN_MS, loadChangeCode, reuseEntries } from "./ask-waiting.ts"
import { callAt, steadyNow } from "./clock.ts"
import { DeskError } from "./desk-error.ts"
import { isLocked, postToTabs } from "./session.ts"
import { ownedName } from "./storage.ts"
import { keepUnchecked } from "./keep-unchecked.ts"
import { toWaiting, type AnsweredWaiting, type Waiting, waitingKey, type WaitingNow } from "./waiting.ts"
import { lastResolved, removeResolvedElsewhere, type ResolvedItem, writeWaiting } from "./write-waiting.ts"

/** A visible tab that gets no message for this time takes the lock: the tab that holds it is blocked, for instance by a print dialog. */
const SILENCE_MS = 40_000
/** A new tab that knows nothing waits this long for another tab's answer. */
const FIRST_SILENCE_MS = 1_000

/** A message keeps only the standard fields of an Error (HTML, "StructuredSerializeInternal"), so a DeskError is sent as a plain object. */
type SentError = ConstructorParameters<typeof DeskError>[0] | undefined

/** What one tab of a person's browser sends to the others. */
type Message =
  | { readonly kind: "hello" }
  /** Everything that is known: for tabs that know nothing, and after a whole answer. `whole`: the last answer of a desk that had checked every Work. */
  | {
      readonly kind: "all"
      readonly known: AnsweredWaiting | undefined
      readonly whole: Waiting | undefined
      readonly error: SentError
    }
  | { readonly kind: "change"; readonly change: WaitingChange }
  /** The desk has sent nothing new. `error`: why not, if a request failed. */
  | { readonly kind: "unchanged"; readonly error: SentError }
  | { readonly kind: "resolved"; readonly resolved: ResolvedItem }

/** The name of the lock and of the channel. A change of `Message` needs another name, because tabs of an older build may be open. */
const NAME = "pending-items"

/**
 * Keeps the query of pending items current. The tab that holds a lock (Web Locks) leads: it asks the desk, and posts each answer to the other tabs
 * (BroadcastChannel). Visible tabs queue for the lock, so that the next one leads as soon as one closes. Hidden tabs take only a free lock. The tab
 * that shows notifications holds a lock of its own (`shell/notifications.ts`).
 *
 * @param preloaded the answer that the browser has preloaded for this page; undefined where there is none
 */
export function followWaiting(client: QueryClient, preloaded: Promise<AnsweredWaiting | undefined>): void {
  const channel = new BroadcastChannel(ownedName(NAME))
  const post = (message: Message) => postToTabs(channel, message)
  const now = (): WaitingNow | undefined => client.getQueryData(waitingKey)
  const ask = createAsker()
  let known: AnsweredWaiting | undefined
  /** The last answer of a desk that had checked every Work, for `keepUnchecked`. */
  let whole: Waiting | undefined
  /** Whether this tab holds the lock. */
  let leads = false
  /** When another tab last posted something. */
  let heardAt = steadyNow() - (now() === undefined ? SILENCE_MS - FIRST_SILENCE_MS : 0)

  const show = (next: AnsweredWaiting, error?: DeskError) => {
    const before = known
    known = next
    if (before !== undefined) void loadChangeCode().then((code) => code?.readPermissions(client, before, next))
    const waiting = toWaiting(next.answer)
    if (waiting.complete) whole = waiting
    writeWaiting(client, { waiting: keepUnchecked(whole, waiting, steadyNow()), error })
  }
  const showError = (error: DeskError | undefined) => writeWaiting(client, { waiting: now()?.waiting, error })
  const sentError = () => now()?.error && Object.assign({}, now()?.error)
  const postAll = () => post({ kind: "all", known, whole, error: sentError() })

  async function onMessage(message: Message): Promise<void> {
    if (message.kind === "resolved") return removeResolvedElsewhere(client, message.resolved)
    if (message.kind === "hello") {
      if (leads && now() !== undefined) postAll()
      return
    }
    heardAt = steadyNow()
    if (leads) return
    if (message.kind === "change") {
      const code = await loadChangeCode()
      const update = known && code?.readChange(known, message.change)
      if (update === undefined) post({ kind: "hello" })
      else show(update.next)
      return
    }
    const error = message.error && new DeskError(message.error)
    if (message.kind === "unchanged" || message.known === undefined) return showError(error)
    whole = message.whole
    show(await reuseEntries(known, message.known), error)
  }
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => void onMessage(data))

  /** Asks the desk once, and shows the answer in all tabs. Resolves with the milliseconds until the next request. */
  async function askForAll(signal: AbortSignal): Promise<number> {
    // While an error is shown, the desk answers at once, so that the page learns early that the desk is back.
    const { outcome, pauseMs } = await ask(known, now()?.error === undefined, signal)
    if (outcome instanceof DeskError || typeof outcome === "string") {
      if (outcome !== "inconclusive") showError(outcome === "unchanged" ? undefined : outcome)
      post({ kind: "unchanged", error: sentError() })
    } else {
      show(outcome.next)
      if (outcome.change === undefined) postAll()
      else post({ kind: "change", change: outcome.change })
    }
    return pauseMs
  }

  /** The end of a `Retry-After` that a tab has received. No tab asks before that. */
  const mayAskAt = () => now()?.error?.retryAt ?? 0

  /** Asks repeatedly while this tab has the lock and is visible, and once in a hidden tab. Resolves with the time of the next request. */
  async function lead(signal: AbortSignal): Promise<number> {
    leads = true
    const first = await preloaded
    if (first !== undefined && known === undefined) show(first)
    let nextAt = mayAskAt()
    while (await waitUntil(nextAt, signal)) {
      nextAt = steadyNow() + (await askForAll(signal))
      if (document.hidden) break
    }
    return nextAt
  }

  /** Leads as soon as this tab has the lock. Resolves with undefined if the tab doesn't get the lock, or another tab steals it. */
  async function leadWithLock(options: LockOptions, signal: AbortSignal): Promise<number | undefined> {
    try {
      return await navigator.locks.request(ownedName(NAME), options, (lock) =>
        lock === null ? undefined : lead(signal),
      )
    } catch (error) {
      if (!(error instanceof DOMException)) throw error
      const isStolen = !signal.aborted
      if (isStolen) {
        // While this tab was blocked, the other tab has learned more.
        heardAt = steadyNow()
        post({ kind: "hello" })
      }
      return undefined
    } finally {
      leads = false
    }
  }

  /** Asks once if no tab has posted anything for `HIDDEN_MS` and the lock is free. Resolves with the time of the next request. */
  async function followHidden(nextAt: number, signal: AbortSignal): Promise<number> {
    const isDue = await waitUntil(Math.max(nextAt, heardAt + HIDDEN_MS, mayAskAt()), signal)
    if (!isDue) return nextAt
    return (await leadWithLock({ ifAvailable: true }, signal)) ?? steadyNow() + HIDDEN_MS
  }

  /** Queues for the lock, or takes it from a tab that is silent. Leads until this tab is hidden. */
  async function followVisible(attempt: AbortController): Promise<number> {
    const { signal } = attempt
    const silentAt = Math.max(heardAt, mayAskAt()) + SILENCE_MS
    if (steadyNow() >= silentAt) return (await leadWithLock({ steal: true }, signal)) ?? 0
    // The tab queues until it is hidden, or until the leading tab falls silent.
    void waitUntil(silentAt, signal).then(() => leads || attempt.abort())
    return (await leadWithLock({ signal }, signal)) ?? 0
  }

  async function follow(): Promise<never> {
    let nextAt = 0
    for (;;) {
      const attempt = new AbortController()
      // While the page is locked, no tab asks, so silence means nothing.
      if (isLocked()) heardAt = steadyNow()
      nextAt = await (document.hidden ? followHidden(nextAt, attempt.signal) : followVisible(attempt))
      attempt.abort()
    }
  }

  void follow()
  lastResolved.subscribe(() => {
    const resolved = lastResolved.get()
    if (resolved !== undefined) post({ kind: "resolved", resolved })
  })
  post({ kind: "hello" })
}

/** Waits until `moment`. Resolves with false if the tab is shown or hidden, or `signal` aborts, before that. */
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
