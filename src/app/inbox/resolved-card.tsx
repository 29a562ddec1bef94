import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useId } from "react"
import type { RecordEntry, RecordPage } from "../../contract/desk-work.ts"
import { useSession } from "../client/session.ts"
import { workOptions, workRecordOptions } from "../client/work-reads.ts"
import { Button } from "../ui/button.tsx"
import { Card } from "../ui/card.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { useNow } from "../ui/clocks.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Status, WorkStatusMark } from "../ui/status.tsx"
import { momentOf } from "../ui/time-words.ts"
import styles from "./item-card.module.css"
import { isOpen, ITEM_OPERATIONS, ITEM_WORDS, type Item, type ItemKind, kindOf, resolutionOf, titleOf } from "./item.ts"
import { KeptText } from "./kept-text.tsx"
import type { GoneDecision } from "./use-decision.ts"

type ResolvedProps = {
  item: Item
  replayed?: boolean
  level: 2 | 3
  /** Whether the answer or decision was sent from this browser. Then the card also says what the Work did next. */
  recordedHere?: boolean
  lastEventAt?: number | undefined
  children: ReactNode
}

/** A recorded answer or decision, read-only: who, when, which version, the text, the letter, and what the Work did next. */
export function ResolvedCard(props: ResolvedProps) {
  const { item, replayed = false, level, recordedHere = false, lastEventAt, children } = props
  return (
    <Card
      level={level}
      title={<OutsideText>{titleOf(item)}</OutsideText>}
      aside={<Outcome item={item} replayed={replayed} recordedHere={recordedHere} />}
    >
      <Resolution item={item} recordedHere={recordedHere}>
        {recordedHere && <AfterDecision item={item} lastEventAt={lastEventAt} />}
      </Resolution>
      <details className={styles["details"]}>
        <summary className="soft small">{ITEM_WORDS[kindOf(item)].letterName}</summary>
        {children}
      </details>
    </Card>
  )
}

type OutcomeProps = { item: Item; replayed: boolean; recordedHere: boolean }

/** How an item ended, as an icon with a word. An unknown status is shown as it was sent. */
function Outcome({ item, replayed, recordedHere }: OutcomeProps) {
  if (kindOf(item) === "approval") {
    const { word, tone, icon } = resolutionOf(item)
    return (
      <Status tone={tone} icon={icon}>
        <OutsideText>{word}</OutsideText>
        {replayed && ", already recorded"}
      </Status>
    )
  }
  if (!recordedHere) return <Status icon="done">{ITEM_WORDS.answer.goneShort}</Status>
  return (
    <Status tone="good" icon="done">
      {replayed ? "Answer already recorded" : "Answer recorded"}
    </Status>
  )
}

type ResolutionProps = { item: Item; recordedHere: boolean; children?: ReactNode }

function Resolution({ item, recordedHere, children }: ResolutionProps) {
  const { text } = resolutionOf(item)
  const words = ITEM_WORDS[kindOf(item)]
  return (
    <Facts>
      <Fact name={words.doneName}>
        <WhoDecided item={item} recordedHere={recordedHere} />
      </Fact>
      {text !== undefined && (
        <Fact name={words.textName}>
          <OutsideText multiline>{text}</OutsideText>
        </Fact>
      )}
      <Fact name="Version">{String(item.version)}</Fact>
      {children}
    </Facts>
  )
}

/** Who answered or decided, by the desk's own record, with the service's account beside it. */
function WhoDecided({ item, recordedHere }: Omit<ResolutionProps, "children">) {
  const { data: record } = useQuery(workRecordOptions(item.work_id))
  const isLocal = useSession()?.mode === "local"
  const { word, actor } = resolutionOf(item)
  const at = item.resolved_at
  const entry = record && entryOf(item, record)
  const recordTells = record !== undefined && (entry !== undefined || record.next_cursor === undefined)
  return (
    <>
      {recordTells && <OutsideText>{sentence(word, entry, isLocal, recordedHere)}</OutsideText>}
      {recordTells && (actor ?? at) !== undefined && <br />}
      {actor !== undefined && (
        <>
          {recordTells ? "Recorded by " : "by "}
          <OutsideText>{actor}</OutsideText>
          {at !== undefined && ", "}
        </>
      )}
      {at !== undefined && <RelativeTime at={at} />}
      {!recordTells && (actor ?? at) === undefined && "The service does not say by whom or when."}
    </>
  )
}

