/** Filters the received events by type and text, and finds positions among them. */
import { readSequence } from "./event-connection.ts"
import type { FeedEvent, ReceivedSnapshot } from "./received-events.ts"

/** Which events are shown: those of `type` that have `text`, in any case, in their type or payload. An empty value excludes no event. */
export type FeedFilter = { readonly type: string; readonly text: string }

/** The events that a filter lets through, oldest first. */
export type FilteredEvents = { readonly length: number; readonly at: (position: number) => FeedEvent | undefined }

/**
 * Filters the received events. Each call looks only at the events that came since the call before, unless the filter has changed or the oldest
 * events were dropped.
 */
export function createFeedFilter(): (snapshot: ReceivedSnapshot, filter: FeedFilter) => FilteredEvents {
  let filtered: FeedEvent[] = []
  let source: readonly FeedEvent[] | undefined
  let last: FeedFilter = { type: "", text: "" }
  let examined = 0
  return (snapshot, filter) => {
    const { events, count } = snapshot
    if (filter.type === "" && filter.text === "") return { length: count, at: (position) => events[position] }
    if (source !== events || last.type !== filter.type || last.text !== filter.text) {
      filtered = []
      examined = 0
    }
    source = events
    last = filter
    const words = new RegExp(RegExp.escape(filter.text), "iu")
    for (; examined < count; examined++) {
      const event = events[examined]
      if (event === undefined || (filter.type !== "" && event.type !== filter.type)) continue
      if (filter.text === "" || words.test(event.data) || words.test(event.type)) filtered.push(event)
    }
    const found = filtered
    const length = found.length
    return { length, at: (position) => found[position] }
  }
}

/** How many of the events have an index below `index`. Events are in the order of their index. */
export function countBefore(events: FilteredEvents, index: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events.at(middle)?.index ?? Infinity) < index) low = middle + 1
    else high = middle
  }
  return low
}

/** The position of the event with this id; -1 where there is none. */
export function findEvent(events: FilteredEvents, id: string): number {
  for (let position = events.length - 1; position >= 0; position--) if (events.at(position)?.id === id) return position
  return -1
}

/** The index of the first event whose sequence is greater than `lastSeen`; Infinity where there is none. */
export function firstIndexAfter(events: FilteredEvents, lastSeen: bigint | undefined): number {
  if (lastSeen === undefined) return Infinity
  let first = Infinity
  for (let position = events.length - 1; position >= 0; position--) {
    const event = events.at(position)
    const sequence = readSequence(event?.id)
    if (event === undefined || sequence === undefined) continue
    if (sequence <= lastSeen) return first
    first = event.index
  }
  return first
}
