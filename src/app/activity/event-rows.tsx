import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { classes } from "../ui/classes.ts"
import { useClock } from "../ui/clocks.tsx"
import { formatWeekday } from "../ui/time-words.ts"
import styles from "./activity.module.css"
import { happenedAt } from "./event-line.ts"
import { EventRow } from "./event-row.tsx"
import { countBefore, type FilteredEvents, findEvent, firstIndexAfter } from "./feed-filter.ts"
import { FeedFrame } from "./feed-frame.tsx"
import type { FeedEvent } from "./received-events.ts"
import { useVisibleRows } from "./use-visible-rows.ts"

type Props = {
  events: FilteredEvents
  /** The newest sequence that was shown before this visit. */
  lastSeen: bigint | undefined
  /** The id of the event that the address names. */
  current: string | undefined
  addressOf: (id: string) => string
  /** The text in place of the events while there are none. */
  empty: string
}

/** The events, newest first. New events wait behind a button while a person reads older ones. */
export function EventRows({ events, lastSeen, current, addressOf, empty }: Props) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const { scroller, items, height, measure, listeners, scrollToRow, isInView, isAway } = useVisibleRows(
    events,
    opened.size > 0,
  )
  const firstNew = useFirstNew(events, lastSeen)
  const unread = useUnread(events, isAway)
  const toggle = useCallback(
    (event: FeedEvent) => setOpened((before) => before.symmetricDifference(new Set([event.index]))),
    [],
  )

  const currentPosition = useMemo(() => (current === undefined ? -1 : findEvent(events, current)), [events, current])
  const currentEvent = currentPosition === -1 ? undefined : events.at(currentPosition)
  const [openedByAddress, setOpenedByAddress] = useState<FeedEvent>()
  if (currentEvent !== undefined && openedByAddress !== currentEvent) {
    setOpenedByAddress(currentEvent)
    setOpened(new Set([...opened, currentEvent.index]))
  }
  const reached = useRef<FeedEvent>(undefined)
  useEffect(() => {
    if (currentEvent === undefined || reached.current === currentEvent) return
    const row = events.length - 1 - currentPosition
    // The row moves while events arrive and rows are measured, so the list scrolls until the row is visible.
    if (isInView(row)) reached.current = currentEvent
    else scrollToRow(row)
  })

  const today = useClock((now) => new Date(now).setHours(0, 0, 0, 0))
  return (
    <FeedFrame unread={unread} showNew={() => scrollToRow(0)}>
      <div ref={scroller} role="log" aria-live="off" aria-label="Events" className={styles["log"]} {...listeners}>
        {events.length === 0 ? (
          <p className={styles["empty"]}>{empty}</p>
        ) : (
          <ol className={styles["rows"]} style={{ height }}>
            {items.map(({ index: row, key, start }, position) => {
              const event = events.at(events.length - 1 - row)
              if (event === undefined) return null
              const newer = row === 0 ? undefined : events.at(events.length - row)
              const older = events.at(events.length - 2 - row)
              const heading = headingOf(event, newer, today)
              const isNew = event.index >= firstNew
              const isOldestNew = isNew && older !== undefined && older.index < firstNew
              const isOpen = opened.has(event.index)
              const gap = start - (items[position - 1]?.end ?? 0)
              const isCurrent = current !== undefined && event.id === current
              return (
                <li
                  key={key}
                  ref={measure}
                  data-index={row}
                  data-event={event.index}
                  data-plain={!isOpen && heading === undefined && !isOldestNew}
                  className={classes(
                    styles["entry"],
                    isNew && styles["new"],
                    isCurrent && styles["current"],
                    older === undefined && styles["oldest"],
                  )}
                  aria-current={isCurrent ? "true" : undefined}
                  style={gap === 0 ? undefined : { marginTop: gap }}
                >
                  {heading !== undefined && <div className={styles["day"]}>{heading}</div>}
                  <EventRow event={event} isOpen={isOpen} addressOf={addressOf} onToggle={toggle} />
                  {isOldestNew && <div className={styles["left"]}>New since you left</div>}
                </li>
              )
            })}
          </ol>
        )}
      </div>
    </FeedFrame>
  )
}

/** How many events arrived since the newest event was last visible. The index -1 is before the first event. */
function useUnread(events: FilteredEvents, isAway: boolean): number {
  const newest = events.at(events.length - 1)?.index ?? -1
  const [lastVisible, setLastVisible] = useState(newest)
  if (!isAway && lastVisible !== newest) setLastVisible(newest)
  return isAway ? events.length - countBefore(events, lastVisible + 1) : 0
}

/** The midnight at which the event's day began, in the reader's zone: ms since 1970. */
const dayOf = (event: FeedEvent): number => new Date(happenedAt(event)).setHours(0, 0, 0, 0)

/** The heading above an event whose day is not the day of the newer event above it. Today's events at the top have no heading. */
function headingOf(event: FeedEvent, newer: FeedEvent | undefined, today: number): string | undefined {
  const day = dayOf(event)
  return day === (newer === undefined ? today : dayOf(newer)) ? undefined : formatWeekday(day, today)
}

/**
 * The index of the first event that arrived after the person had left. A found index is not searched again, because later events are newer.
 */
function useFirstNew(events: FilteredEvents, lastSeen: bigint | undefined): number {
  const [found, setFound] = useState({ lastSeen, index: Infinity })
  if (found.lastSeen === lastSeen && found.index !== Infinity) return found.index
  const index = firstIndexAfter(events, lastSeen)
  if (index !== found.index || lastSeen !== found.lastSeen) setFound({ lastSeen, index })
  return index
}
