import { useEffect, useState } from "react"
import { OutsideText } from "../ui/outside-text.tsx"
import { summarise } from "./event-line.ts"
import type { ReceivedEvents } from "./received-events.ts"

/**
 * The time between two announcements. A burst of events is announced by one number. With a whole number of seconds the announcement would
 * delay the row of an event that comes every second.
 */
const PAUSE_MS = 3_500

/** Announces new events to a screen reader: one event by its line, several by their number. */
export function FeedAnnouncer({ received }: { received: ReceivedEvents }) {
  const [words, setWords] = useState("")
  useEffect(() => {
    let told = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const tell = () => {
      timer = undefined
      const { events, count, leftOut } = received.snapshot()
      const added = count + leftOut - told
      told = count + leftOut
      const newest = events[count - 1]
      if (newest === undefined || added === 0) return
      setWords(added === 1 ? (summarise(newest).line ?? newest.type) : `${String(added)} new events`)
    }
    const unsubscribe = received.subscribe(() => (timer ??= setTimeout(tell, PAUSE_MS)))
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [received])
  return (
    <div aria-live="polite" className="visually-hidden">
      <OutsideText>{words}</OutsideText>
    </div>
  )
}
