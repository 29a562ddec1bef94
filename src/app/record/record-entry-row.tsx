import { memo } from "react"
import { Link } from "react-router"
import type { NamedPerson } from "../../contract/desk-people.ts"
import type { RecordedOperation, RecordEntry, RecordOutcome } from "../../contract/desk-work.ts"
import { plural } from "../../contract/plural.ts"
import { formatPatterns } from "../../contract/rule-patterns.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Fact, Facts } from "../ui/facts.tsx"
import { Identifier } from "../ui/copy-button.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { Status } from "../ui/status.tsx"
import { formatExact } from "../ui/time-words.ts"
import styles from "./record.module.css"
import type { IconName } from "../ui/icon.tsx"

type Props = {
  /** The key of the row in its list. */
  row: string
  entry: RecordEntry
  isChosen: boolean
  isOpen: boolean
  onChoose: (row: string) => void
  onToggle: (row: string) => void
}

/** An entry as a line. A click on it opens everything that the record says. */
export const RecordEntryRow = memo(function RecordEntryRow(props: Props) {
  const { row, entry, isChosen, isOpen, onChoose, onToggle } = props
  const outcome = outcomeOf(entry)
  return (
    <details
      className={styles["entry"]}
      open={isOpen}
      onToggle={({ currentTarget }) => currentTarget.open !== isOpen && onToggle(row)}
    >
      <summary className={styles["row"]} data-row={row} data-selected={isChosen} onFocus={() => onChoose(row)}>
        <span className={styles["who"]}>
          <OutsideText>{entry.person.name}</OutsideText>
        </span>
        <span className={styles["action"]}>
          {actionOf(entry)}
          {formatOthers(entry)}
        </span>
        <span className={styles["title"]}>
          <OutsideText empty="">{titleOf(entry)}</OutsideText>
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
})

/** What an entry is about. */
function titleOf({ operation, colleague, summary, subject, about, work_id: workId }: RecordEntry): string {
  const isFreeze = operation === "freeze" || operation === "unfreeze"
  if (isFreeze && colleague !== undefined) return summary === undefined ? colleague : `${colleague}: ${summary}`
  return summary ?? subject ?? about?.name ?? workId ?? ""
}

function Details({ entry }: { entry: RecordEntry }) {
  const { work_id: workId, status, roles } = entry
  const texts = [
    ["Service actor", entry.service_actor],
    ["Colleague", entry.colleague],
    ["Destination", entry.destination],
    ["Subject", entry.subject],
    ["Policy reason", entry.reason],
  ] as const
  const identifiers: readonly (readonly [name: string, value: { toString(): string } | undefined])[] = [
    ["Item", entry.item_id],
    ["Version", entry.version],
    ["Content hash", entry.content_hash],
    ["Payload hash", entry.payload_hash],
    ["Body hash", entry.body_hash],
    ["Request ID", entry.request_id],
    ["Decided together", entry.together],
    ["Sequence", entry.sequence],
    ["Row hash", entry.hash],
  ]
  return (
    <Facts>
      <Fact name="When">{formatExact(entry.at)}</Fact>
      <Fact name="Who">
        <Person {...entry.person} />
      </Fact>
      <Fact name="Roles">{roles.length === 0 ? "None" : roles.join(", ")}</Fact>
      <Fact name="Operation">
        {entry.operation}
        {status !== undefined && `, status ${status}`}
      </Fact>
      <Absence entry={entry} />
      {entry.asked_at !== undefined && (
        <Fact name="Asked">
          <OutsideText>{formatExact(entry.asked_at)}</OutsideText>
        </Fact>
      )}
      {texts.map(
        ([name, value]) =>
          value !== undefined && (
            <Fact key={name} name={name}>
              <OutsideText>{value}</OutsideText>
            </Fact>
          ),
      )}
      <Rules rules={entry.rules} />
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

/** The rules that matched a decided approval. */
function Rules({ rules }: { rules: RecordEntry["rules"] | undefined }) {
  if (rules === undefined) return null
  return (
    <Fact name="Rules">
      {rules.length === 0 && "None"}
      {rules.map(formatPatterns).map((rule) => (
        <div key={rule}>
          <OutsideText>{rule}</OutsideText>
        </div>
      ))}
    </Fact>
  )
}

/** From when until when somebody is away, and who stands in. The end of an absence has nothing of it but the person. */
function Absence({ entry: { about, stand_in: standIn, from, until } }: { entry: RecordEntry }) {
  return (
    <>
      {about && (
        <Fact name="Absence of">
          <Person {...about} />
        </Fact>
      )}
      {isString(from) && <Fact name="From">{formatExact(from)}</Fact>}
      {isString(until) && <Fact name="Until">{formatExact(until)}</Fact>}
      {isString(until) && <Fact name="Stand-in">{standIn ? <Person {...standIn} /> : "Nobody"}</Fact>}
    </>
  )
}

const isString = (value: string | null | undefined): value is string => typeof value === "string"

const Person = ({ id, name }: NamedPerson) => (
  <>
    <OutsideText>{name}</OutsideText>, <Identifier value={id} />
  </>
)

/** The operations that the record has entries of, each with its name in the filter `Operation`. */
const NAMES: Readonly<Record<RecordedOperation, string>> = {
  resolveWorkApproval: "Approvals",
  withdrawApproval: "Approvals withdrawn",
  resolveWorkAttention: "Answers",
  takeItem: "Items taken",
  handItem: "Items handed over",
  giveBackItem: "Items given back",
  createWork: "New Work",
  createInputUpload: "Uploads",
  retryInputUploadProcessing: "Scans repeated",
  freeze: "Freezes",
  unfreeze: "Freezes ended",
  setAway: "Absences",
}
export const operationNames = Object.entries(NAMES)

export const outcomeNames: readonly (readonly [outcome: RecordOutcome, name: string])[] = [
  ["recorded", "Recorded"],
  ["refused", "Refused"],
  ["held", "Held"],
  ["unknown", "Outcome unknown"],
]

type Verb = { readonly did: string; readonly tried: string }

const verbs: Readonly<Partial<Record<string, Verb>>> = {
  approve: { did: "approved", tried: "tried to approve" },
  withdrawApproval: { did: "withdrew an approval", tried: "tried to withdraw an approval" },
  decline: { did: "declined", tried: "tried to decline" },
  change: { did: "declined and asked for a change", tried: "tried to decline and ask for a change" },
  resolveWorkAttention: { did: "answered", tried: "tried to answer" },
  takeItem: { did: "took an item", tried: "tried to take an item" },
  handItem: { did: "handed an item over", tried: "tried to hand an item over" },
  giveBackItem: { did: "gave an item back", tried: "tried to give an item back" },
  createWork: { did: "created Work", tried: "tried to create Work" },
  createInputUpload: { did: "uploaded an input", tried: "tried to upload an input" },
  retryInputUploadProcessing: { did: "asked for another scan", tried: "tried to ask for another scan" },
}

/** Names how many other items were decided together with this one. */
const formatOthers = ({ together_others: others = 0 }: RecordEntry) =>
  others === 0 ? "" : ` with ${plural(others, "other")}`

/** What the person did, in words. An act counts as done where the service has recorded it, or the desk holds it. */
function actionOf(entry: RecordEntry): string {
  const { operation, decision, outcome, colleague, wants_change: wantsChange } = entry
  const frozen = colleague === undefined ? "the desk" : "a colleague"
  // The desk does these three itself, so they never fail halfway.
  if (operation === "setAway") return isString(entry.until) ? "set an absence for" : "ended the absence of"
  if (operation === "freeze") return `froze ${frozen}`
  if (operation === "unfreeze") return `unfroze ${frozen}`
  const verb = verbs[wantsChange === true ? "change" : (decision ?? "")] ??
    verbs[operation] ?? { did: operation, tried: `tried ${operation}` }
  return outcome === "recorded" || outcome === "held" ? verb.did : verb.tried
}

/** The outcome in words, with the status where the service refused. */
export function outcomeOf({ outcome, status, replayed }: RecordEntry): {
  tone: "good" | "warn" | "bad"
  icon: IconName
  words: string
} {
  switch (outcome) {
    case "recorded":
      return { tone: "good", icon: "done", words: replayed === true ? "Already recorded" : "Recorded" }
    case "refused":
      return { tone: "bad", icon: "close", words: status === undefined ? "Refused" : `Refused (${status})` }
    case "held":
      return { tone: "warn", icon: "unknown", words: "Held for more approvals" }
    case "unknown":
      return { tone: "warn", icon: "unknown", words: "Outcome unknown" }
  }
}
