import { deskNow } from "../client/clock.ts"
import type { DeskError } from "../client/desk-error.ts"
import { type EventFrame, eventsAddress, readEventStream } from "./event-connection.ts"
import { readSequence } from "./event-sequence.ts"
import type { FeedEvent } from "./received-events.ts"

/** The events after one sequence and before another. */
export type PastRange = { readonly after: bigint; readonly before: bigint }

/**
 * Events of the past, oldest first. `end` says why no more follow: `all` were read, the page holds no more (`limit`), the connection was `cut`,
 * or the service refused.
 */
export type PastEvents = {
  readonly events: readonly FeedEvent[]
  readonly end: "all" | "limit" | "cut" | { readonly refused: DeskError }
}

/** The page shows this many events of the past at a time, or events of this many characters. */
const PAST_EVENTS_MAX = 5_000
const PAST_CHARACTERS_MAX = 50_000_000

/** The service has the past events already, so a connection without a byte for this long is dead. */
const PAST_SILENCE_MS = 10_000

/** Reads the events of `range` with a stream of its own, up to the limits of what a page can hold. */
export async function readPastEvents(
  workId: string,
  { after, before }: PastRange,
  signal: AbortSignal,
): Promise<PastEvents> {
  const enough = new AbortController()
  const events: FeedEvent[] = []
  let characters = 0
  let reached: "all" | "limit" | undefined
  const onFrame = (frame: EventFrame) => {
    if (enough.signal.aborted) return
    characters += frame.data.length
    // The first event is shown however large it is.
    const isTooMuch = characters > PAST_CHARACTERS_MAX && events.length > 0
    const sequence = readSequence(frame.id)
    if (sequence !== undefined && sequence >= before) reached = "all"
    else if (isTooMuch || events.length === PAST_EVENTS_MAX) reached = "limit"
    if (reached === undefined) events.push({ ...frame, index: events.length, receivedAt: deskNow() })
    else enough.abort()
  }
  const end = await readEventStream({
    address: eventsAddress(workId, after.toString()),
    silenceMs: PAST_SILENCE_MS,
    signal: AbortSignal.any([signal, enough.signal]),
    onOpen: () => undefined,
    onFrame,
  })
  return { events, end: end.error === undefined ? (reached ?? "cut") : { refused: end.error } }
}
