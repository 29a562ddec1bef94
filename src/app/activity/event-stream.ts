import { HEARTBEAT_SECONDS } from "../../contract/limits.ts"
import { writePath } from "../client/api.ts"
import { callAt, steadyNow } from "../client/clock.ts"
import { DeskError } from "../client/desk-error.ts"
import { type ConnectionEnd, type EventFrame, readEventStream } from "./event-connection.ts"
import type { EventCursor } from "./event-cursor.ts"

/** Why a stream is being opened again. */
export type ReconnectReason = "cut" | "late" | "offline" | "refused" | "shown"

/** What an event stream is doing. `until` is a moment of `steadyNow`; without `until` an attempt is under way. */
export type StreamState =
  | { readonly name: "connecting" }
  | { readonly name: "live" }
  | {
      readonly name: "reconnecting"
      readonly reason: ReconnectReason
      readonly until?: number
      readonly error?: DeskError
    }
  | { readonly name: "stopped"; readonly error: DeskError }

type StreamOptions = {
  readonly workId: string
  /** The events received so far. A stream that is opened again continues after them. */
  readonly cursor: EventCursor
  readonly onEvent: (frame: EventFrame) => void
  readonly onState: (state: StreamState) => void
  /** The last refusal. The stream opens after the `Retry-After` of that refusal. */
  readonly refusal?: DeskError | undefined
}

export type EventStream = {
  /** Ends a back-off wait at once. A wait for a `Retry-After` goes on. */
  readonly tryNow: () => void
  readonly close: () => void
}

/** Without a byte for three heartbeats the connection is dead (openapi.yaml, streamWorkEvents). */
export const SILENCE_MS = 3 * HEARTBEAT_SECONDS * 1000

/**
 * Follows the events of a Work until `close` is called, or until the service refuses for good. Every event after the cursor is
 * delivered once and in order, through cuts, silence, refusals and time without a network.
 */
export function openEventStream(options: StreamOptions): EventStream {
  const { workId, cursor, onEvent, onState, refusal } = options
  const closing = new AbortController()
  const wait = createWait(closing.signal)
  let connection = new AbortController()
  let attempt = 0

  function goOffline() {
    connection.abort("offline")
  }

  function onFrame(frame: EventFrame) {
    if (!cursor.take(frame.id)) return
    attempt = 0
    onEvent(frame)
  }

  async function backOff(end: ConnectionEnd) {
    const error = end.kind === "refused" ? end.error : undefined
    const retryAfter = isWaiting(error) ? error.retryAt : undefined
    const backOffUntil = steadyNow() + reconnectDelay(attempt++)
    // The connection is closed from here only when the browser goes offline.
    const isOffline = end.kind === "closed" || (end.kind === "cut" && !navigator.onLine)
    const reason = isOffline ? "offline" : end.kind
    const state = { name: "reconnecting", reason, ...(error && { error }) } as const
    const until = retryAfter ?? backOffUntil
    onState({ ...state, until })
    await wait.until(until, retryAfter !== undefined)
    if (!closing.signal.aborted) onState(state)
  }

  function stop(error: DeskError) {
    close()
    onState({ name: "stopped", error })
  }

  async function run() {
    if (isWaiting(refusal)) {
      onState({ name: "reconnecting", reason: "refused", until: refusal.retryAt, error: refusal })
      await wait.until(refusal.retryAt, true)
    }
    while (!closing.signal.aborted) {
      connection = new AbortController()
      const end = await readEventStream({
        address: eventsAddress(workId, cursor.position()),
        silenceMs: SILENCE_MS,
        signal: AbortSignal.any([closing.signal, connection.signal]),
        onOpen: () => onState({ name: "live" }),
        onFrame,
      })
      if (closing.signal.aborted) return
      if (end.kind === "refused" && endsStream(end.error)) return stop(end.error)
      await backOff(end)
    }
  }

  function close() {
    closing.abort()
    removeEventListener("offline", goOffline)
    removeEventListener("online", wait.endEarly)
  }

  addEventListener("offline", goOffline)
  addEventListener("online", wait.endEarly)
  run().catch((error: unknown) => {
    // No browser can send this id (`writePath`).
    if (!(error instanceof DeskError)) throw error
    stop(error)
  })
  return { tryNow: wait.endEarly, close }
}

/** The address of the events of a Work after a sequence. @throws DeskError where no browser can send the id */
export function eventsAddress(workId: string, after: string): string {
  return `${writePath("/api/v1/work/{id}/events", { id: workId })}?after=${after}`
}

/** Another attempt would not help: the credential is refused, its scope is missing, or the Work is not visible. */
function endsStream(error: DeskError): boolean {
  return error.failure === "unauthenticated" || error.failure === "forbidden" || error.failure === "not-visible"
}

function isWaiting(error: DeskError | undefined): error is DeskError & { readonly retryAt: number } {
  return error?.retryAt !== undefined && error.retryAt > steadyNow()
}

/** A wait that `endEarly` ends, unless the service asked for the wait. */
function createWait(signal: AbortSignal) {
  let end: (() => void) | undefined
  let isAskedFor = false
  signal.addEventListener("abort", () => end?.())
  return {
    until: (moment: number, askedFor: boolean) =>
      new Promise<void>((resolve) => {
        isAskedFor = askedFor
        const cancel = callAt(moment, finish)
        end = finish
        function finish() {
          cancel()
          end = undefined
          resolve()
        }
      }),
    endEarly: () => {
      if (!isAskedFor) end?.()
    },
  }
}

const FIRST_MS = 800
const LONGEST_MS = 10_000
const JITTER = 0.25

/**
 * How long to wait before attempt number `attempt` (0 is the first) to connect again, in milliseconds. The first wait is shorter than a second,
 * and each wait is twice the one before, up to 10 s. Up to a quarter is taken off at random, so that many tabs do not connect at once.
 */
export function reconnectDelay(attempt: number, random = Math.random()): number {
  return Math.min(FIRST_MS * 2 ** attempt, LONGEST_MS) * (1 - JITTER * random)
}
