import { createEventCursor, readSequence } from "./event-cursor.ts"
import { type EventFrame, readEventStream } from "./event-connection.ts"
import { type Barred, type EventStream, eventsAddress, openEventStream, type StreamState } from "./event-stream.ts"
import { isHidden } from "./page-visibility.ts"
import { claimStreamSlot, type StreamSlot } from "./stream-slot.ts"

/** What the feed of a tab is doing. `paused` has no stream: nobody looks, or other windows of this browser have all four. */
export type FollowState = StreamState | { readonly name: "paused"; readonly reason: "hidden" | "elsewhere" }

export type WorkFollower = {
  readonly state: () => FollowState
  readonly subscribe: (listener: () => void) => () => void
  /** Tries at once: after a stop, instead of a wait, or where another window has the stream. */
  readonly tryNow: () => void
  /**
   * Reads the events after one sequence and before another, `limit` at most, oldest first. The tab's own stream is set aside
   * meanwhile, for a browser holds few. Undefined where it could not be read.
   */
  readonly readPast: (after: bigint, before: bigint, limit: number) => Promise<readonly EventFrame[] | undefined>
  /** Begins, or goes on after what was taken in before. Returns the end of it. */
  readonly start: () => () => void
}

/** How long a hidden tab keeps its stream. */
const HIDDEN_MS = 60_000
/** The past is there already: what does not come within this time does not come. */
const PAST_SILENCE_MS = 10_000
/** How often a window that lost its stream to another looks for a free one. */
const ELSEWHERE_MS = 5_000

/**
 * Follows a Work for one tab. The stream goes to whoever looks: a tab that is hidden gives it back after a minute, or at
 * once when another one needs it, and catches up from where it was when it is shown again.
 */
export function followWork(workId: string, onEvent: (frame: EventFrame) => void, silenceMs?: number): WorkFollower {
  const cursor = createEventCursor()
  const listeners = new Set<() => void>()
  let state: FollowState = { name: "connecting" }
  let hasOpened = false
  let barred: Barred | undefined
  let claim: AbortController | undefined
  let slot: StreamSlot | undefined
  let stream: EventStream | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function setState(next: FollowState) {
    state = next
    if (next.name === "live") hasOpened = true
    if (next.name === "reconnecting" && next.error?.retryAt !== undefined && next.until !== undefined)
      barred = { until: next.until, error: next.error }
    if (next.name === "stopped") letGo()
    for (const listener of listeners) listener()
  }

  function letGo() {
    claim?.abort()
    stream?.close()
    slot?.release()
    claim = undefined
    stream = undefined
    slot = undefined
  }

  function pause() {
    if (claim === undefined) return
    letGo()
    setState({ name: "paused", reason: isHidden() ? "hidden" : "elsewhere" })
    clearTimeout(timer)
    if (!isHidden()) timer = setTimeout(() => void open(true), ELSEWHERE_MS)
  }

  async function open(onlyFree = false) {
    if (claim !== undefined) return
    clearTimeout(timer)
    claim = new AbortController()
    const { signal } = claim
    const opening: FollowState = hasOpened ? { name: "reconnecting", reason: "shown" } : { name: "connecting" }
    if (!onlyFree) setState(opening)
    const onLost = () => {
      if (!signal.aborted) pause()
    }
    const claimed = await claimStreamSlot(signal, onLost, onlyFree)
    if (signal.aborted) return claimed?.release()
    if (claimed === undefined) return pause()
    slot = claimed
    setState(opening)
    stream = openStream(signal)
  }

  function openStream(signal: AbortSignal): EventStream {
    return openEventStream({
      workId,
      cursor,
      barred,
      onEvent,
      onState: (next) => {
        if (!signal.aborted) setState(next)
      },
      ...(silenceMs !== undefined && { silenceMs }),
    })
  }

  async function readPast(after: bigint, before: bigint, limit: number) {
    if (claim === undefined || stream === undefined) return undefined
    const { signal } = claim
    const enough = new AbortController()
    const frames: EventFrame[] = []
    stream.close()
    setState({ name: "reconnecting", reason: "shown" })
    const end = await readEventStream({
      address: eventsAddress(workId, after.toString()),
      silenceMs: PAST_SILENCE_MS,
      signal: AbortSignal.any([signal, enough.signal]),
      onOpen: () => undefined,
      onFrame: (frame) => {
        if ((readSequence(frame.id) ?? after) >= before || frames.length === limit) enough.abort()
        else frames.push(frame)
      },
    })
    if (!signal.aborted) stream = openStream(signal)
    return end.kind === "refused" ? undefined : frames
  }

  function look() {
    clearTimeout(timer)
    if (isHidden()) timer = setTimeout(pause, HIDDEN_MS)
    else if (state.name !== "stopped") void open()
  }

  function tryNow() {
    if (stream === undefined) void open()
    else stream.hurry()
  }

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tryNow,
    readPast,
    start: () => {
      document.addEventListener("visibilitychange", look)
      addEventListener("focus", look)
      if (isHidden()) setState({ name: "paused", reason: "hidden" })
      look()
      return () => {
        document.removeEventListener("visibilitychange", look)
        removeEventListener("focus", look)
        clearTimeout(timer)
        letGo()
      }
    },
  }
}
