import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { formatWeekday } from "../ui/time-words.ts"
import styles from "./activity.module.css"
import { EventEntry } from "./event-entry.tsx"
import { dayOf } from "./event-line.ts"
import type { FeedEvent } from "./event-log.ts"
import { countBefore, findEvent, type FilteredEvents, firstIndexAfter } from "./feed-filter.ts"
import { useEventWindow } from "./use-event-window.ts"

type Props = {
  events: FilteredEvents
  /** The newest sequence seen before this visit. */
  lastSeen: bigint | undefined
  /** The id that the address names. */
  current: string | undefined
  addressOf: (id: string) => string
  /** What stands where there are no events. */
  empty: string
}

/** The events, newest first. New ones wait behind a button while older ones are read. */
export function ActivityLog({ events, lastSeen, current, addressOf, empty }: Props) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const window = useEventWindow(events, opened.size > 0)
  const { scroller, list, first, end, above, below, onScroll, scrollToRow, isAway } = window
  const firstNew = useFirstNew(events, lastSeen)
  const unread = useUnread(events, isAway)
  const toggle = useCallback((event: FeedEvent) => setOpened((before) => toggled(before, event.index)), [])

  const currentPosition = useMemo(() => (current === undefined ? -1 : findEvent(events, current)), [events, current])
  const named = currentPosition === -1 ? undefined : events.at(currentPosition)
  const [openedByAddress, setOpenedByAddress] = useState<FeedEvent>()
  if (named !== undefined && openedByAddress !== named) {
    setOpenedByAddress(named)
    setOpened(new Set([...opened, named.index]))
  }
  const scrolledTo = useRef<FeedEvent>(undefined)
  useEffect(() => {
    if (named === undefined || scrolledTo.current === named) return
    scrolledTo.current = named
    scrollToRow(events.length - 1 - currentPosition)
  }, [named, currentPosition, events, scrollToRow])

  const rows = []
  for (let row = first; row < end; row++) {
    const event = events.at(events.length - 1 - row)
    if (event === undefined) continue
    const older = events.at(events.length - 2 - row)
    const isNew = event.index >= firstNew
    rows.push(
      <EventEntry
        key={event.index}
        event={event}
        day={headingOf(event, row === 0 ? undefined : events.at(events.length - row))}
        isNew={isNew}
        endsNew={isNew && older !== undefined && older.index < firstNew}
        isOpen={opened.has(event.index)}
        isCurrent={current !== undefined && event.id === current}
        addressOf={addressOf}
        onToggle={toggle}
      />,
    )
  }

  return (
    <div className={styles["frame"]}>
      {unread > 0 && (
        <div className={styles["unread"]}>
          <Button kind="primary" size="small" onClick={() => scrollToRow(0)}>
            <Icon name="refresh" size={14} />
            {unread} new
          </Button>
        </div>
      )}
      <div ref={scroller} role="log" aria-live="off" aria-label="Events" className={styles["log"]} onScroll={onScroll}>
        {events.length === 0 ? (
          <p className={styles["empty"]}>{empty}</p>
        ) : (
          <>
            <div style={{ height: above }} />
            <ol ref={list}>{rows}</ol>
            <div style={{ height: below }} />
          </>
        )}
      </div>
    </div>
  )
}

/** How many events came since the newest was last in sight. */
function useUnread(events: FilteredEvents, isAway: boolean): number {
  const newest = events.at(events.length - 1)?.index ?? -1
  const [seen, setSeen] = useState(newest)
  if (!isAway && seen !== newest) setSeen(newest)
  return isAway ? events.length - countBefore(events, seen + 1) : 0
}

function toggled(before: ReadonlySet<number>, index: number): ReadonlySet<number> {
  const after = new Set(before)
  if (!after.delete(index)) after.add(index)
  return after
}

/** The heading of the day that begins with this event, reading downwards; none for today at the top. */
function headingOf(event: FeedEvent, newer: FeedEvent | undefined): string | undefined {
  const today = new Date().setHours(0, 0, 0, 0)
  const day = dayOf(event)
  return day === (newer === undefined ? today : dayOf(newer)) ? undefined : formatWeekday(day, today)
}

/**
 * The first event that came after the person had left. It is looked for until there is one, and then stays: what comes later
 * is after it.
 */
function useFirstNew(events: FilteredEvents, lastSeen: bigint | undefined): number {
  const [found, setFound] = useState({ lastSeen, index: Infinity })
  if (found.lastSeen === lastSeen && found.index !== Infinity) return found.index
  const index = firstIndexAfter(events, lastSeen)
  if (index !== found.index || lastSeen !== found.lastSeen) setFound({ lastSeen, index })
  return index
}
