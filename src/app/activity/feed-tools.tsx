import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { isJson, onOneLine } from "../ui/json-text.ts"
import { safeFileName, saveFile } from "../ui/save-file.ts"
import { writeHidden } from "../ui/outside-text.tsx"
import styles from "./activity.module.css"
import type { FeedEvent, FeedFilter, ReceivedSnapshot } from "./received-events.ts"

type Props = {
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
/** The select shows this many characters of a type. */
const TYPE_CHARACTERS_MAX = 60

/** The tools of the feed: find, filter by type, pause and export. */
export function FeedTools({ received, filter, found, isPaused, onFilter, onPause, onExport }: Props) {
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
              {typeWords(type)} ({count.toLocaleString("en")})
            </option>
          ))}
        </select>
      </div>
      <div className={styles["actions"]}>
        <span className="small soft">
          {isFiltered ? `${found.toLocaleString("en")} of ${total.toLocaleString("en")}` : total.toLocaleString("en")}{" "}
          {total === 1 && !isFiltered ? "event" : "events"}
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
