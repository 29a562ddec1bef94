import { useEffect, useEffectEvent } from "react"
import { stringifyJson } from "../../contract/int64.ts"
import { dataOf } from "./api.ts"
import { callAt, steadyNow } from "./clock.ts"
import { DeskError, unreachable } from "./desk-error.ts"
import { useEntry } from "./storage.ts"
import { type Intent, type IntentEntry, isFresh, sentNow } from "./stored-intent.ts"

/** What a mutation leads to: the data that the service recorded, or `held` where the desk keeps the mutation and the service has nothing. */
export type Sent<Result> = { readonly data: Result; readonly replayed: boolean } | "held"

/** Sends an input under a key. @throws DeskError */
export type SendIntent<Input, Result> = (input: Input, key: string) => Promise<Sent<Result>>

/** The data of a mutation, and whether the service had recorded its intent before (`Idempotent-Replayed`). @throws DeskError */
export async function recordedOf<Data>(
  answer: Promise<{ data?: Data; response: Response }>,
): Promise<{ data: Data; replayed: boolean }> {
  const { response } = await answer
  return { data: await dataOf(answer), replayed: response.headers.get("idempotent-replayed") === "true" }
}

export type IntentControls<Input, Result> = {
  /** What is known of the intent; undefined while nothing was sent. */
  readonly intent: Intent<Input, Result> | undefined
  /** Sends `input` once, however often it is called while a request is under way. */
  readonly send: (input: Input) => void
  /** Sends the same input again under the same key. */
  readonly sendAgain: () => void
  /** Removes the intent, for instance after a refusal. The next one has a new key. */
  readonly discard: () => void
}

/**
 * The intent of `entry`, shared by all tabs of this browser, and how to send it. The intent is sent again by itself, under the same key, after a
 * reload that aborted it, when its `Retry-After` is over, and a few times when the browser is online again. Five minutes after the person sent it
 * (`isFresh`), only the person sends it again.
 *
 * @param options `resendsAfterWait`: false where only the person sends the intent after a `Retry-After`
 */
export function useIntent<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
  options: { readonly resendsAfterWait?: boolean } = {},
): IntentControls<Input, Result> {
  const intent = useEntry(entry)
  const resend = useEffectEvent((of: typeof entry, occasion: Occasion, lock?: LockOptions) => {
    void resendIntent(of, send, occasion, lock)
  })
  const sendOnline = useEffectEvent((of: typeof entry, signal: AbortSignal) => void sendIntentOnline(of, send, signal))
  const state = intent?.state
  const retryAt = intent !== undefined && "error" in intent ? intent.error.retryAt : undefined
  const resendsAfterWait = options.resendsAfterWait ?? true

  // In the tab that sends, this resending waits for the lock of the tab's own request, and then finds another state and does nothing.
  useEffect(() => {
    if (state !== "sending") return
    const ended = new AbortController()
    resend(entry, "tab-gone", { signal: ended.signal })
    return () => ended.abort()
  }, [entry, state])

  useEffect(() => {
    if (!resendsAfterWait || state !== "waiting" || retryAt === undefined) return
    return callAt(retryAt, () => resend(entry, "wait-over"))
  }, [entry, state, retryAt, resendsAfterWait])

  useEffect(() => {
    let attempts = new AbortController()
    const online = () => {
      attempts.abort()
      attempts = new AbortController()
      sendOnline(entry, attempts.signal)
    }
    addEventListener("online", online)
    return () => {
      removeEventListener("online", online)
      attempts.abort()
    }
  }, [entry])

  return {
    intent,
    send: (input) => void sendIntent(entry, input, send),
    sendAgain: () => void resendIntent(entry, send, "person"),
    discard: () => entry.remove(),
  }
}

/** The error of the intent of `entry`, for a component that shows each error once. */
export function useIntentError(entry: Pick<IntentEntry<unknown, unknown>, "read">): DeskError | undefined {
  const intent = useEntry(entry)
  return intent !== undefined && "error" in intent ? intent.error : undefined
}

/**
 * Sends `input` as the intent of `entry`, unless a request of that intent is under way in any tab. The same input keeps its key until it is
 * recorded. Another input is another intent.
 */
export async function sendIntent<Input, Result>(
  entry: IntentEntry<Input, Result>,
  input: Input,
  send: SendIntent<Input, Result>,
): Promise<void> {
  await withLock(entry, { ifAvailable: true }, async () => {
    const before = entry.read()
    const key = before !== undefined && keepsKey(before, input) ? before.key : crypto.randomUUID()
    await attempt(entry, { state: "sending", key, input, ...sentNow() }, send)
  })
}

type AnyIntent = Intent<unknown, unknown>

/**
 * Why an intent is sent again:
 * - `person`: the person has pressed the button.
 * - `wait-over`: its `Retry-After` is over.
 * - `tab-gone`: the tab that was sending it is gone.
 * - `online`: the browser is online again. `still-online`: the attempt of `online` brought no answer.
 */
type Occasion = "person" | "wait-over" | "tab-gone" | "online" | "still-online"

type Resending = {
  readonly resends: (intent: AnyIntent) => boolean
  /** What an intent that is too old becomes, so that the person decides. Without `tooOld` the intent stays as it is. */
  readonly tooOld?: () => Pick<Extract<AnyIntent, { error: DeskError }>, "state" | "error">
}

