import { useEffect, useRef, useState } from "react"
import { OutsideText } from "../ui/outside-text.tsx"
import { summarise } from "./event-line.ts"
import type { ReceivedSnapshot } from "./received-events.ts"

/**
 * The time between two announcements. A burst of events is announced by one number. With a whole number of seconds the announcement would
 * delay the row of an event that comes every second.
 */
const PAUSE_MS = 3_500

/** Announces new events to a screen reader: one event by its line, several by their number. */
export function FeedAnnouncer({ received }: { received: ReceivedSnapshot }) {
  const [words, setWords] = useState("")
  const told = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(received)
  useEffect(() => {
    latest.current = received
    if (timer.current !== undefined || received.count + received.leftOut <= told.current) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      const { events, count, leftOut } = latest.current
      const added = count + leftOut - told.current
      told.current = count + leftOut
      const newest = events[count - 1]
      if (newest === undefined) return
      setWords(added === 1 ? (summarise(newest).line ?? newest.type) : `${String(added)} new events`)
    }, PAUSE_MS)
  }, [received])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <div aria-live="polite" className="visually-hidden">
      <OutsideText>{words}</OutsideText>
    </div>
  )
}
