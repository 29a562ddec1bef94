import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { isJson, onOneLine } from "../ui/json-text.ts"
import { safeFileName, saveFile } from "../ui/save-file.ts"
import { writeHidden } from "../ui/hidden-characters.ts"
import { formatNumber, plural } from "../../contract/plural.ts"
import styles from "./activity.module.css"
import type { FeedFilter } from "./feed-filter.ts"
import type { FeedEvent, ReceivedSnapshot } from "./received-events.ts"
import type { RefusalCode } from "../../contract/refusal-codes.ts"
import type { DeskError, Failure } from "../client/desk-error.ts"
import { wordsFor } from "../ui/error-words.tsx"
import { Countdown } from "../ui/clocks.tsx"
import { SILENCE_MS } from "./event-connection.ts"
import type { FollowState, ReconnectReason } from "./follow-work.ts"
import { PERMITS } from "./stream-permits.ts"

type ToolsProps = {
  received: ReceivedSnapshot
  filter: FeedFilter
  found: number
  isPaused: boolean
  onFilter: (filter: FeedFilter) => void
  /** Undefined where the feed can neither be paused nor resumed. */
  onPause: (() => void) | undefined
  onExport: () => void
}

/** The select offers at most this many types. An event of another type is found by its text. */
const TYPES_MAX = 200
const TYPE_CHARACTERS_MAX = 60

/** The tools of the feed: find, filter by type, pause and export. */
export function FeedTools({ received, filter, found, isPaused, onFilter, onPause, onExport }: ToolsProps) {
  const types = [...received.types].slice(0, TYPES_MAX)
  const isFiltered = filter.type !== "" || filter.text !== ""
  const total = received.count + received.leftOut
  return (
    <div className={styles["tools"]}>
      <div className={styles["filters"]}>
        <input
          type="search"
          aria-label="Find in activity"
          placeholder="Find in activity"
          className={styles["control"]}
          value={filter.text}
          onChange={({ target }) => onFilter({ ...filter, text: target.value })}
        />
        <select
          aria-label="Event type"
          className={styles["control"]}
          value={filter.type}
          onChange={({ target }) => onFilter({ ...filter, type: target.value })}
        >
          <option value="">All types</option>
          {filter.type !== "" && !types.some(([type]) => type === filter.type) && (
            <option value={filter.type}>{typeWords(filter.type)}</option>
          )}
          {types.map(([type, count]) => (
            <option key={type} value={type}>
              {typeWords(type)} ({formatNumber(count)})
            </option>
          ))}
        </select>
      </div>
      <div className={styles["actions"]}>
        <span className="small soft">
          {isFiltered && `${formatNumber(found)} of `}
          {plural(total, "event")}
        </span>
        <span className="grow" />
        {onPause && (
          <Button kind="plain" size="small" onClick={onPause}>
            <Icon name={isPaused ? "play" : "paused"} size={14} />
            {isPaused ? "Resume" : "Pause"}
          </Button>
        )}
        <Button kind="plain" size="small" onClick={onExport} disabled={received.count === 0}>
          <Icon name="download" size={14} />
          Export<span className="visually-hidden"> activity as JSON Lines</span>
        </Button>
      </div>
    </div>
  )
}

function typeWords(type: string): string {
  return writeHidden(type.slice(0, TYPE_CHARACTERS_MAX)) + (type.length > TYPE_CHARACTERS_MAX ? "…" : "")
}

/**
 * One event as a line of JSON Lines. `id` is the text that was sent. `data` is the JSON that was sent, with a space for each line break. Data
 * that is not JSON becomes a string.
 */
export function writeEventLine({ id, type, data, receivedAt }: FeedEvent): string {
  const received = JSON.stringify(new Date(receivedAt).toISOString())
  const payload = isJson(data) ? onOneLine(data) : JSON.stringify(data)
  return `{"id":${JSON.stringify(id ?? null)},"event":${JSON.stringify(type)},"received_at":${received},"data":${payload}}\n`
}

/** Saves the events as a JSON Lines file, oldest first. */
export function saveEvents(workId: string, events: readonly FeedEvent[]): void {
  saveFile(
    new Blob(events.map(writeEventLine), { type: "application/jsonl" }),
    safeFileName(`activity-${workId}.jsonl`),
  )
}

type StatusProps = {
  state: FollowState
  /** How many events arrived since the person paused the feed; undefined while the feed is not paused. */
  pausedWith: number | undefined
}

/**
 * Whether the feed is current, as a status that begins with its word. The symbol before the word is hidden from assistive
 * technology.
 */
export function StreamStatus({ state, pausedWith }: StatusProps) {
  const isPaused = pausedWith !== undefined && state.name !== "stopped"
  return (
    <output className={styles["status"]}>
      <span aria-hidden="true" className={styles["symbol"]} data-state={isPaused ? "paused" : state.name} />
      <span>{isPaused ? <Paused state={state} more={pausedWith} /> : <Words state={state} />}</span>
    </output>
  )
}

function Paused({ state: { name }, more }: { state: FollowState; more: number }) {
  const isDown = name !== "live" && name !== "connecting"
  return (
    <>
      Paused
      {/* A screen reader does not read each number aloud: the person has asked for quiet. */}
      <span aria-live="off">, {more} new</span>
      {isDown && ". The connection is down"}
    </>
  )
}

function Words({ state }: { state: FollowState }) {
  switch (state.name) {
    case "connecting":
      return "Connecting…"
    case "live":
      return "Live"
    case "reconnecting": {
      const why = state.error === undefined ? reasons[state.reason] : refusalWords(state.error)
      if (state.until === undefined) return `Reconnecting… ${why}`
      return (
        <>
          Reconnecting <Countdown until={state.until} />. {why}
        </>
      )
    }
    case "paused":
      return state.reason === "hidden"
        ? "Paused while this tab is hidden. No events are lost."
        : `Paused here because ${String(PERMITS)} other tabs are live. No events are lost.`
    case "stopped":
      return `Stopped. ${stopWords(state.error)}`
  }
}

const reasons: Readonly<Record<ReconnectReason, string>> = {
  cut: "The connection was cut.",
  late: `Nothing received for ${String(SILENCE_MS / 1000)} s.`,
  offline: "This browser is offline.",
  refused: "",
  shown: "Loading the events you missed.",
}

/** Plain words for a refusal after which the feed tries again. The Problem's own words stand in an alert below the status. */
function refusalWords(error: DeskError): string {
  if (error.code === ("PROXY_STREAMS_BUSY" satisfies RefusalCode)) return "All of this desk's live streams are in use."
  // streamWorkEvents answers 429 also where a credential has too many streams open. Then there were not too many requests.
  if (error.failure === "too-many") return "The service allows no more live streams at the moment."
  return wordsFor(error).happened
}

const stops: Readonly<Partial<Record<Failure, string>>> = {
  unauthenticated: "The service rejected Workdesk's credential.",
  forbidden: "This account can't follow this Work.",
  "not-visible": "This account can't see this Work.",
}

function stopWords({ failure }: DeskError): string {
  return (failure && stops[failure]) ?? "This Work can't be followed."
}
