/** The events of a Work that this page has received, as a store for React. */
import { useMemo, useSyncExternalStore } from "react"
import { deskNow } from "../client/clock.ts"
import { createStore } from "../client/create-store.ts"
import type { EventFrame } from "./event-connection.ts"

/** A received event. `receivedAt` is in ms since 1970; `index` counts the received events from 0. */
export type FeedEvent = EventFrame & { readonly index: number; readonly receivedAt: number }

/** The received events at one moment, oldest first. Only the first `count` of `events` belong to it, because the array grows afterwards. */
export type ReceivedSnapshot = {
  readonly events: readonly FeedEvent[]
  readonly count: number
  /** How many of the oldest events were dropped to keep the memory bounded. */
  readonly leftOut: number
  /** The index of the first event that came after the page had loaded. For earlier events the time of arrival means nothing. */
  readonly firstLive: number
  /** The number of events of each type, in the order in which the types arrived. */
  readonly types: ReadonlyMap<string, number>
}

export type ReceivedEvents = ReturnType<typeof createReceivedEvents>

/** The memory holds at most 150,000 events, or events of 50 million characters (100 MB). */
const MAX_EVENTS = 150_000
const MAX_CHARACTERS = 50_000_000
/** Further types are not counted, so that a service that sends a new type with each event does not slow the page down. */
const MAX_TYPES = 1_000
/** This share of the events is dropped at once, because dropping the first of an array costs as much as copying the array. */
const DROPPED_SHARE = 0.1
/** The replay of past events ends with a pause of this length, or after `FIRST_LOAD_MAX_MS`. It begins within `FIRST_EVENT_MAX_MS`. */
const FIRST_LOAD_PAUSE_MS = 500
const FIRST_LOAD_MAX_MS = 10_000
const FIRST_EVENT_MAX_MS = 5_000
/** More events than this in one flush mean a replay of the history. Then flushes are rarer, because rendering each frame would delay its end. */
const BURST = 300
const BURST_FLUSH_MS = 250
/** An event that comes this long after the last flush is rendered at once. Faster events are rendered once a frame. */
const QUIET_MS = 50

/** The events of one Work, in memory. Appending costs the same however many events there are. */
export function createReceivedEvents(limits = { events: MAX_EVENTS, characters: MAX_CHARACTERS }) {
  const types = new Map<string, number>()
  let events: FeedEvent[] = []
  let characters = 0
  let nextIndex = 0
  let flushedCount = 0
  let flushedAt = -Infinity
  let lastBurst = 0
  let isFlushDue = false
  const isAfterReplay = createReplayWatch()
  let firstLive: number | undefined
  const current = createStore<ReceivedSnapshot>({ events, count: 0, leftOut: 0, firstLive: 0, types: new Map() })

  function dropOldest() {
    const dropAtLeast = Math.ceil(events.length * DROPPED_SHARE)
    let drop = 0
    // The newest event stays, however large it is.
    while (drop < events.length - 1 && (drop < dropAtLeast || characters > limits.characters))
      characters -= events[drop++]?.data.length ?? 0
    events = events.slice(drop)
  }

  function scheduleFlush() {
    isFlushDue = true
    if (lastBurst > BURST) setTimeout(flush, BURST_FLUSH_MS)
    else if (performance.now() - flushedAt > QUIET_MS) queueMicrotask(flush)
    else requestAnimationFrame(flush)
  }

  function flush() {
    isFlushDue = false
    lastBurst = nextIndex - flushedCount
    flushedCount = nextIndex
    flushedAt = performance.now()
    current.set({
      events,
      count: events.length,
      leftOut: nextIndex - events.length,
      firstLive: firstLive ?? nextIndex,
      types: new Map(types),
    })
  }

  return {
    append: (frame: EventFrame) => {
      const receivedAt = deskNow()
      if (isAfterReplay(receivedAt)) firstLive ??= nextIndex
      events.push({ ...frame, index: nextIndex++, receivedAt })
      if (types.has(frame.type) || types.size < MAX_TYPES) types.set(frame.type, (types.get(frame.type) ?? 0) + 1)
      characters += frame.data.length
      if (events.length > limits.events || characters > limits.characters) dropOldest()
      if (!isFlushDue) scheduleFlush()
    },
    subscribe: current.subscribe,
    snapshot: current.get,
  }
}

/** Makes the function that is called for each event, with its time of arrival. It returns true once the replay of past events has ended. */
function createReplayWatch(): (now: number) => boolean {
  const openedAt = deskNow()
  let firstAt: number | undefined
  let lastAt = openedAt
  return (now) => {
    const isOver =
      firstAt === undefined
        ? now - openedAt > FIRST_EVENT_MAX_MS
        : now - lastAt > FIRST_LOAD_PAUSE_MS || now - firstAt > FIRST_LOAD_MAX_MS
    firstAt ??= now
    lastAt = now
    return isOver
  }
}

/** A person cannot read a number that changes faster. */
const PERIOD_MS = 500

/** The received events, renewed every `periodMs` at most. The parts beside the rows use it, so that most frames render only rows. */
export function useSlowSnapshot(received: ReceivedEvents, periodMs = PERIOD_MS): ReceivedSnapshot {
  const subscribe = useMemo(() => slowSubscribe(received, periodMs), [received, periodMs])
  return useSyncExternalStore(subscribe, received.snapshot)
}

function slowSubscribe(received: ReceivedEvents, periodMs: number) {
  return (listener: () => void) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = received.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        listener()
      }, periodMs)
    })
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }
}
