import { Link, useSearchParams } from "react-router"
import {
  type ComponentProps,
  memo,
  useCallback,
  useDeferredValue,
  useId,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { useSession } from "../client/session.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { plural } from "../../contract/plural.ts"
import { EventRows } from "./event-rows.tsx"
import styles from "./activity.module.css"
import { summarise } from "./event-line.ts"
import { countBefore, createFeedFilter, type FeedFilter, type FilteredEvents, findEvent } from "./feed-filter.ts"
import { type ReceivedEvents, type ReceivedSnapshot, useSlowSnapshot } from "./received-events.ts"
import { FeedTools, saveEvents, StreamStatus } from "./feed-head.tsx"
import type { FollowState } from "./follow-work.ts"
import { useLastSeen } from "./last-seen.ts"
import { StepList } from "./step-list.tsx"
import { foldReports, knownSteps, type KnownOfWork, type Step, type StepGroup } from "./steps.ts"
import type { Activity } from "./use-activity.ts"

type Props = {
  workId: string
  activity: Activity
  /** What is known about the Work besides its events. The steps are made from it. */
  known: KnownOfWork
  /** An error that the page already shows. The feed does not show it again. */
  shownError?: DeskError | undefined
}

/** The index before the first event: a feed that is paused without an event shows none. */
const BEFORE_FIRST = -1

/** The region Activity: whether the feed is live, and what happened in a Work, newest first: as steps, or event by event. */
export function ActivityFeed({ workId, activity: { received, follower }, known, shownError }: Props) {
  const id = useId()
  const slow = useSlowSnapshot(received)
  const lastSeen = useLastSeen(workId, received)
  const state = useSyncExternalStore(follower.subscribe, follower.state)
  const { filter, setFilter, isRaw, addressOfView, current, addressOf } = useFeedAddress()
  const steps = useMemo(() => knownSteps(known), [known])
  /** While the feed is paused: the index of the last shown event, and the steps at that time. */
  const [paused, setPaused] = useState<{ readonly after: number; readonly steps: readonly Step[] }>()
  const pausedAfter = paused?.after

  const select = useMemo(() => createFeedFilter(), [])
  const deferred = useDeferredValue(filter)
  const found = useMemo(() => select(slow, deferred), [select, slow, deferred])
  const arrivedSincePause = pausedAfter === undefined ? undefined : found.length - upTo(found, pausedAfter).length
  const isStopped = state.name === "stopped"
  /** Whether there is nothing to find, to pause or to export: the service refused the stream before the first event. */
  const hasNothing = isStopped && slow.count + slow.leftOut === 0
  const isCurrentMissing = current !== undefined && findEvent(found, current) === -1
  const rowsOf = useCallback(
    (snapshot: ReceivedSnapshot) => upTo(select(snapshot, deferred), pausedAfter),
    [select, deferred, pausedAfter],
  )

  const pause = () => {
    const { events, count } = received.snapshot()
    setPaused(paused === undefined ? { after: events[count - 1]?.index ?? BEFORE_FIRST, steps } : undefined)
  }
  const save = () => {
    const { events, count } = received.snapshot()
    saveEvents(workId, events.slice(0, count))
  }
  return (
    <section aria-labelledby={id} id="activity" className={styles["region"]}>
      <header className={styles["head"]}>
        <h2 id={id}>Activity</h2>
        <nav aria-label="Show" className={styles["views"]}>
          {(["Steps", "Raw"] as const).map((name) => (
            <Link key={name} to={addressOfView(name)} replace aria-current={(name === "Raw") === isRaw}>
              {name}
            </Link>
          ))}
        </nav>
        <StreamStatus state={state} pausedWith={arrivedSincePause} />
      </header>
      {!hasNothing && (
        <FeedTools
          received={slow}
          filter={filter}
          found={found.length}
          isPaused={pausedAfter !== undefined}
          onFilter={setFilter}
          onPause={isStopped && pausedAfter === undefined ? undefined : pause}
          onExport={save}
        />
      )}
      <WayOut state={state} shownError={shownError} tryNow={follower.tryNow} />
      {slow.leftOut > 0 && (
        <p className={styles["note"]}>
          {plural(slow.leftOut, "older event is", "older events are")} left out, to keep this page fast. The service has
          them all.
        </p>
      )}
      {isRaw && isCurrentMissing && (
        <p className={styles["note"]}>
          Event <OutsideText>{current}</OutsideText> isn't in this list{slow.count === 0 ? " yet" : ""}.
        </p>
      )}
      {isRaw ? (
        <ReceivedRows
          key={`${deferred.type}\n${deferred.text}`}
          received={received}
          rowsOf={rowsOf}
          state={state}
          lastSeen={lastSeen}
          current={current}
          addressOf={addressOf}
        />
      ) : (
        <ReceivedSteps
          key={`${deferred.type}\n${deferred.text}`}
          events={upTo(found, pausedAfter)}
          firstLive={slow.firstLive}
          steps={paused?.steps ?? steps}
          filter={deferred}
          isLive={state.name === "live" && known.work?.status !== "done"}
          addressOf={addressOf}
          empty={emptyWords(state, slow.count)}
        />
      )}
      <FeedAnnouncer received={received} isPaused={pausedAfter !== undefined} />
    </section>
  )
}

/** The filter, the view and the chosen event. They belong to the address, so that a person can send them to somebody. */
function useFeedAddress() {
  const [search, setSearch] = useSearchParams()
  const [type, text] = [search.get("type") ?? "", search.get("find") ?? ""]
  const current = search.get("event") ?? undefined
  const filter = useMemo(() => ({ type, text }), [type, text])
  const setFilter = (next: FeedFilter) =>
    setSearch((before) => withValues(before, { type: next.type, find: next.text }), { replace: true })
  // The same text for every event, so that no row is rendered again when the address changes to another event.
  const rest = withValues(search, { event: "", activity: "" }).toString()
  const addressOf = useCallback((event: string) => `?${withValues(new URLSearchParams(rest), { event })}`, [rest])
  return {
    filter,
    setFilter,
    // The address of an event opens the raw list, because a step would hide the event in its fold.
    isRaw: current !== undefined || search.get("activity") === "raw",
    addressOfView: (view: "Steps" | "Raw") =>
      `?${withValues(search, { event: "", activity: view === "Raw" ? "raw" : "" })}`,
    current,
    addressOf,
  }
}

/** The query with these values. An empty value is left out. */
function withValues(before: URLSearchParams, values: Readonly<Record<string, string>>): URLSearchParams {
  const after = new URLSearchParams(before)
  for (const [name, value] of Object.entries(values)) {
    if (value === "") after.delete(name)
    else after.set(name, value)
  }
  return after
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

type ReceivedStepsProps = Omit<ComponentProps<typeof StepList>, "groups" | "isSearch"> & {
  events: FilteredEvents
  firstLive: number
  steps: readonly Step[]
  filter: FeedFilter
}

/** The steps whose events or own words match the filter. */
function ReceivedSteps({ events, firstLive, steps, filter, ...list }: ReceivedStepsProps) {
  const isEmbedded = useSession()?.upstream === "embedded"
  const isSearch = filter.type !== "" || filter.text !== ""
  const groups = useMemo(() => {
    const words = new RegExp(RegExp.escape(filter.text), "iu")
    const isFound = ({ step, reports }: StepGroup) =>
      reports.length > 0 ||
      (step !== undefined && filter.type === "" && words.test(`${step.words} ${step.about ?? ""}`))
    const all = foldReports(steps, { events, firstLive, isEmbedded })
    return isSearch ? all.filter(isFound) : all
  }, [steps, events, firstLive, isEmbedded, filter, isSearch])
  return <StepList {...list} groups={groups} isSearch={isSearch} />
}

type WayOutProps = { state: FollowState; shownError: DeskError | undefined; tryNow: () => void }

/** Why the feed has stopped, in the Problem's own words, and what a person can do. */
function WayOut({ state, shownError, tryNow }: WayOutProps) {
  const isStopped = state.name === "stopped"
  // Where the page says that the Work is missing, another attempt would find nothing to follow.
  const button = shownError?.failure === "not-visible" ? undefined : wayOutButton(state)
  const action = button !== undefined && (
    <Button kind={isStopped ? "secondary" : "plain"} size="small" onClick={tryNow}>
      {button}
    </Button>
  )
  const error = refusalOf(state)
  const isShown = error !== undefined && !isSameError(error, shownError)
  if (!isShown && !action) return null
  return (
    <div className={styles["wayOut"]}>
      {isShown ? (
        <ErrorAlert
          error={error}
          // Before another attempt the status says what happened, and the alert adds the Problem's own words.
          words={isStopped ? undefined : { happened: "", toDo: "" }}
          kept="Events received so far are kept."
          retryAt={isStopped ? undefined : error.retryAt}
          action={action}
          compact
        />
      ) : (
        action
      )}
    </div>
  )
}

/**
 * The refusal to show as an alert: the one that stopped the feed, or a Problem with a `Retry-After` or a known outcome. Any other failure
 * may end at the next attempt, so that only the status shows it, and the page does not jump.
 */
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

/**
 * The least time between two announcements, so that a burst of events is announced by one number. The time is no whole number of seconds:
 * else the announcement would delay the row of an event that comes every second.
 */
const ANNOUNCED_MS = 3_500

type AnnouncerProps = { received: ReceivedEvents; isPaused: boolean }

/**
 * Announces new events to a screen reader: one event by its line, several by their number. While the feed is paused it is silent. `memo` keeps the
 * feed from rendering it.
 */
const FeedAnnouncer = memo(function FeedAnnouncer({ received, isPaused }: AnnouncerProps) {
  const { events, count, leftOut } = useSlowSnapshot(received, ANNOUNCED_MS)
  const total = count + leftOut
  const [announced, setAnnounced] = useState({ total: 0, words: "" })
  const newest = events[count - 1]
  if (newest !== undefined && total !== announced.total && !isPaused) {
    const added = total - announced.total
    const words = added === 1 ? (summarise(newest).line ?? newest.type) : plural(added, "new event")
    setAnnounced({ total, words })
  }
  return (
    <div aria-live="polite" className="visually-hidden">
      <OutsideText>{announced.words}</OutsideText>
    </div>
  )
})
