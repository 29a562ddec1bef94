/** Sends an intent: once across all tabs, under one Idempotency-Key, with its outcome stored. */
import { useEffect } from "react"
import { stringifyJson } from "../../contract/int64.ts"
import type { Reader } from "./check-resource.ts"
import { steadyNow } from "./clock.ts"
import { DeskError, unreachable, unreadable } from "./desk-error.ts"
import { onStorageChange, useEntry } from "./storage.ts"
import { type Intent, type IntentEntry, retryAtOf } from "./stored-intent.ts"

/** What a mutation leads to: the data that the service confirmed, or `held` where the desk keeps the mutation and the service has nothing. */
export type Sent<Result> = { readonly data: Result; readonly replayed: boolean } | "held"

/** Sends an input under a key. @throws DeskError */
export type SendIntent<Input, Result> = (input: Input, key: string) => Promise<Sent<Result>>

/** The checked data of a mutation, and whether the service had already received its intent (`Idempotent-Replayed`). @throws DeskError */
export async function confirmedOf<Data>(
  answer: Promise<{ data?: unknown; response: Response }>,
  read: Reader<Data>,
): Promise<{ data: Data; replayed: boolean }> {
  const { data: given, response } = await answer
  const data = read(given)
  if (data === undefined) throw unreadable(response)
  return { data, replayed: response.headers.get("idempotent-replayed") === "true" }
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

/** The intent of `entry`, shared by all tabs of this browser, and how to send it. Only a click or a key of the person sends anything. */
export function useIntent<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
): IntentControls<Input, Result> {
  const intent = useEntry(entry)
  const isSending = intent?.state === "sending"
  // The tab that sends holds the lock. So whoever gets the lock while the intent is `sending` knows that its tab is gone.
  useEffect(() => {
    if (!isSending) return
    const ended = new AbortController()
    void withLock(entry, { signal: ended.signal }, () => endAttemptOfGoneTab(entry))
    return () => ended.abort()
  }, [entry, isSending])
  return {
    intent,
    send: (input) => void sendIntent(entry, input, send),
    sendAgain: () => void sendIntentAgain(entry, send),
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
 * confirmed. Another input is another intent.
 */
export async function sendIntent<Input, Result>(
  entry: IntentEntry<Input, Result>,
  input: Input,
  send: SendIntent<Input, Result>,
): Promise<void> {
  await withLock(entry, { ifAvailable: true }, async () => {
    const before = entry.read()
    const isSame = before !== undefined && keepsKey(before, input)
    if (isSame && mustWait(before)) return
    await attempt(entry, isSame ? before.key : crypto.randomUUID(), input, send)
  })
}

/** Sends the stored intent of `entry` again under its key, unless it is confirmed, its wait is not over, or a tab is sending it. */
export async function sendIntentAgain<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
): Promise<void> {
  await withLock(entry, { ifAvailable: true }, async () => {
    const before = entry.read()
    if (before === undefined || before.state === "confirmed" || mustWait(before)) return
    await attempt(entry, before.key, before.input, send)
  })
}

/**
 * Calls `listener` after each change of the storage, also of another tab. Where the tab that was sending one of `entries` is gone, its intent becomes
 * `unknown`. Returns a function that stops both.
 */
export function followIntents<Input, Result>(
  entries: readonly IntentEntry<Input, Result>[],
  listener: () => void,
): () => void {
  const ended = new AbortController()
  const awaited = new Set<string>()
  const look = () => {
    for (const entry of entries) {
      if (awaited.has(entry.name) || entry.read()?.state !== "sending") continue
      awaited.add(entry.name)
      // As in `useIntent`: whoever gets the lock while the intent is `sending` knows that its tab is gone.
      void withLock(entry, { signal: ended.signal }, () => endAttemptOfGoneTab(entry)).finally(() => {
        awaited.delete(entry.name)
      })
    }
  }
  look()
  const stop = onStorageChange(() => {
    look()
    listener()
  })
  return () => {
    stop()
    ended.abort()
  }
}

/** Says that the outcome is unknown where the tab that was sending the intent is gone. To be called with the lock of the intent. */
export async function endAttemptOfGoneTab<Input, Result>(entry: IntentEntry<Input, Result>): Promise<void> {
  const before = entry.read()
  if (before?.state === "sending") entry.write({ ...before, since: Date.now(), state: "unknown", error: unreachable() })
}

async function attempt<Input, Result>(
  entry: IntentEntry<Input, Result>,
  key: string,
  input: Input,
  send: SendIntent<Input, Result>,
): Promise<void> {
  const intent = { key, input, since: Date.now() }
  // Without its stored key, the same intent would be sent as two intents after a reload.
  if (!entry.write({ ...intent, state: "sending" }))
    return entry.writeToPage({ ...intent, state: "refused", error: notKept() })
  const outcome = await outcomeOf(send(input, key))
  // The answer no longer matters if any tab has discarded the intent.
  if (entry.read()?.key !== key) return
  // The desk says who approved what it holds, and another click is another intent.
  if (outcome === "held") return entry.remove()
  const after = { ...intent, since: Date.now(), ...outcome }
  if (entry.write(after)) return
  // The storage is full, and still says `sending`. The next page takes that for `unknown`, which is true of an unknown outcome only.
  if (after.state === "unknown") return
  // Any other outcome is kept by this page alone.
  entry.remove()
  entry.writeToPage(after)
}

async function outcomeOf<Result>(sending: Promise<Sent<Result>>) {
  try {
    const sent = await sending
    return sent === "held" ? sent : ({ state: "confirmed", result: sent.data, replayed: sent.replayed } as const)
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    return { state: error.outcomeUnknown ? "unknown" : "refused", error } as const
  }
}

function notKept(): DeskError {
  return new DeskError({
    kind: "unsent",
    title: "Nothing was sent",
    detail:
      "The browser's storage is full or switched off, so nothing can be sent safely. Copy what you typed, free up some storage for this site, then send it again.",
  })
}

function mustWait(intent: Intent<unknown, unknown>): boolean {
  return steadyNow() < (retryAtOf(intent) ?? 0)
}

function keepsKey<Input, Result>(before: Intent<Input, Result>, input: Input): boolean {
  if (before.state === "confirmed" || stringifyJson(before.input) !== stringifyJson(input)) return false
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
