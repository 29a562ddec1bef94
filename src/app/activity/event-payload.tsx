import { useMemo, useState } from "react"
import { Link } from "react-router"
import { formatBytes } from "../ui/byte-size.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy-button.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatExact } from "../ui/time-words.ts"
import { countBytes } from "../../contract/limits.ts"
import styles from "./activity.module.css"
import { summarise } from "./event-line.ts"
import type { FeedEvent } from "./received-events.ts"
import { isJson, layOutJson } from "../ui/json-text.ts"

/** How many characters of a payload are shown at first. `Show more` shows `MORE` times as many. */
const FIRST = 4_000
const MORE = 8
/** Longer data counts as JSON by its first character, because parsing megabytes would block the page. */
const CHECK_MAX = 500_000

/** The payload of an open entry as it was sent, laid out if it is JSON, with a button that copies all of it. */
export function EventPayload({ event, address }: { event: FeedEvent; address: string | undefined }) {
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
          The beginning of {formatBytes(countBytes(data))}.{" "}
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
