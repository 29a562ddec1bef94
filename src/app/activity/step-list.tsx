/** The list of a Work's steps, each with the folded events that were reported after it. */
import { type FocusEvent, useCallback, useRef, useState } from "react"
import { Link } from "react-router"
import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { RelativeTime } from "../ui/clocks.tsx"
import { Icon, type IconName } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatNumber, plural } from "../../contract/plural.ts"
import { formatAge } from "../ui/time-words.ts"
import styles from "./activity.module.css"
import { summarise } from "./event-line.ts"
import { EventRow } from "./event-row.tsx"
import { FeedFrame } from "./feed-frame.tsx"
import type { FeedEvent } from "./received-events.ts"
import type { Step, StepGroup, StepKind } from "./steps.ts"

type Props = {
  /** The newest first. */
  groups: readonly StepGroup[]
  /** Whether the fold of the latest step is open at first. */
  isLive: boolean
  /** Whether every fold is open at first, because the person is searching. */
  isSearch: boolean
  addressOf: (id: string) => string
  /** The text shown while there are no steps. */
  empty: string
}

/** The key of the group before all steps. */
const BEGINNING = "beginning"
const keyOf = ({ step }: StepGroup) => step?.key ?? BEGINNING

/**
 * The steps, newest first. While a person has scrolled down, opened an event, or moved into the list with the keyboard, the list stays as it is, and a
 * button shows what is new.
 */
export function StepList({ groups, isLive, isSearch, addressOf, empty }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const [isAway, setIsAway] = useState(false)
  const [hasKeys, setHasKeys] = useState(false)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  /** The folds that the person has opened or closed. */
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [held, setHeld] = useState<readonly StepGroup[]>()
  const isHeld = isAway || hasKeys || opened.size > 0
  if (isHeld && held === undefined) setHeld(groups)
  if (!isHeld && held !== undefined) setHeld(undefined)
  const shown = held ?? groups
  const waiting = countEntries(groups) - countEntries(shown)
  const toggle = useCallback(
    (event: FeedEvent) => setOpened((before) => before.symmetricDifference(new Set([event.index]))),
    [],
  )
  const listeners = {
    onScroll: () => setIsAway((scroller.current?.scrollTop ?? 0) > 0),
    onFocus: ({ target }: FocusEvent) => setHasKeys(target.matches(":focus-visible")),
    onBlur: () => setHasKeys(false),
  }
  const showNew = () => {
    scroller.current?.scrollTo({ top: 0 })
    setIsAway(false)
    setHasKeys(false)
    setOpened(new Set())
  }
  return (
    <FeedFrame unread={waiting} showNew={showNew}>
      <div ref={scroller} role="log" aria-live="off" aria-label="Steps" className={styles["log"]} {...listeners}>
        {shown.length === 0 && <p className={styles["empty"]}>{empty}</p>}
        <ol>
          {shown.map((group, place) => {
            const key = keyOf(group)
            const isOpen = folds.get(key) ?? (isSearch || (isLive && place === 0))
            return (
              <li key={key} className={styles["step"]}>
                {group.step !== undefined && <StepHead step={group.step} />}
                {group.reports.length > 0 && (
                  <Fold
                    group={group}
                    isOpen={isOpen}
                    onToggle={(open) => setFolds((before) => new Map(before).set(key, open))}
                    opened={opened}
                    onEvent={toggle}
                    addressOf={addressOf}
                  />
                )}
              </li>
            )
          })}
        </ol>
      </div>
    </FeedFrame>
  )
}

const countEntries = (groups: readonly StepGroup[]) =>
  groups.reduce((sum, { step, reports }) => sum + reports.length + (step === undefined ? 0 : 1), 0)

const icons: Readonly<Record<StepKind, IconName>> = {
  created: "new",
  started: "play",
  paused: "paused",
  asked: "needs-you",
  answered: "done",
  requested: "approvals",
  approved: "done",
  declined: "close",
  results: "file",
  done: "done",
}
const GOOD: readonly StepKind[] = ["answered", "approved", "done"]

function StepHead({ step: { kind, words, at, about, to } }: { step: Step }) {
  const text = about !== undefined && <OutsideText>{about}</OutsideText>
  return (
    <>
      <span className={classes(styles["stepIcon"], GOOD.includes(kind) && styles["good"])}>
        <Icon name={icons[kind]} />
      </span>
      <p className={styles["stepWords"]}>
        <OutsideText>{words}</OutsideText>
      </p>
      <RelativeTime at={new Date(at).toISOString()} className="small soft" />
      {text && (
        <p className={styles["about"]}>
          {to === undefined ? (
            text
          ) : (
            <Link to={to} className="underlined">
              {text}
            </Link>
          )}
        </p>
      )}
    </>
  )
}

/** A fold shows this many of its newest events at first. `Show more` shows `MORE` times as many. */
const FIRST = 50
const MORE = 8

type FoldProps = {
  group: StepGroup
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
  /** The indexes of the events that are open. */
  opened: ReadonlySet<number>
  onEvent: (event: FeedEvent) => void
  addressOf: (id: string) => string
}

function Fold({ group: { step, reports }, isOpen, onToggle, opened, onEvent, addressOf }: FoldProps) {
  const [limit, setLimit] = useState(FIRST)
  const older = reports.length - limit
  return (
    <details
      open={isOpen}
      className={styles["fold"]}
      // The events within are `details` too.
      onToggle={({ currentTarget, target }) =>
        target === currentTarget && currentTarget.open !== isOpen && onToggle(currentTarget.open)
      }
    >
      <summary className={styles["foldHead"]}>
        <Icon name="chevron" size={12} />
        {formatReports(reports)}
      </summary>
      {isOpen && (
        <>
          <ol>
            {reports
              .slice(-limit)
              .toReversed()
              .map((event) => (
                <li key={event.index} className={styles["report"]}>
                  <EventRow
                    event={event}
                    since={step?.at}
                    isOpen={opened.has(event.index)}
                    addressOf={addressOf}
                    onToggle={onEvent}
                  />
                </li>
              ))}
          </ol>
          {older > 0 && (
            <Button kind="plain" size="small" onClick={() => setLimit(limit * MORE)}>
              Show {formatNumber(Math.min(older, limit * (MORE - 1)))} more
            </Button>
          )}
        </>
      )}
    </details>
  )
}

/** "12 reports, 40 s": the number, and the time between the first and the last event that have one. */
function formatReports(reports: readonly FeedEvent[]): string {
  const isDated = (event: FeedEvent) => summarise(event).happened !== undefined
  const [first, last] = [reports.find(isDated), reports.findLast(isDated)]
  const count = plural(reports.length, "report")
  if (first === undefined || last === undefined || first === last) return count
  const [from, to] = [first, last].map((event) => Date.parse(summarise(event).happened?.at ?? ""))
  return `${count}, ${formatAge(Math.abs((to ?? 0) - (from ?? 0)))}`
}