function sentence(word: string, entry: RecordEntry | undefined, isLocal: boolean, recordedHere: boolean): string {
  if (entry === undefined) return `${word}, not from this desk`
  if (entry.person.id === "local" || isLocal) return `${word} at this desk`
  // Right after a decision from this browser, the entry may not say `recorded` yet.
  if (entry.outcome === "recorded" || recordedHere) return `${word} by ${entry.person.name}`
  return `${word}; ${entry.person.name} sent this, the answer was lost`
}

/** The entry of the record that led to the status of the item: the recorded one, else the last with an unknown outcome. */
function entryOf(item: Item, record: RecordPage): RecordEntry | undefined {
  const made = resolutionOf(item).decision
  const entries = record.data.filter(
    ({ operation, item_id: id, decision }) =>
      operation === ITEM_OPERATIONS[kindOf(item)] && id === item.id && (made === undefined || decision === made),
  )
  return entries.find(({ outcome }) => outcome === "recorded") ?? entries.find(({ outcome }) => outcome === "unknown")
}

/** After this time without a change the card says that nothing has happened: the words on the screen name the five minutes. */
const QUIET_MS = 5 * 60_000
/** A change of the Work within this time after the recorded moment is the answer or decision itself, and no activity. */
const OWN_CHANGE_MS = 2_000

/** The state of the Work after an answer or a decision, and whether nothing has happened for five minutes. */
function AfterDecision({ item, lastEventAt = 0 }: { item: Item; lastEventAt: number | undefined }) {
  const work = useQuery(workOptions(item.work_id)).data
  const now = useNow(5_000)
  if (work === undefined) return null
  // Without a recorded moment the card never says that nothing has happened.
  const recordedAt = momentOf(item.resolved_at ?? "") ?? now
  const activeAt = Math.max(momentOf(work.updated_at) ?? 0, lastEventAt)
  const hasActed = work.status === "done" || activeAt > recordedAt + OWN_CHANGE_MS
  const isQuiet = !hasActed && now - recordedAt >= QUIET_MS
  return (
    <Fact name="Then">
      <WorkStatusMark status={work.status} /> <RelativeTime at={work.updated_at} className="soft small" />
      {isQuiet && <div>No activity for five minutes since your {ITEM_WORDS[kindOf(item)].sent}.</div>}
      {work.attention_question !== undefined && (
        <div>
          Asks: <OutsideText>{work.attention_question}</OutsideText>
        </div>
      )}
      {work.completion_summary !== undefined && (
        <div>
          <OutsideText multiline>{work.completion_summary}</OutsideText>
        </div>
      )}
    </Fact>
  )
}

type GoneProps = {
  kind: ItemKind
  decision: GoneDecision<Item>
  level: 2 | 3
  children: ReactNode
}

/** A tombstone: an item that no longer waits and was not resolved from here. It shows what is known, and what the person typed. */
export function GoneCard({ kind, decision: { last, error, stillListed, typed, discard }, level, children }: GoneProps) {
  const words = ITEM_WORDS[kind]
  const isResolved = last !== undefined && !isOpen(last)
  const why = isResolved ? words.resolvedElsewhere : words.gone
  const id = useId()
  return (
    <Card
      level={level}
      title={last === undefined ? words.goneTitle : <OutsideText>{titleOf(last)}</OutsideText>}
      aside={
        isResolved ? (
          <Outcome item={last} replayed={false} recordedHere={false} />
        ) : (
          <Status icon="done">{words.goneShort}</Status>
        )
      }
    >
      {error === undefined ? (
        <p className={styles["gone"]}>{why}</p>
      ) : (
        <ErrorAlert
          error={error}
          words={{ happened: why, toDo: "" }}
          kept="Nothing was recorded; what you typed is kept."
        />
      )}
      {stillListed && (
        <p className={styles["gone"]}>
          <span id={id}>The service still lists it as open.</span>{" "}
          <Button size="small" onClick={discard} aria-describedby={id}>
            Try again
          </Button>
        </p>
      )}
      {isResolved && <Resolution item={last} recordedHere={false} />}
      {children}
      {last !== undefined && !isResolved && <p className="soft small">version {String(last.version)}</p>}
      <KeptText what={words.typed} text={typed} />
    </Card>
  )
}
