import { useEffect, useMemo, useRef } from "react"
import { callAt } from "./clock.ts"
import type { DeskError } from "./desk-error.ts"
import {
  type Intent,
  type IntentEntry,
  resumeIntent,
  type SendIntent,
  sendIntent,
  sendIntentAgain,
  sendIntentByItself,
} from "./intent.ts"
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

/**
 * The intent of `entry`, shared by all tabs of this browser. It is sent again without the person, always under the same key: after a reload
 * that aborted it, when its `Retry-After` is over (unless `resumes` is false), and when the browser is online again. An intent that was
 * sent last more than a few minutes ago is not sent again without the person.
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
    return callAt(retryAt, () => void sendIntentByItself(entry, latestSend.current))
  }, [entry, state, retryAt, resumes])

  useEffect(() => {
    if (state !== "unknown") return
    const again = () => void sendIntentByItself(entry, latestSend.current)
    addEventListener("online", again)
    return () => removeEventListener("online", again)
  }, [entry, state])

  return { intent, ...act }
}

/** The error of the intent of `entry`, for a component that shows each error once. */
export function useIntentError(entry: Pick<IntentEntry<unknown, unknown>, "read">): DeskError | undefined {
  const intent = useEntry(entry)
  return intent !== undefined && "error" in intent ? intent.error : undefined
}
