import { useEffect, useMemo, useRef } from "react"
import type { DeskError } from "./desk-error.ts"
import {
  discardIntent,
  type Intent,
  intentName,
  parseIntent,
  resumeIntent,
  type SendIntent,
  sendIntent,
  sendIntentAgain,
} from "./intent.ts"
import { useStored } from "./stored.ts"

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
 * The intent of `slot` (such as `approval/<work>/<approval>`), shared by all tabs of this browser. By itself, and always
 * under the same key, it is sent again after a reload that cut it off, when its `Retry-After` has passed (unless
 * `resumes` is false), and when the browser is online again.
 */
export function useIntent<Input, Result>(
  slot: string,
  send: SendIntent<Input, Result>,
  options: { readonly resumes?: boolean } = {},
): IntentControls<Input, Result> {
  const text = useStored(intentName(slot))
  const intent = useMemo(() => parseIntent<Input, Result>(text), [text])
  const latestSend = useRef(send)
  useEffect(() => {
    latestSend.current = send
  })

  const state = intent?.state
  const retryAt = intent !== undefined && "error" in intent ? intent.error.retryAt : undefined
  const resumes = options.resumes ?? true

  useEffect(() => {
    if (state !== "sending") return
    const leaving = new AbortController()
    void resumeIntent<Input, Result>(slot, (input, key) => latestSend.current(input, key), leaving.signal)
    return () => leaving.abort()
  }, [slot, state])

  useEffect(() => {
    if (!resumes || state !== "waiting" || retryAt === undefined) return
    const again = () => void sendIntentAgain<Input, Result>(slot, (input, key) => latestSend.current(input, key))
    // A timer may come a moment early, and one beyond the range of a timer would come at once.
    const timer = setTimeout(again, Math.min(Math.max(retryAt - Date.now(), 0) + 50, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  }, [slot, state, retryAt, resumes])

  useEffect(() => {
    if (state !== "unknown") return
    const again = () => void sendIntentAgain<Input, Result>(slot, (input, key) => latestSend.current(input, key))
    addEventListener("online", again)
    return () => removeEventListener("online", again)
  }, [slot, state])

  return useMemo(
    () => ({
      intent,
      send: (input) => void sendIntent<Input, Result>(slot, input, (input, key) => latestSend.current(input, key)),
      sendAgain: () => void sendIntentAgain<Input, Result>(slot, (input, key) => latestSend.current(input, key)),
      discard: () => discardIntent(slot),
    }),
    [slot, intent],
  )
}

/** What went wrong with the intent of `slot`, for what shows each error once. */
export function useIntentError(slot: string): DeskError | undefined {
  const text = useStored(intentName(slot))
  return useMemo(() => {
    const intent = parseIntent(text)
    return intent !== undefined && "error" in intent ? intent.error : undefined
  }, [text])
}
