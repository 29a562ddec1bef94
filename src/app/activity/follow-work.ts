import type { DeskError } from "../client/desk-error.ts"
import { createEventCursor } from "./event-cursor.ts"
import type { EventFrame } from "./event-connection.ts"
import { type EventStream, openEventStream, type StreamState } from "./event-stream.ts"
import { type PastEvents, type PastRange, readPastEvents } from "./past-events.ts"
import { claimStreamPermit } from "./stream-permit.ts"

/** What the feed of a tab is doing. `paused` has no stream: the tab is hidden, or other windows of this browser hold all permits. */
export type FollowState = StreamState | { readonly name: "paused"; readonly reason: "hidden" | "elsewhere" }

export type WorkFollower = {
  readonly state: () => FollowState
  readonly subscribe: (listener: () => void) => () => void
  /** Connects at once: after a stop, instead of a back-off wait, or where another window has the permit. */
  readonly tryNow: () => void
  /**
   * Reads events again that were dropped from memory. The tab's own stream is closed meanwhile, because a browser opens few connections.
   * Resolves with undefined while the tab has no stream.
   */
  readonly readPast: (range: PastRange) => Promise<PastEvents | undefined>
  /** Begins, or continues after the events received before. Returns a function that ends it. */
  readonly start: () => () => void
}

/** What the tab has while it has a stream or waits for a permit. Aborting `ending` ends all of it. */
type Attempt = { readonly ending: AbortController; stream?: EventStream }

/** A window that lost its stream to another window looks for a free permit this often. */
const ELSEWHERE_MS = 5_000

/** Follows a Work for one tab. A hidden tab has no stream, and continues after the last event when it is shown again. */
export function followWork(workId: string, onEvent: (frame: EventFrame) => void): WorkFollower {
  const cursor = createEventCursor()
  const listeners = new Set<() => void>()
  let state: FollowState = { name: "connecting" }
  let hasOpened = false
  let refusal: DeskError | undefined
  let attempt: Attempt | undefined
  let lookAgain: ReturnType<typeof setTimeout> | undefined

  function setState(next: FollowState) {
    state = next
    if (next.name === "live") hasOpened = true
    if (next.name === "reconnecting" && next.error !== undefined) refusal = next.error
    if (next.name === "stopped") end()
    for (const listener of listeners) listener()
  }

  function end() {
    clearTimeout(lookAgain)
    attempt?.ending.abort()
    attempt = undefined
  }

  function pause() {
    end()
    setState({ name: "paused", reason: document.hidden ? "hidden" : "elsewhere" })
    if (!document.hidden) lookAgain = setTimeout(() => void open(true), ELSEWHERE_MS)
  }

  async function open(onlyFree = false) {
    if (attempt !== undefined) return
    clearTimeout(lookAgain)
    const opened: Attempt = { ending: new AbortController() }
    attempt = opened
    const { signal } = opened.ending
    const opening: FollowState = hasOpened ? { name: "reconnecting", reason: "shown" } : { name: "connecting" }
    if (!onlyFree) setState(opening)
    const permit = await claimStreamPermit(signal, () => signal.aborted || pause(), onlyFree)
    if (signal.aborted) return permit?.release()
    if (permit === undefined) return pause()
    signal.addEventListener("abort", () => {
      opened.stream?.close()
      permit.release()
    })
    setState(opening)
    opened.stream = openStream(signal)
  }

  function openStream(signal: AbortSignal): EventStream {
    return openEventStream({
      workId,
      cursor,
      refusal,
      onEvent,
      onState: (next) => signal.aborted || setState(next),
    })
  }

  async function readPast(range: PastRange) {
    const reading = attempt
    if (reading?.stream === undefined) return undefined
    const { signal } = reading.ending
    reading.stream.close()
    setState({ name: "reconnecting", reason: "shown" })
    const past = await readPastEvents(workId, range, signal)
    if (!signal.aborted) reading.stream = openStream(signal)
    return past
  }

  function onVisibility() {
    if (state.name === "stopped") return
    if (document.hidden) pause()
    else void open()
  }

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tryNow: () => {
      if (attempt?.stream === undefined) void open()
      else attempt.stream.tryNow()
    },
    readPast,
    start: () => {
      document.addEventListener("visibilitychange", onVisibility)
      addEventListener("focus", onVisibility)
      onVisibility()
      return () => {
        document.removeEventListener("visibilitychange", onVisibility)
        removeEventListener("focus", onVisibility)
        end()
      }
    },
  }
}
