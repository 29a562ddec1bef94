import { useState } from "react"
import { Link } from "react-router"
import type { RecordEntry } from "../../contract/desk-work.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Fact, Facts } from "../ui/facts.tsx"
import { Identifier } from "../ui/identifier.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Status } from "../ui/status.tsx"
import { formatExact } from "../ui/time-words.ts"
import { actionOf, outcomeOf } from "./record-words.ts"
import styles from "./record.module.css"

/** An entry as a line. A click on it opens everything that the record says. */
export function RecordEntryRow({ entry }: { entry: RecordEntry }) {
  const outcome = outcomeOf(entry)
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={styles["entry"]} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className={styles["row"]}>
        <span className={styles["who"]}>
          <OutsideText>{entry.person.name}</OutsideText>
        </span>
        <span className={styles["action"]}>{actionOf(entry)}</span>
        <span className={styles["title"]}>
          <OutsideText empty="">{entry.summary ?? entry.subject ?? entry.work_id ?? ""}</OutsideText>
        </span>
        <span className={styles["version"]}>{entry.version !== undefined && `v${entry.version}`}</span>
        <span className={styles["outcome"]}>
          <Status tone={outcome.tone} icon={outcome.icon}>
            {outcome.words}
          </Status>
        </span>
        <RelativeTime at={entry.at} focusable={false} className={styles["age"] ?? ""} />
      </summary>
      {isOpen && (
        <div className={styles["facts"]}>
          <Details entry={entry} />
        </div>
      )}
    </details>
  )
}

function Details({ entry }: { entry: RecordEntry }) {
  const { work_id: workId, status, roles } = entry
  const texts = [
    ["Service's actor", entry.service_actor],
    ["Destination", entry.destination],
    ["Subject", entry.subject],
  ] as const
  const identifiers: readonly (readonly [name: string, value: { toString(): string } | undefined])[] = [
    ["Item", entry.item_id],
    ["Version", entry.version],
    ["Content hash", entry.content_hash],
    ["Payload hash", entry.payload_hash],
    ["Body hash", entry.body_hash],
    ["Request ID", entry.request_id],
    ["Sequence", entry.sequence],
    ["Row hash", entry.hash],
  ]
  return (
    <Facts>
      <Fact name="When">{formatExact(entry.at)}</Fact>
      <Fact name="Who">
        <OutsideText>{entry.person.name}</OutsideText>, <Identifier value={entry.person.id} />
      </Fact>
      <Fact name="Roles">{roles.length === 0 ? "None" : roles.join(", ")}</Fact>
      <Fact name="Operation">
        {entry.operation}
        {status !== undefined && `, answered with status ${status}`}
      </Fact>
      {texts.map(
        ([name, value]) =>
          value !== undefined && (
            <Fact key={name} name={name}>
              <OutsideText>{value}</OutsideText>
            </Fact>
          ),
      )}
      {workId !== undefined && (
        <Fact name="Work">
          <Link to={workAddress(workId)} className="underlined">
            <Identifier value={workId} />
          </Link>
        </Fact>
      )}
      {identifiers.map(
        ([name, value]) =>
          value !== undefined && (
            <Fact key={name} name={name}>
              <Identifier value={value.toString()} copyable={name} />
            </Fact>
          ),
      )}
    </Facts>
  )
}
