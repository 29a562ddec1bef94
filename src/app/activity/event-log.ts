import type { EventFrame } from "./event-connection.ts"

/** An event as it was taken in. `receivedAt` is when, in ms since 1970; `index` its place, counted from the first. */
export type FeedEvent = EventFrame & { readonly index: number; readonly receivedAt: number }

/** What the log holds at one moment. `events` is oldest first; what came later than `count` may be behind it already. */
export type LogSnapshot = {
  readonly events: readonly FeedEvent[]
  readonly count: number
  /** How many of the oldest were given up to keep memory in bounds. */
  readonly leftOut: number
  /** Whether so much came at once that rendering it may wait for what a person does. */
  readonly isBurst: boolean
  /** How many of each type came, in the order of their first. */
  readonly types: ReadonlyMap<string, number>
}

export type EventLog = {
  readonly append: (frame: EventFrame) => void
  readonly subscribe: (listener: () => void) => () => void
  readonly snapshot: () => LogSnapshot
}

/** What is kept at most: a hundred thousand events with room to spare, or as many characters as 100 MB hold. */
const MAX_EVENTS = 150_000
const MAX_CHARACTERS = 50_000_000
/** Types beyond these are not counted: whoever sends a new one with each event must not slow the page down. */
const MAX_TYPES = 1_000
/** So many go at once, for dropping the first of an array costs its length. */
const DROP = 0.1
/** A hidden tab paints no frame, but what it holds has to be current when it is looked at. */
const HIDDEN_FLUSH_MS = 500
/** While a past of thousands comes in, telling every frame would leave no time to render any. */
const BURST = 300
const BURST_FLUSH_MS = 250

/**
 * The events of one Work, in memory. Appending costs the same however many there are, and listeners are told once a
 * painted frame.
 */
export function createEventLog(limits = { events: MAX_EVENTS, characters: MAX_CHARACTERS }): EventLog {
  const listeners = new Set<() => void>()
  const types = new Map<string, number>()
  let events: FeedEvent[] = []
  let characters = 0
  let next = 0
  let told = 0
  let lastBurst = 0
  let isFlushDue = false
  let current: LogSnapshot = { events, count: 0, leftOut: 0, isBurst: false, types: new Map() }

  function dropOldest() {
    let drop = Math.ceil(events.length * DROP)
    for (let index = 0, left = characters; index < events.length; index++) {
      if (index >= drop && left <= limits.characters) break
      left -= events[index]?.data.length ?? 0
      drop = Math.max(drop, index + 1)
    }
    // The newest stays, however large it is.
    const kept = events.slice(Math.min(drop, events.length - 1))
    characters = kept.reduce((sum, { data }) => sum + data.length, 0)
    events = kept
  }

  function scheduleFlush() {
    isFlushDue = true
    if (document.hidden) setTimeout(flush, HIDDEN_FLUSH_MS)
    else if (lastBurst > BURST) setTimeout(flush, BURST_FLUSH_MS)
    else requestAnimationFrame(flush)
  }

  function flush() {
    isFlushDue = false
    lastBurst = next - told
    told = next
    current = {
      events,
      count: events.length,
      leftOut: next - events.length,
      isBurst: lastBurst > BURST,
      types: new Map(types),
    }
    for (const listener of listeners) listener()
  }

  return {
    append: (frame) => {
      events.push({ ...frame, index: next++, receivedAt: Date.now() })
      if (types.has(frame.type) || types.size < MAX_TYPES) types.set(frame.type, (types.get(frame.type) ?? 0) + 1)
      characters += frame.data.length
      if (events.length > limits.events || characters > limits.characters) dropOldest()
      if (!isFlushDue) scheduleFlush()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    snapshot: () => current,
  }
}
