import { memo } from "react"
import { classes } from "../ui/classes.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import styles from "./activity.module.css"
import { summarise } from "./event-line.ts"
import type { FeedEvent } from "./received-events.ts"
import { EventPayload } from "./event-payload.tsx"

type Props = {
  event: FeedEvent
  isOpen: boolean
  addressOf: (id: string) => string
  onToggle: (event: FeedEvent) => void
}

/** An event: a line to read, its type and sequence as they were sent, and its payload behind a click. */
export const EventRow = memo(function EventRow({ event, isOpen, addressOf, onToggle }: Props) {
  const { line, happened } = summarise(event)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open !== isOpen && onToggle(event)}>
      <summary className={styles["summary"]}>
        {line === undefined ? (
          <span className={classes(styles["what"], "soft")}>No details</span>
        ) : (
          <OutsideText className={styles["what"]}>{line}</OutsideText>
        )}{" "}
        <span className={styles["when"]}>
          <span>
            {happened === undefined && "received "}
            <RelativeTime at={happened?.at ?? new Date(event.receivedAt).toISOString()} focusable={false} />
          </span>{" "}
          <OutsideText className={classes("mono", styles["type"])}>{event.type}</OutsideText>{" "}
          {event.id === undefined ? (
            <span className={classes("mono", styles["sequence"])}>no id</span>
          ) : (
            <OutsideText className={classes("mono", styles["sequence"])}>{event.id}</OutsideText>
          )}
        </span>
      </summary>
      {isOpen && <EventPayload event={event} address={event.id === undefined ? undefined : addressOf(event.id)} />}
    </details>
  )
})
