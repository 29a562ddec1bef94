import type { QueryClient } from "@tanstack/react-query"
import { callAt, steadyNow } from "./clock.ts"
import { DeskError, unreadable } from "./desk-error.ts"
import { askDesk, jsonOf } from "./desk-request.ts"
import { ownedName } from "./storage.ts"
import { postToTabs } from "./post-to-tabs.ts"
import { holdWhileVisible, isSomeTabVisible } from "./visible-tabs.ts"
import {
  keepUnchecked,
  onResolved,
  readWaiting,
  type Resolved,
  removeResolvedElsewhere,
  type Waiting,
  waitingKey,
  type WaitingNow,
  writeWaiting,
} from "./waiting.ts"
import { FIRST_PACE, HIDDEN_MS, mayHold, paceAfter } from "./waiting-pace.ts"

/** How long the desk may hold a request until something changes: its `wait` parameter, which is 25 s at most. */
const WAIT_SECONDS = 25
/** A held request has ten seconds more than the desk may hold it. */
const TIMEOUT_MS = (WAIT_SECONDS + 10) * 1000
/** How long a new tab waits for another tab to send what waits. Then it asks the desk itself. */
const SILENCE_MS = 1_000

/**
 * What waits, as one tab sends it to another. A message keeps only the standard fields of an Error (HTML, "StructuredSerializeInternal"), so a
 * DeskError is sent as a plain object.
 */
type SentNow = {
  readonly waiting: Waiting | undefined
  readonly error: ConstructorParameters<typeof DeskError>[0] | undefined
}

/** What one tab of a person's browser sends to the others. */
type Message =
  | { readonly kind: "hello" | "shown" }
  | { readonly kind: "news"; readonly now: SentNow; readonly etag: string | undefined }
  | { readonly kind: "resolved"; readonly resolved: Resolved }

/** The name of the lock and of the channel. A change of `Message` needs another name, because tabs of an older build may be open. */
const NAME = "what-waits"

/**
 * Keeps the query of what waits current. One tab of a browser, which holds a lock (Web Locks), asks the desk and sends each answer to the other
 * tabs (BroadcastChannel). When that tab closes, the browser gives the lock to another tab. The tab that shows notifications holds a lock of its
 * own (`shell/notifications.ts`). Returns a function that stops this.
 */
export function followWaiting(client: QueryClient): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const channel = new BroadcastChannel(ownedName(NAME))
  const tell = (message: Message) => postToTabs(channel, message)
  const wake = new EventTarget()
  /** The last answer of a desk that had checked every Work, for `keepUnchecked`. */
  let whole: Waiting | undefined
  let etag: string | undefined
  /** Whether this tab holds the lock, and so asks the desk. */
  let leads = false

  const now = (): WaitingNow | undefined => client.getQueryData(waitingKey)
  const showHere = (next: WaitingNow) => {
    if (next.waiting?.complete === true) whole = next.waiting
    writeWaiting(client, next)
  }
  const showInAllTabs = (next: WaitingNow) => {
    showHere(next)
    if (leads) tell({ kind: "news", now: toSend(next), etag })
  }

  channel.addEventListener("message", ({ data: message }: MessageEvent<Message>) => {
    if (message.kind === "resolved") return removeResolvedElsewhere(client, message.resolved)
    if (message.kind === "news") {
      if (leads) return
      etag = message.etag
      const { waiting, error } = message.now
      return showHere({ waiting, error: error && new DeskError(error) })
    }
    // A new tab, or a tab that became visible, speaks to the tab that asks the desk.
    if (!leads) return
    const known = now()
    if (message.kind === "hello" && known !== undefined) tell({ kind: "news", now: toSend(known), etag })
    if (message.kind === "shown") wake.dispatchEvent(new Event("wake"))
  })

  /** Asks the desk once. With `wait` the desk holds the request until something changes. @throws DeskError */
  async function ask(wait: boolean): Promise<"changed" | "unchanged"> {
    const response = await askDesk(
      wait ? `/desk/waiting?wait=${String(WAIT_SECONDS)}` : "/desk/waiting",
      // The cache of the browser would answer a 304 with an older body.
      { signal, cache: "no-store", headers: etag === undefined ? {} : { "if-none-match": etag } },
      TIMEOUT_MS,
    )
    if (response.status === 304) {
      const known = now()
      if (known?.error !== undefined) showInAllTabs({ ...known, error: undefined })
      return "unchanged"
    }
    const answer = readWaiting(await jsonOf(response))
    // A network with a sign-in page of its own answers 200 for every address.
    if (answer === undefined) throw unreadable(response)
    etag = response.headers.get("etag") ?? undefined
    showInAllTabs({ waiting: keepUnchecked(whole, answer, steadyNow()), error: undefined })
    return "changed"
  }

  /** Asks the desk again and again, in the tab that holds the lock. */
  async function lead(): Promise<void> {
    let pace = FIRST_PACE
    while (!signal.aborted) {
      const askedAt = steadyNow()
      const wait = etag !== undefined && mayHold(pace, askedAt)
      const outcome = await ask(wait).catch((error: unknown) => {
        if (error instanceof DeskError) return error
        throw error
      })
      const endedAt = steadyNow()
      const next = paceAfter(pace, {
        wait,
        outcome,
        tookMs: endedAt - askedAt,
        endedAt,
        hasAnswer: etag !== undefined,
        isShown: await isSomeTabVisible(),
      })
      pace = next.pace
      if (next.error !== undefined) showInAllTabs({ waiting: now()?.waiting, error: next.error })
      await sleep(next.pauseMs, signal, wake)
    }
  }

  void navigator.locks
    .request(ownedName(NAME), { signal }, () => {
      leads = true
      return lead()
    })
    .catch(() => undefined)
  const endHolding = holdWhileVisible(() => tell({ kind: "shown" }))
  const endResolved = onResolved((item) => tell({ kind: "resolved", resolved: item }))
  tell({ kind: "hello" })
  const silence = setTimeout(() => {
    if (!leads && now() === undefined) ask(false).catch(() => undefined)
  }, SILENCE_MS)

  return () => {
    clearTimeout(silence)
    endHolding()
    endResolved()
    ending.abort()
    channel.close()
  }
}

function toSend({ waiting, error }: WaitingNow): SentNow {
  return { waiting, error: error && Object.assign({}, error) }
}

/** Waits for `ms` milliseconds, or until a tab becomes visible. */
function sleep(ms: number, signal: AbortSignal, wake: EventTarget): Promise<void> {
  return new Promise((resolve) => {
    // Browsers delay the timers of hidden tabs, so no timer is set where there is nothing to wait for.
    if (ms <= 0) return resolve()
    const ended = new AbortController()
    const end = () => {
      cancel()
      ended.abort()
      resolve()
    }
    const cancel = callAt(steadyNow() + ms, end)
    const until = { signal: ended.signal }
    signal.addEventListener("abort", end, until)
    // A longer pause than that of hidden tabs follows a failure, and never ends early.
    if (ms > HIDDEN_MS) return
    wake.addEventListener("wake", end, until)
    document.addEventListener("visibilitychange", end, until)
  })
}
