import {
  useCallback,
  useDeferredValue,
  useId,
  useMemo,
  useState,
  useSyncExternalStore,
  type ComponentProps,
} from "react"
import { type DeskError, isSameError } from "../client/desk-error.ts"
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
import type { ReceivedEvents, ReceivedSnapshot } from "./received-events.ts"
import { StreamStatus } from "./stream-status.tsx"
import type { Activity } from "./use-activity.ts"
import { useFeedAddress } from "./use-feed-address.ts"
import { useLastSeen } from "./use-last-seen.ts"
import { useSlowSnapshot } from "./use-slow-snapshot.ts"

type Props = {
  workId: string
  activity: Activity
  /** An error that the page already shows. The feed does not show it again. */
  shownError?: DeskError | undefined
}

/** The region Activity: whether the feed is live, and the events of a Work, newest first. */
export function ActivityFeed({ workId, activity: { received, follower }, shownError }: Props) {
  const id = useId()
  const told = useSlowSnapshot(received)
  const lastSeen = useLastSeen(workId, received)
  const state = useSyncExternalStore(follower.subscribe, follower.state)
  const { filter, setFilter, current, addressOf } = useFeedAddress()
  const [pausedAfter, setPausedAfter] = useState<number>()

  const select = useMemo(() => createFeedFilter(), [])
  const deferred = useDeferredValue(filter)
  const found = useMemo(() => select(told, deferred), [select, told, deferred])
  const held = pausedAfter === undefined ? undefined : found.length - upTo(found, pausedAfter).length
  const rowsOf = useCallback(
    (snapshot: ReceivedSnapshot) => upTo(select(snapshot, deferred), pausedAfter),
    [select, deferred, pausedAfter],
  )

  const pause = () => {
    const { events, count } = received.snapshot()
    setPausedAfter(pausedAfter === undefined ? (events[count - 1]?.index ?? -1) : undefined)
  }
  const save = () => {
    const { events, count } = received.snapshot()
    saveEvents(workId, events.slice(0, count))
  }
  return (
    <section aria-labelledby={id} id="activity" className={styles["region"]}>
      <header className={styles["head"]}>
        <h2 id={id}>Activity</h2>
        <StreamStatus state={state} pausedWith={held} />
      </header>
      <FeedTools
        received={told}
        filter={filter}
        found={found.length}
        isPaused={pausedAfter !== undefined}
        onFilter={setFilter}
        onPause={pause}
        onExport={save}
      />
      <WayOut state={state} shownError={shownError} tryNow={follower.tryNow} />
      {told.leftOut > 0 && <LeftOut received={told} follower={follower} />}
      {current !== undefined && findEvent(found, current) === -1 && (
        <p className={styles["note"]}>
          Event <OutsideText>{current}</OutsideText> is not among the events here{told.count === 0 ? " yet" : ""}.
        </p>
      )}
      <ReceivedRows
        key={`${deferred.type}\n${deferred.text}`}
        received={received}
        rowsOf={rowsOf}
        state={state}
        lastSeen={lastSeen}
        current={current}
        addressOf={addressOf}
      />
      <FeedAnnouncer received={received} />
    </section>
  )
}

type ReceivedRowsProps = Omit<ComponentProps<typeof EventRows>, "events" | "empty"> & {
  received: ReceivedEvents
  rowsOf: (received: ReceivedSnapshot) => FilteredEvents
  state: FollowState
}

/** The only part of the feed that is rendered for each event, so that the frame of an event is short. */
function ReceivedRows({ received, rowsOf, state, ...rows }: ReceivedRowsProps) {
  const snapshot = useSyncExternalStore(received.subscribe, received.snapshot)
  const events = useMemo(() => rowsOf(snapshot), [rowsOf, snapshot])
  return <EventRows {...rows} events={events} empty={emptyWords(state, snapshot.count)} />
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
