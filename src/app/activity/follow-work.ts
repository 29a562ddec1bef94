import type { DeskError } from "../client/desk-error.ts"
import { createEventCursor } from "./event-cursor.ts"
import type { EventFrame } from "./event-connection.ts"
import { type EventStream, openEventStream, type StreamState } from "./event-stream.ts"
import { type PastEvents, type PastRange, readPastEvents } from "./past-events.ts"
import { claimStreamPermit, type StreamPermit } from "./stream-permit.ts"

/** What the feed of a tab is doing. `paused` has no stream: the tab is hidden, or other tabs of this browser hold all permits. */
export type FollowState = StreamState | { readonly name: "paused"; readonly reason: "hidden" | "elsewhere" }

export type WorkFollower = {
  readonly state: () => FollowState
  readonly subscribe: (listener: () => void) => () => void
  /** Connects at once: after a stop, instead of a back-off wait, or where another tab has the stream. */
  readonly tryNow: () => void
  /**
   * Reads events again that were dropped from memory. The tab's own stream is closed meanwhile, because a browser opens few connections.
   * Resolves with undefined while the tab has no stream.
   */
  readonly readPast: (range: PastRange) => Promise<PastEvents | undefined>
  /** Begins, or continues after the events received before. Returns a function that ends it. */
  readonly start: () => () => void
}

/** A hidden tab keeps its stream this long. */
const HIDDEN_MS = 60_000
/** A tab that lost its stream to another tab looks for a free permit this often. */
const ELSEWHERE_MS = 5_000

/**
 * Follows a Work for one tab. A hidden tab closes its stream after a minute, or at once when another tab needs the permit, and
 * continues from the same event when it is shown again.
 */
export function followWork(workId: string, onEvent: (frame: EventFrame) => void, silenceMs?: number): WorkFollower {
  const cursor = createEventCursor()
  const listeners = new Set<() => void>()
  let state: FollowState = { name: "connecting" }
  let hasOpened = false
  let refusal: DeskError | undefined
  let claim: AbortController | undefined
  let permit: StreamPermit | undefined
  let stream: EventStream | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function setState(next: FollowState) {
    state = next
    if (next.name === "live") hasOpened = true
    if (next.name === "reconnecting" && next.error !== undefined) refusal = next.error
    if (next.name === "stopped") release()
    for (const listener of listeners) listener()
  }

  function release() {
    claim?.abort()
    stream?.close()
    permit?.release()
    claim = undefined
    stream = undefined
    permit = undefined
  }

  function pause() {
    if (claim === undefined) return
    release()
    setState({ name: "paused", reason: document.hidden ? "hidden" : "elsewhere" })
    clearTimeout(timer)
    if (!document.hidden) timer = setTimeout(() => void open(true), ELSEWHERE_MS)
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
    const claimed = await claimStreamPermit(signal, onLost, onlyFree)
    if (signal.aborted) return claimed?.release()
    if (claimed === undefined) return pause()
    permit = claimed
    setState(opening)
    stream = openStream(signal)
  }

  function openStream(signal: AbortSignal): EventStream {
    return openEventStream({
      workId,
      cursor,
      refusal,
      onEvent,
      onState: (next) => {
        if (!signal.aborted) setState(next)
      },
      ...(silenceMs !== undefined && { silenceMs }),
    })
  }

  async function readPast(range: PastRange) {
    if (claim === undefined || stream === undefined) return undefined
    const { signal } = claim
    stream.close()
    setState({ name: "reconnecting", reason: "shown" })
    const past = await readPastEvents(workId, range, signal)
    if (!signal.aborted) stream = openStream(signal)
    return past
  }

  function onVisibility() {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(pause, HIDDEN_MS)
    else if (state.name !== "stopped") void open()
  }

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tryNow: () => {
      if (stream === undefined) void open()
      else stream.tryNow()
    },
    readPast,
    start: () => {
      document.addEventListener("visibilitychange", onVisibility)
      addEventListener("focus", onVisibility)
      if (document.hidden) setState({ name: "paused", reason: "hidden" })
      onVisibility()
      return () => {
        document.removeEventListener("visibilitychange", onVisibility)
        removeEventListener("focus", onVisibility)
        clearTimeout(timer)
        release()
      }
    },
  }
}
