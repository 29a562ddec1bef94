import { memo, useState } from "react"
import { OutsideText } from "../ui/outside-text.tsx"
import { summarise } from "./event-line.ts"
import type { ReceivedEvents } from "./received-events.ts"
import { useSlowSnapshot } from "./use-slow-snapshot.ts"

/**
 * The time between two announcements. A burst of events is announced by one number. With a whole number of seconds the announcement would
 * delay the row of an event that comes every second.
 */
const PAUSE_MS = 3_500

/** Announces new events to a screen reader: one event by its line, several by their number. It is not rendered with the feed (`memo`). */
export const FeedAnnouncer = memo(function FeedAnnouncer({ received }: { received: ReceivedEvents }) {
  const { events, count, leftOut } = useSlowSnapshot(received, PAUSE_MS)
  const total = count + leftOut
  const [told, setTold] = useState({ total: 0, words: "" })
  const newest = events[count - 1]
  if (newest !== undefined && total !== told.total) {
    const isOne = total - told.total === 1
    setTold({ total, words: isOne ? (summarise(newest).line ?? newest.type) : `${total - told.total} new events` })
  }
  return (
    <div aria-live="polite" className="visually-hidden">
      <OutsideText>{told.words}</OutsideText>
    </div>
  )
})
