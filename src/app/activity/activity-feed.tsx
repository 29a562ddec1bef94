import { Link } from "react-router"
import {
  type ComponentProps,
  useCallback,
  useDeferredValue,
  useId,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react"
import type { DeskError } from "../client/desk-error.ts"
import { useSession } from "../client/session.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { plural } from "../../contract/plural.ts"
import { EventRows } from "./event-rows.tsx"
import styles from "./activity.module.css"
import { useFeedAddress } from "./feed-address.ts"
import { FeedAnnouncer } from "./feed-announcer.tsx"
import { countBefore, createFeedFilter, type FeedFilter, type FilteredEvents, findEvent } from "./feed-filter.ts"
import { type ReceivedEvents, type ReceivedSnapshot, useSlowSnapshot } from "./received-events.ts"
import { FeedTools, saveEvents, StreamStatus } from "./feed-head.tsx"
import type { FollowState } from "./follow-work.ts"
import { useLastSeen } from "./last-seen.ts"
import { StepList } from "./step-list.tsx"
import { StreamProblem } from "./stream-problem.tsx"
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

  const togglePause = () => {
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
        <h2 id={id} tabIndex={-1}>
          Activity
        </h2>
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
          onPause={isStopped && pausedAfter === undefined ? undefined : togglePause}
          onExport={save}
        />
      )}
      <StreamProblem state={state} shownError={shownError} tryNow={follower.tryNow} />
      {slow.leftOut > 0 && (
        <p className={styles["note"]}>
          {plural(slow.leftOut, "older event is", "older events are")} hidden to keep this page fast. The service still
          has them.
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

function upTo(events: FilteredEvents, index: number | undefined): FilteredEvents {
  return index === undefined ? events : { length: countBefore(events, index + 1), at: events.at }
}

function emptyWords(state: FollowState, count: number): string {
  if (count > 0) return "No events match."
  if (state.name === "live") return "Nothing has happened yet. Events appear here as they happen."
  if (state.name === "stopped") return "No events were received."
  return "Events appear here as they happen."
}
