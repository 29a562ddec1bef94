import { useId, useState } from "react"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Callout } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { EventRows } from "./event-rows.tsx"
import styles from "./activity.module.css"
import { readSequence } from "./event-sequence.ts"
import type { ReceivedSnapshot } from "./received-events.ts"
import type { WorkFollower } from "./follow-work.ts"
import type { PastEvents } from "./past-events.ts"

/** Says how many events were dropped from memory, and reads them again from a sequence that the person chooses. */
export function LeftOut({ received, follower }: { received: ReceivedSnapshot; follower: WorkFollower }) {
  const id = useId()
  const [from, setFrom] = useState("1")
  /** The events that were read, and the sequence of the field at that time. `missing`: nothing was read, because the feed has no stream. */
  const [past, setPast] = useState<(PastEvents & { readonly from: bigint }) | "being read" | "missing">()
  const oldest = received.events.find((event) => readSequence(event.id) !== undefined)
  const oldestSequence = readSequence(oldest?.id)
  const chosen = readSequence(from)
  const canLoad = chosen !== undefined && oldestSequence !== undefined && chosen < oldestSequence

  const load = async () => {
    if (!canLoad || past === "being read") return
    setPast("being read")
    const read = await follower.readPast({ after: chosen > 0n ? chosen - 1n : 0n, before: oldestSequence })
    setPast(read === undefined ? "missing" : { ...read, from: chosen })
  }

  return (
    <div className={styles["note"]}>
      <p>
        {received.leftOut.toLocaleString("en")} older events are left out, to keep this page fast.
        {oldest?.id !== undefined && (
          <>
            {" "}
            The list begins with event <OutsideText>{oldest.id}</OutsideText>.
          </>
        )}
      </p>
      {oldestSequence !== undefined && (
        <div className={styles["filters"]}>
          <label htmlFor={id}>From sequence</label>
          <input
            id={id}
            inputMode="numeric"
            className={styles["control"]}
            value={from}
            onChange={({ target }) => setFrom(target.value.trim())}
          />
          <Button size="small" inactive={!canLoad || past === "being read"} onClick={() => void load()}>
            Load
          </Button>
        </div>
      )}
      {past === "missing" && (
        <p role="alert">The older events were not read, because the feed is not live. Try again when it is live.</p>
      )}
      {typeof past === "object" && (
        <Dialog title={`Events from ${String(past.from)}`} onCancel={() => setPast(undefined)}>
          <Completeness {...past} />
          {past.events.length > 0 && (
            <EventRows
              events={{ length: past.events.length, at: (position) => past.events[position] }}
              lastSeen={undefined}
              current={undefined}
              addressOf={(event) => `?${new URLSearchParams({ event }).toString()}`}
              empty=""
            />
          )}
          <DialogActions>
            <Button onClick={() => setPast(undefined)}>Close</Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}

/** Says whether all events of the range are here, and if not, why and how to read the rest. */
function Completeness({ events, end }: PastEvents) {
  if (typeof end === "object") return <ErrorAlert error={end.refused} kept="The feed itself goes on." compact />
  const count = events.length
  const last = events.findLast(({ id }) => readSequence(id) !== undefined)?.id
  const loadTheRest =
    last === undefined ? "Load the events again." : `Load from ${String(BigInt(last) + 1n)} to read on.`
  switch (end) {
    case "all":
      return (
        <p className="small soft">{count === 0 ? "There are no events in this range." : `All ${countOf(count)}.`}</p>
      )
    case "cut":
      return (
        <Callout announce="alert" tone="warn" icon="warning" compact>
          {count === 0
            ? "The connection was cut before the first event arrived: what happened in this range is not known. Load the events again."
            : `The connection was cut after ${countOf(count)}: more may follow. ${loadTheRest}`}
        </Callout>
      )
    case "limit":
      return (
        <Callout announce="status" icon="unknown" compact>
          These are the first {countOf(count)}. More are not shown at a time. {loadTheRest}
        </Callout>
      )
  }
}

function countOf(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "event" : "events"}`
}
