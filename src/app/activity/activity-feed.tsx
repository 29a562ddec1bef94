import { useDeferredValue, useId, useMemo, useState, useSyncExternalStore } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { isSameError } from "../client/same-error.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { EventRows } from "./event-rows.tsx"
import styles from "./activity.module.css"
import { saveEvents } from "./export-events.ts"
import { FeedAnnouncer } from "./feed-announcer.tsx"
import { countBefore, createFeedFilter, findEvent, type FilteredEvents } from "./feed-filter.ts"
import { FeedTools } from "./feed-tools.tsx"
import type { FollowState } from "./follow-work.ts"
import { LeftOut } from "./left-out.tsx"
import { StreamStatus } from "./stream-status.tsx"
import type { Activity } from "./use-activity.ts"
import { useFeedAddress } from "./use-feed-address.ts"
import { useLastSeen } from "./use-last-seen.ts"

type Props = {
  workId: string
  activity: Activity
  /** An error that the page already shows. The feed does not show it again. */
  shownError?: DeskError | undefined
}

/** The region Activity: whether the feed is live, and the events of a Work, newest first. */
export function ActivityFeed({ workId, activity, shownError }: Props) {
  const id = useId()
  const received = useSyncExternalStore(activity.received.subscribe, activity.received.snapshot)
  const state = useSyncExternalStore(activity.follower.subscribe, activity.follower.state)
  const lastSeen = useLastSeen(workId, activity.received)
  const { filter, setFilter, current, addressOf } = useFeedAddress()
  const [pausedAfter, setPausedAfter] = useState<number>()

  const select = useMemo(() => createFeedFilter(), [])
  const deferred = useDeferredValue(filter)
  const found = useMemo(() => select(received, deferred), [select, received, deferred])
  const shown = useMemo(() => upTo(found, pausedAfter), [found, pausedAfter])

  const pause = () =>
    setPausedAfter(pausedAfter === undefined ? (received.events[received.count - 1]?.index ?? -1) : undefined)
  return (
    <section aria-labelledby={id} id="activity" className={styles["region"]}>
      <header className={styles["head"]}>
        <h2 id={id}>Activity</h2>
        <StreamStatus state={state} pausedWith={pausedAfter === undefined ? undefined : found.length - shown.length} />
      </header>
      <FeedTools
        received={received}
        filter={filter}
        found={found.length}
        isPaused={pausedAfter !== undefined}
        onFilter={setFilter}
        onPause={pause}
        onExport={() => saveEvents(workId, received.events.slice(0, received.count))}
      />
      <WayOut state={state} shownError={shownError} tryNow={activity.follower.tryNow} />
      {received.leftOut > 0 && <LeftOut received={received} follower={activity.follower} />}
      {current !== undefined && findEvent(found, current) === -1 && (
        <p className={styles["note"]}>
          Event <OutsideText>{current}</OutsideText> is not among the events here{received.count === 0 ? " yet" : ""}.
        </p>
      )}
      <EventRows
        key={`${deferred.type}\n${deferred.text}`}
        events={shown}
        lastSeen={lastSeen}
        current={current}
        addressOf={addressOf}
        empty={emptyWords(state, received.count)}
      />
      <FeedAnnouncer received={received} />
    </section>
  )
}

type WayOutProps = { state: FollowState; shownError: DeskError | undefined; tryNow: () => void }

/** Why the feed does not go on, in the Problem's own words, and what a person can do. */
function WayOut({ state, shownError, tryNow }: WayOutProps) {
  const button = wayOutButton(state)
  const action = button !== undefined && (
    <Button kind={state.name === "stopped" ? "secondary" : "plain"} size="small" onClick={tryNow}>
      {button}
    </Button>
  )
  const error = refusalOf(state)
  if (error !== undefined && !isSameError(error, shownError)) {
    return (
      <div className={styles["wayOut"]}>
        <ErrorAlert
          error={error}
          words={state.name === "stopped" ? undefined : { happened: "", toDo: "" }}
          kept="The events that arrived are kept."
          retryAt={state.name === "stopped" ? undefined : error.retryAt}
          action={action}
          compact
        />
      </div>
    )
  }
  return action === false ? null : <div className={styles["wayOut"]}>{action}</div>
}

/** The refusal to show as an alert. The status alone tells an outage that the next attempt may end, so that the page does not jump. */
function refusalOf(state: FollowState): DeskError | undefined {
  if (state.name === "stopped") return state.error
  if (state.name !== "reconnecting" || state.error?.kind !== "problem") return undefined
  return state.error.retryAt !== undefined || !state.error.outcomeUnknown ? state.error : undefined
}

function wayOutButton(state: FollowState): string | undefined {
  if (state.name === "stopped") return "Try again"
  if (state.name === "paused" && state.reason === "elsewhere") return "Continue here"
  // No button ends the wait for a `Retry-After`.
  const isBackingOff = state.name === "reconnecting" && state.until !== undefined && state.error?.retryAt === undefined
  return isBackingOff ? "Try now" : undefined
}

function upTo(events: FilteredEvents, index: number | undefined): FilteredEvents {
  return index === undefined ? events : { length: countBefore(events, index + 1), at: events.at }
}

function emptyWords(state: FollowState, count: number): string {
  if (count > 0) return "No event matches."
  if (state.name === "live") return "Nothing has happened yet. Events appear here as they come."
  if (state.name === "stopped") return "No event was received."
  return "Events appear here as they come."
}
