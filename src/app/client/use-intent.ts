import { useEffect, useMemo, useRef } from "react"
import type { DeskError } from "./desk-error.ts"
import { type Intent, type IntentEntry, resumeIntent, type SendIntent, sendIntent, sendIntentAgain } from "./intent.ts"
import { useEntry } from "./storage.ts"

export type IntentControls<Input, Result> = {
  /** What is known of the intent; undefined while nothing was sent. */
  readonly intent: Intent<Input, Result> | undefined
  /** Sends `input` once, however often it is called while a request is under way. */
  readonly send: (input: Input) => void
  /** Sends the same input again under the same key. */
  readonly sendAgain: () => void
  /** Forgets the intent, for instance to begin anew after a refusal. */
  readonly discard: () => void
}

const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * The intent of `entry`, shared by all tabs of this browser. By itself, and always under the same key, it is sent again after a
 * reload that cut it off, when its `Retry-After` has passed (unless `resumes` is false), and when the browser is online again.
 */
export function useIntent<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
  options: { readonly resumes?: boolean } = {},
): IntentControls<Input, Result> {
  const intent = useEntry(entry)
  const latestSend = useRef(send)
  useEffect(() => {
    latestSend.current = send
  })
  const act = useMemo(
    () => ({
      send: (input: Input) => void sendIntent(entry, input, latestSend.current),
      sendAgain: () => void sendIntentAgain(entry, latestSend.current),
      discard: () => entry.remove(),
    }),
    [entry],
  )

  const state = intent?.state
  const retryAt = intent !== undefined && "error" in intent ? intent.error.retryAt : undefined
  const resumes = options.resumes ?? true

  useEffect(() => {
    if (state !== "sending") return
    const leaving = new AbortController()
    void resumeIntent(entry, latestSend.current, leaving.signal)
    return () => leaving.abort()
  }, [entry, state])

  useEffect(() => {
    if (!resumes || state !== "waiting" || retryAt === undefined) return
    // A timer may come a moment early, and one beyond the range of a timer would come at once.
    const timer = setTimeout(act.sendAgain, Math.min(Math.max(retryAt - Date.now(), 0) + 50, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  }, [act, state, retryAt, resumes])

  useEffect(() => {
    if (state !== "unknown") return
    addEventListener("online", act.sendAgain)
    return () => removeEventListener("online", act.sendAgain)
  }, [act, state])

  return { intent, ...act }
}

/** What went wrong with the intent of `entry`, for what shows each error once. */
export function useIntentError(entry: Pick<IntentEntry<unknown, unknown>, "read">): DeskError | undefined {
  const intent = useEntry(entry)
  return intent !== undefined && "error" in intent ? intent.error : undefined
}
