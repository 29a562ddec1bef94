import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { RecordEntry, RecordPage } from "../../contract/desk-work.ts"
import { useSession } from "../client/session.ts"
import { useMissingRole } from "../client/person.ts"
import { workOptions } from "../client/work-reads.ts"
import { ButtonLink } from "../ui/button.tsx"
import { Card } from "../ui/card.tsx"
import { Details, Fact, Facts } from "../ui/facts.tsx"
import { RelativeTime, useNow } from "../ui/clocks.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status, WorkStatusMark } from "../ui/status.tsx"
import { momentOf } from "../ui/time-words.ts"
import styles from "./item-card.module.css"
import { ITEM_OPERATIONS, ITEM_WORDS, type ItemId, type ItemKind, outcomeOf, type Resolved } from "./item.ts"
import { workRecordOptions } from "./work-record.ts"

type ResolvedProps = {
  kind: ItemKind
  id: ItemId
  resolved: Resolved
  replayed?: boolean
  level: 2 | 3
  /** Whether the answer or decision was sent from this browser. Then the card also says what the Work did next. */
  sentHere?: boolean
  lastEventAt?: number | undefined
  /** The request, if this page has it. */
  children?: ReactNode
}

/** A confirmed answer or decision, read-only: who, when, which version, the text, the letter, and what the Work did next. */
export function ResolvedCard({ level, lastEventAt, children, ...props }: ResolvedProps) {
  const { kind, id, resolved, sentHere = false } = props
  return (
    <Card level={level} title={<OutsideText>{resolved.title}</OutsideText>} aside={<Outcome {...props} />}>
      <Resolution {...props}>
        {sentHere && <AfterDecision kind={kind} workId={id[0]} resolved={resolved} lastEventAt={lastEventAt} />}
      </Resolution>
      {children && (
        <details className={styles["details"]}>
          <summary className="soft small">{ITEM_WORDS[kind].letterName}</summary>
          {children}
        </details>
      )}
    </Card>
  )
}

type Known = Pick<ResolvedProps, "kind" | "id" | "resolved" | "replayed" | "sentHere">

/** How an item ended, as an icon with a word. An unknown status is shown as it was sent. */
export function Outcome({ kind, resolved, replayed = false, sentHere = false }: Known) {
  if (kind === "approval") {
    const { word, tone, icon } = outcomeOf(kind, resolved.status)
    return (
      <Status tone={tone} icon={icon}>
        <OutsideText>{word}</OutsideText>
        {replayed && ", already recorded"}
      </Status>
    )
  }
  if (!sentHere) return <Status icon="done">{ITEM_WORDS.clarification.goneShort}</Status>
  return (
    <Status tone="good" icon="done">
      {replayed ? "Answer already recorded" : "Answer recorded"}
    </Status>
  )
}

export function Resolution({ children, ...facts }: Known & { children?: ReactNode }) {
  const { kind, id, resolved } = facts
  const { text, version, actor } = resolved
  const words = ITEM_WORDS[kind]
  const entry = entryOf(kind, id[1], resolved, useQuery(workRecordOptions(id[0])).data)
  const wantsChange = entry?.wants_change === true
  const mayDelegate = useMissingRole("createWork") === undefined
  return (
    <>
      <Facts>
        <Fact name={words.doneName}>
          <WhoDecided {...facts} />
        </Fact>
        {text !== undefined && (
          <Fact name={wantsChange ? "What should be different" : words.textName}>
            <OutsideText multiline>{text}</OutsideText>
          </Fact>
        )}
        {children}
        {wantsChange && mayDelegate && (
          <Fact name="Next">
            <ButtonLink size="small" to={`/work/new?${new URLSearchParams({ again: id[0], approval: id[1] })}`}>
              Delegate again with this change
            </ButtonLink>
          </Fact>
        )}
      </Facts>
      <Details>
        {actor !== undefined && (
          <Fact name="Recorded by">
            <OutsideText>{actor}</OutsideText>
          </Fact>
        )}
        <Fact name="Version">{String(version)}</Fact>
      </Details>
    </>
  )
}

/** Who answered or decided, by the desk's own record, and when. */
function WhoDecided({ kind, id, resolved, sentHere = false }: Known) {
  const { data: record } = useQuery(workRecordOptions(id[0]))
  const isLocal = useSession()?.mode === "local"
  const { word } = outcomeOf(kind, resolved.status)
  const { actor, at } = resolved
  const entry = entryOf(kind, id[1], resolved, record)
  // A missing entry means something only if the whole record of the Work was read.
  const isRecordConclusive = record !== undefined && (entry !== undefined || record.next_cursor === undefined)
  if (!isRecordConclusive && actor === undefined && at === undefined)
    return "The service doesn't say who did this, or when."
  return (
    <>
      <OutsideText>{isRecordConclusive ? formatWho(word, entry, { isLocal, sentHere }) : word}</OutsideText>
      {at !== undefined && (
        <>
          , <RelativeTime at={at} />
        </>
      )}
    </>
  )
}

type WhoOptions = { isLocal: boolean; sentHere: boolean }

function formatWho(word: string, entry: RecordEntry | undefined, { isLocal, sentHere }: WhoOptions): string {
  if (entry === undefined) return `${word} elsewhere`
  if (entry.person.id === "local" || isLocal) return `${word} at this desk`
  // Right after a decision from this browser, the entry may not say `recorded` yet.
  if (entry.outcome === "recorded" || sentHere) return `${word} by ${entry.person.name}`
  return `${word}, perhaps by ${entry.person.name} (the service's response was lost)`
}

/** The entry of the record that led to the status of the item: the recorded one, else the last with an unknown outcome. */
function entryOf(kind: ItemKind, id: string, { status }: Resolved, record: RecordPage | undefined) {
  const decided = outcomeOf(kind, status).decision
  const entries = (record?.data ?? []).filter(
    ({ operation, item_id: itemId, decision }) =>
      operation === ITEM_OPERATIONS[kind] && itemId === id && (decided === undefined || decision === decided),
  )
  // The newest entry comes first.
  return entries.find(({ outcome }) => outcome === "recorded") ?? entries.find(({ outcome }) => outcome === "unknown")
}

/** After this time without a change the card says that nothing has happened. */
const QUIET = { ms: 5 * 60_000, words: "five minutes" }
/** A change of the Work within this time after the recorded moment is the answer or decision itself, and no activity. */
const OWN_CHANGE_MS = 2_000

type AfterProps = Pick<ResolvedProps, "kind" | "resolved" | "lastEventAt"> & { workId: string }

/** The state of the Work after an answer or a decision, and whether nothing has happened for five minutes. */
function AfterDecision({ kind, workId, resolved, lastEventAt = 0 }: AfterProps) {
  const work = useQuery(workOptions(workId)).data
  const now = useNow(5_000)
  if (work === undefined) return null
  // Without a recorded moment the card never reports inactivity.
  const recordedAt = momentOf(resolved.at ?? "") ?? now
  const activeAt = Math.max(momentOf(work.updated_at) ?? 0, lastEventAt)
  const hasActed = work.status === "done" || activeAt > recordedAt + OWN_CHANGE_MS
  const isQuiet = !hasActed && now - recordedAt >= QUIET.ms
  return (
    <Fact name="Then">
      <WorkStatusMark work={work} /> <RelativeTime at={work.updated_at} className="soft small" />
      {isQuiet && (
        <div>
          No activity within {QUIET.words} of your {ITEM_WORDS[kind].sent}.
        </div>
      )}
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
