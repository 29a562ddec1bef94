import { HEARTBEAT_SECONDS } from "../../contract/limits.ts"
import { DeskError } from "../client/desk-error.ts"
import { type ConnectionEnd, type EventFrame, readEventStream } from "./event-connection.ts"
import type { EventCursor } from "./event-cursor.ts"
import { reconnectDelay } from "./reconnect-delay.ts"

/** Why a stream is being opened again. */
export type ReconnectReason = "cut" | "late" | "offline" | "refused" | "shown"

/**
 * What an event stream is doing. `until` is on the clock of `performance.now()`, which nobody can set back; without it a
 * try is under way.
 */
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

/** A `Retry-After` that has not passed, on the clock of `performance.now()`. */
export type Barred = { readonly until: number; readonly error: DeskError }

type StreamOptions = {
  readonly workId: string
  /** What was taken in so far; a stream that is opened again goes on after it. */
  readonly cursor: EventCursor
  readonly onEvent: (frame: EventFrame) => void
  readonly onState: (state: StreamState) => void
  /** What the service asked for when the stream was open before. */
  readonly barred?: Barred | undefined
  /** How long no byte may come, in milliseconds. */
  readonly silenceMs?: number
}

export type EventStream = {
  /** Tries at once instead of waiting; a `Retry-After` is waited for all the same. */
  readonly hurry: () => void
  readonly close: () => void
}

/** No bytes for three heartbeats is a connection that is dead without saying so (API specification, Events 4). */
export const SILENCE_MS = 3 * HEARTBEAT_SECONDS * 1000

/** Asking again would change nothing: the credential, its scope, or the Work is not there. */
const STOPPING_STATUS: ReadonlySet<number | undefined> = new Set([401, 403, 404])

/**
 * Follows the events of a Work until it is closed or refused for good: every event after the cursor once and in order,
 * through cuts, silence, refusals and time without a network (design, "What must be true" 6).
 */
export function openEventStream(options: StreamOptions): EventStream {
  const { workId, cursor, onEvent, onState, barred, silenceMs = SILENCE_MS } = options
  const closing = new AbortController()
  const wait = createWait(closing.signal)
  let connection = new AbortController()
  let attempt = 0

  function goOffline() {
    connection.abort("offline")
  }

  function takeIn(frame: EventFrame) {
    if (!cursor.take(frame.id)) return
    attempt = 0
    onEvent(frame)
  }

  /** Tells why, waits, and says that the next try is under way. */
  async function waitAfter(end: ConnectionEnd) {
    const error = end.kind === "refused" ? end.error : undefined
    const asked = error?.retryAt === undefined ? 0 : error.retryAt - Date.now()
    const backoff = reconnectDelay(attempt++)
    const delay = asked > 0 ? asked : backoff
    const offline = end.kind === "closed" || (end.kind === "cut" && !navigator.onLine)
    const reason = offline ? "offline" : end.kind
    const state = { name: "reconnecting", reason, ...(error && { error }) } as const
    onState({ ...state, until: performance.now() + delay })
    await wait.for(delay, asked > 0)
    if (!closing.signal.aborted) onState(state)
  }

  /** The service asked for a pause before this stream was opened: it counts all the same. */
  async function waitUntil({ until, error }: Barred) {
    onState({ name: "reconnecting", reason: "refused", until, error })
    await wait.for(until - performance.now(), true)
  }

  function stop(error: DeskError) {
    close()
    onState({ name: "stopped", error })
  }

  async function run() {
    // The browser itself would take these out of the path (URL standard, path state).
    if (/^\.{0,2}$/.test(workId)) return stop(unaddressable(workId))
    if (barred !== undefined && barred.until > performance.now()) await waitUntil(barred)
    while (!closing.signal.aborted) {
      connection = new AbortController()
      const end = await readEventStream({
        address: eventsAddress(workId, cursor.position()),
        silenceMs,
        signal: AbortSignal.any([closing.signal, connection.signal]),
        onOpen: () => onState({ name: "live" }),
        onFrame: takeIn,
      })
      if (closing.signal.aborted) return
      if (end.kind === "refused" && STOPPING_STATUS.has(end.error.status)) {
        return stop(end.error)
      }
      await waitAfter(end)
    }
  }

  function close() {
    closing.abort()
    removeEventListener("offline", goOffline)
    removeEventListener("online", wait.hurry)
  }

  addEventListener("offline", goOffline)
  addEventListener("online", wait.hurry)
  void run()
  return { hurry: wait.hurry, close }
}

/** Where the events of a Work after a sequence are. */
export function eventsAddress(workId: string, after: string): string {
  return `/api/v1/work/${encodeURIComponent(workId)}/events?after=${after}`
}

/** A wait that can be cut short, unless the service asked for it. */
function createWait(signal: AbortSignal) {
  let end: (() => void) | undefined
  let isAskedFor = false
  signal.addEventListener("abort", () => end?.())
  return {
    for: (ms: number, askedFor: boolean) =>
      new Promise<void>((resolve) => {
        isAskedFor = askedFor
        const timer = setTimeout(finish, ms)
        end = finish
        function finish() {
          clearTimeout(timer)
          end = undefined
          resolve()
        }
      }),
    hurry: () => {
      if (!isAskedFor) end?.()
    },
  }
}

function unaddressable(workId: string): DeskError {
  return new DeskError({
    kind: "unaddressable",
    title: "This cannot be followed",
    detail: `A browser cannot ask for a Work whose id is "${workId}".`,
    code: "",
    retryable: false,
  })
}
