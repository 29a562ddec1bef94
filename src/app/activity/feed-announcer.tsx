import { memo, useState } from "react"
import { plural } from "../../contract/plural.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { summarise } from "./event-line.ts"
import { type ReceivedEvents, useSlowSnapshot } from "./received-events.ts"

/**
 * The least time between two announcements, so that a burst of events is announced by one number. The time is no whole number of seconds:
 * else the announcement would delay the row of an event that comes every second.
 */
const ANNOUNCED_MS = 3_500

type Props = { received: ReceivedEvents; isPaused: boolean }

/**
 * Announces new events to a screen reader: one event by its line, several by their number. While the feed is paused it is silent. `memo` keeps the
 * feed from rendering it.
 */
export const FeedAnnouncer = memo(function FeedAnnouncer({ received, isPaused }: Props) {
  const { events, count, leftOut } = useSlowSnapshot(received, ANNOUNCED_MS)
  const total = count + leftOut
  const [announced, setAnnounced] = useState({ total: 0, words: "" })
  const newest = events[count - 1]
  if (newest !== undefined && total !== announced.total && !isPaused) {
    const added = total - announced.total
    const words = added === 1 ? (summarise(newest).line ?? newest.type) : plural(added, "new event")
    setAnnounced({ total, words })
  }
  return (
    <div aria-live="polite" className="visually-hidden">
      <OutsideText>{announced.words}</OutsideText>
    </div>
  )
})
