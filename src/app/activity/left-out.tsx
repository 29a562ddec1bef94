import { useId, useState } from "react"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ActivityLog } from "./activity-log.tsx"
import styles from "./activity.module.css"
import { readSequence } from "./event-cursor.ts"
import type { FeedEvent, LogSnapshot } from "./event-log.ts"
import type { FilteredEvents } from "./feed-filter.ts"
import type { WorkFollower } from "./follow-work.ts"

/** So many events of the past are looked at together. */
const BLOCK = 5_000
const grouped = new Intl.NumberFormat("en")

/** Says what memory had no room for, and reads it again from a sequence on. */
export function LeftOut({ log, follower }: { log: LogSnapshot; follower: WorkFollower }) {
  const id = useId()
  const [from, setFrom] = useState("1")
  const [isReading, setIsReading] = useState(false)
  const [hasFailed, setHasFailed] = useState(false)
  const [past, setPast] = useState<FilteredEvents>()
  const oldest = log.events.find((event) => readSequence(event.id) !== undefined)
  const before = readSequence(oldest?.id)
  const first = readSequence(from)

  const load = async (wanted: bigint, end: bigint) => {
    setIsReading(true)
    const frames = await follower.readPast(wanted > 0n ? wanted - 1n : 0n, end, BLOCK)
    setIsReading(false)
    setHasFailed(frames === undefined)
    const receivedAt = Date.now()
    const events = frames?.map((frame, index): FeedEvent => ({ ...frame, index, receivedAt }))
    setPast(events && { length: events.length, at: (position) => events[position] })
  }

  return (
    <div className={styles["note"]}>
      <p>
        {grouped.format(log.leftOut)} older events are left out to keep this page quick
        {oldest?.id !== undefined && <>; it begins with {oldest.id}</>}.
      </p>
      {before !== undefined && (
        <div className={styles["filters"]}>
          <label htmlFor={id}>From sequence</label>
          <input
            id={id}
            inputMode="numeric"
            className={styles["control"]}
            value={from}
            onChange={({ target }) => setFrom(target.value.trim())}
          />
          <Button
            size="small"
            disabled={isReading || first === undefined || first >= before}
            onClick={() => first !== undefined && void load(first, before)}
          >
            Load
          </Button>
        </div>
      )}
      {hasFailed && <p>They could not be read now. Try again when the feed is live.</p>}
      {past !== undefined && (
        <Dialog title={`Events from ${from}`} onCancel={() => setPast(undefined)}>
          <ActivityLog
            events={past}
            lastSeen={undefined}
            current={undefined}
            addressOf={(event) => `?${new URLSearchParams({ event }).toString()}`}
            empty="There is no event between."
          />
          <DialogActions>
            <Button onClick={() => setPast(undefined)}>Close</Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}
