import { memo, useMemo, useState } from "react"
import { Link } from "react-router"
import { countBytes } from "../../contract/limits.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/save-file.ts"
import { classes } from "../ui/classes.ts"
import { RelativeTime } from "../ui/clocks.tsx"
import { CopyButton } from "../ui/copy-button.tsx"
import { isJson, layOutJson } from "../ui/json-text.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatAge, formatExact } from "../ui/time-words.ts"
import styles from "./activity.module.css"
import { summarise } from "./event-line.ts"
import type { FeedEvent } from "./received-events.ts"

type RowProps = {
  event: FeedEvent
  /** The row shows the time since this moment (ms since 1970). Without it the row shows how long ago the event was. */
  since?: number | undefined
  isOpen: boolean
  addressOf: (id: string) => string
  onToggle: (event: FeedEvent) => void
}

/** An event: a line to read, its type and sequence as they were sent, and its payload behind a click. */
export const EventRow = memo(function EventRow({ event, since, isOpen, addressOf, onToggle }: RowProps) {
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
            {happened === undefined || since === undefined ? (
              <RelativeTime at={happened?.at ?? new Date(event.receivedAt).toISOString()} focusable={false} />
            ) : (
              <Difference at={happened.at} since={since} />
            )}
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

/** "+3 s": how long after `since` the moment `at` was. Hover shows the moment itself. */
function Difference({ at, since }: { at: string; since: number }) {
  const [exact, setExact] = useState<string>()
  return (
    <time dateTime={at} title={exact} onPointerEnter={() => setExact(formatExact(at))}>
      +{formatAge(Date.parse(at) - since)}
    </time>
  )
}

/** How many characters of a payload are shown at first. `Show more` shows `MORE` times as many. */
const FIRST = 4_000
const MORE = 8
/** Longer data counts as JSON by its first character, because parsing megabytes would block the page. */
const CHECK_MAX = 500_000

/** The payload of an open entry as it was sent, laid out if it is JSON, with a button that copies all of it. */
function EventPayload({ event, address }: { event: FeedEvent; address: string | undefined }) {
  const { data } = event
  const { happened } = summarise(event)
  const [limit, setLimit] = useState(FIRST)
  const text = useMemo(() => {
    const looksLikeJson = data.length > CHECK_MAX ? /^\s*[{[]/.test(data) : isJson(data)
    return looksLikeJson ? layOutJson(data.slice(0, limit)) : data.slice(0, limit)
  }, [data, limit])
  return (
    <div className={styles["payload"]}>
      {data === "" ? (
        <p className="small soft">The event has no payload.</p>
      ) : (
        <pre className={styles["json"]}>
          <OutsideText multiline>{text}</OutsideText>
        </pre>
      )}
      {data.length > limit && (
        <div className="small soft">
          Only the beginning of {formatBytes(countBytes(data))} is shown.{" "}
          <Button kind="plain" size="small" onClick={() => setLimit(limit * MORE)}>
            Show more
          </Button>
        </div>
      )}
      <div className={styles["payloadFoot"]}>
        <span className="small soft">
          {happened && (
            <>
              {formatExact(happened.at)} (<span className="mono">{happened.member}</span>),{" "}
            </>
          )}
          received {formatExact(new Date(event.receivedAt).toISOString())}
        </span>
        <CopyButton text={data} what="raw JSON" label="Copy" />
        {address !== undefined && (
          <Link to={address} className="small underlined">
            Link to this event
          </Link>
        )}
      </div>
    </div>
  )
}