/** Which intents an occasion sends again. Every occasion but `person` leaves an intent that is too old (not `isFresh`) to the person. */
const RESENDING: Readonly<Record<Occasion, Resending>> = {
  person: { resends: ({ state }) => state !== "recorded" },
  "wait-over": {
    resends: ({ state }) => state === "waiting",
    tooOld: () => ({ state: "refused", error: notSentInTime() }),
  },
  "tab-gone": {
    resends: ({ state }) => state === "sending",
    tooOld: () => ({ state: "unknown", error: unreachable() }),
  },
  online: { resends: ({ state }) => state === "unknown" },
  "still-online": { resends: (intent) => intent.state === "unknown" && intent.error.kind === "unreachable" },
}

/**
 * Sends the stored intent of `entry` again under its key, if `RESENDING` says so and its wait is over. With the default `lock` nothing happens
 * while a tab is sending the intent.
 */
export async function resendIntent<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
  occasion: Occasion,
  lock: LockOptions = { ifAvailable: true },
): Promise<void> {
  await withLock(entry, lock, async () => {
    const before = entry.read()
    const { resends, tooOld } = RESENDING[occasion]
    if (before === undefined || !resends(before)) return
    const { key, input, since, sentAt } = before
    const isOld = occasion !== "person" && !isFresh(before)
    if (isOld && tooOld !== undefined) entry.write({ key, input, since, sentAt, ...tooOld() })
    // Another tab may have sent the intent meanwhile, and been told to wait longer.
    const mustWait = before.state === "waiting" && steadyNow() < (before.error.retryAt ?? 0)
    if (isOld || mustWait) return
    // Only a sending by the person begins the five minutes of `isFresh` anew.
    const sent = occasion === "person" ? sentNow() : { since, sentAt }
    await attempt(entry, { state: "sending", key, input, ...sent }, send)
  })
}

/** The pauses before further attempts, because a browser may say that it is online before the network carries a request. */
const ONLINE_PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 16_000]

/**
 * Sends the intent of `entry` by itself when the browser is online again and the outcome is unknown. While no answer arrives, sends it again after
 * each pause. Aborting `signal` ends the attempts.
 */
export async function sendIntentOnline<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
  signal: AbortSignal,
): Promise<void> {
  await resendIntent(entry, send, "online")
  for (const pause of ONLINE_PAUSES_MS) {
    const intent = entry.read()
    if (intent === undefined || !isFresh(intent) || !RESENDING["still-online"].resends(intent)) return
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (signal.aborted) return
    await resendIntent(entry, send, "still-online")
  }
}

let isPageLeft = false
globalThis.addEventListener?.("pagehide", () => {
  isPageLeft = true
})
globalThis.addEventListener?.("pageshow", () => {
  isPageLeft = false
})

async function attempt<Input, Result>(
  entry: IntentEntry<Input, Result>,
  intent: Extract<Intent<Input, Result>, { state: "sending" }>,
  send: SendIntent<Input, Result>,
): Promise<void> {
  // Without its stored key, the same intent would be sent as two intents after a reload.
  if (!entry.write(intent)) return entry.writeToPage({ ...intent, state: "refused", error: notKept() })
  let after: Intent<Input, Result> | undefined
  try {
    const sent = await send(intent.input, intent.key)
    // A held approve ends the intent here: the desk says who approved, and another click is another intent.
    after = sent === "held" ? undefined : { ...intent, state: "recorded", result: sent.data, replayed: sent.replayed }
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    // A reload aborts the requests of its page. The next page finds the intent `sending`, and `tab-gone` sends it again.
    if (isPageLeft && error.kind === "unreachable") return
    after = { ...intent, state: stateAfter(error), error }
  }
  // An intent that was discarded meanwhile, in any tab, needs no answer.
  if (entry.read()?.key !== intent.key) return
  if (after === undefined) entry.remove()
  else entry.write(after)
}

function notKept(): DeskError {
  return new DeskError({
    kind: "unsent",
    title: "Nothing was sent",
    detail:
      "The browser could not keep the key that makes sending it safe: its storage is full, or is switched off. Copy what you typed, " +
      "close other tabs of Workdesk or clear the storage of this site, then send again.",
  })
}

function notSentInTime(): DeskError {
  return new DeskError({
    kind: "unsent",
    title: "Not sent",
    detail: "The service had asked to wait, and nothing was sent after that. Send it now if you still mean it.",
  })
}

function stateAfter(error: DeskError): "unknown" | "waiting" | "refused" {
  if (error.outcomeUnknown) return "unknown"
  return error.retryAt === undefined ? "refused" : "waiting"
}

function keepsKey<Input, Result>(before: Intent<Input, Result>, input: Input): boolean {
  if (before.state === "recorded" || stringifyJson(before.input) !== stringifyJson(input)) return false
  // The service has another input under this key.
  return !("error" in before && before.error.code === "IDEMPOTENCY_CONFLICT")
}

/** Lets one tab at a time work on an intent (Web Locks). The browser frees the lock when the tab ends. */
async function withLock(
  entry: { readonly name: string },
  options: LockOptions,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await navigator.locks.request(entry.name, options, async (lock) => {
      if (lock !== null) await work()
    })
  } catch (error) {
    if (options.signal?.aborted !== true) throw error
  }
}
