import { readSequence } from "./event-cursor.ts"
import type { FeedEvent, LogSnapshot } from "./event-log.ts"

/** What the feed is narrowed to: a type as it was sent, and words anywhere in type or payload, case aside. Empty means all. */
export type FeedFilter = { readonly type: string; readonly text: string }

/** The events that a filter lets through, oldest first. */
export type FilteredEvents = { readonly length: number; readonly at: (position: number) => FeedEvent | undefined }

/**
 * Applies a filter again and again to a log that grows: only what is new is looked at, until the filter or the log's
 * beginning changes.
 */
export function createFeedFilter(): (snapshot: LogSnapshot, filter: FeedFilter) => FilteredEvents {
  let filtered: FeedEvent[] = []
  let source: readonly FeedEvent[] | undefined
  let last: FeedFilter = { type: "", text: "" }
  let looked = 0
  return (snapshot, filter) => {
    const { events, count } = snapshot
    if (filter.type === "" && filter.text === "") return { length: count, at: (position) => events[position] }
    if (source !== events || last.type !== filter.type || last.text !== filter.text) {
      filtered = []
      looked = 0
    }
    source = events
    last = filter
    const words = new RegExp(RegExp.escape(filter.text), "iu")
    for (; looked < count; looked++) {
      const event = events[looked]
      if (event === undefined || (filter.type !== "" && event.type !== filter.type)) continue
      if (filter.text === "" || words.test(event.data) || words.test(event.type)) filtered.push(event)
    }
    const found = filtered
    const length = found.length
    return { length, at: (position) => found[position] }
  }
}

/** How many of the events have an index below `index`: they are in its order. */
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

/**
 * The position of the event with this id; -1 where it is not there. Sequences ascend, so that it need not look at all; ids that
 * are none are looked for one by one.
 */
export function findEvent(events: FilteredEvents, id: string): number {
  const wanted = readSequence(id)
  if (wanted === undefined) {
    for (let position = events.length - 1; position >= 0; position--)
      if (events.at(position)?.id === id) return position
    return -1
  }
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    let position = middle
    while (position > low && readSequence(events.at(position)?.id) === undefined) position--
    const sequence = readSequence(events.at(position)?.id)
    if (sequence === wanted) return position
    if (sequence === undefined || sequence < wanted) low = middle + 1
    else high = position
  }
  return -1
}

/** The index of the first event after `lastSeen`; Infinity where none is. */
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
