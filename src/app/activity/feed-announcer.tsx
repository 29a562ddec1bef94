import { useEffect, useRef, useState } from "react"
import { OutsideText } from "../ui/outside-text.tsx"
import { summarise } from "./event-line.ts"
import type { LogSnapshot } from "./event-log.ts"

/** A burst is told in one sentence, and no oftener than this. */
const PAUSE_MS = 4_000

/** Tells a screen reader what came: one event by its line, more by their number. */
export function FeedAnnouncer({ log }: { log: LogSnapshot }) {
  const [words, setWords] = useState("")
  const told = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(log)
  useEffect(() => {
    latest.current = log
    if (timer.current !== undefined || log.count + log.leftOut <= told.current) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      const { events, count, leftOut } = latest.current
      const added = count + leftOut - told.current
      told.current = count + leftOut
      const newest = events[count - 1]
      if (newest === undefined) return
      setWords(added === 1 ? (summarise(newest).line ?? newest.type) : `${String(added)} new events`)
    }, PAUSE_MS)
  }, [log])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <div aria-live="polite" className="visually-hidden">
      <OutsideText>{words}</OutsideText>
    </div>
  )
}
