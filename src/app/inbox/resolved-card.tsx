import { type ReactNode, useId } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { Card } from "../ui/card.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status } from "../ui/status.tsx"
import { AfterDecision } from "./after-decision.tsx"
import { isOpen, ITEM_WORDS, type Item, type ItemName, resolutionOf, titleOf } from "./item.ts"
import { KeptText } from "./kept-text.tsx"
import styles from "./item-card.module.css"
import { WhoDecided } from "./who-decided.tsx"

type ResolvedProps = {
  kind: ItemName
  /** The item as the service returned it. */
  item: Item
  replayed?: boolean
  level?: 2 | 3
  /** Whether the answer or decision was sent from this browser. Then the card also says what the Work did next. */
  recordedHere?: boolean
  lastEventAt?: number | undefined
  /** The letter. */
  children: ReactNode
}

/** A recorded answer or decision, read-only: who, when, which version, the text, the letter, and what the Work did next. */
export function ResolvedCard(props: ResolvedProps) {
  const { kind, item, replayed = false, level = 2, recordedHere = false, lastEventAt, children } = props
  const words = ITEM_WORDS[kind]
  return (
    <Card
      level={level}
      title={<OutsideText>{titleOf(item)}</OutsideText>}
      aside={<Outcome kind={kind} item={item} replayed={replayed} recordedHere={recordedHere} />}
    >
      <Resolution kind={kind} item={item} recordedHere={recordedHere}>
        {recordedHere && (
          <AfterDecision workId={item.work_id} since={item.resolved_at} what={words.sent} lastEventAt={lastEventAt} />
        )}
      </Resolution>
      <details className={styles["details"]}>
        <summary className="soft small">{words.letterName}</summary>
        {children}
      </details>
    </Card>
  )
}

type OutcomeProps = { kind: ItemName; item: Item; replayed: boolean; recordedHere: boolean }

/** How an item ended, as an icon with a word. An unknown status is shown as it was sent. */
function Outcome({ kind, item: { status }, replayed, recordedHere }: OutcomeProps) {
  if (kind === "answer")
    return recordedHere ? (
      <Status tone="good" icon="done">
        {replayed ? "Answer already recorded" : "Answer recorded"}
      </Status>
    ) : (
      <Status icon="done">{ITEM_WORDS.answer.goneShort}</Status>
    )
  const more = replayed ? ", already recorded" : ""
  if (status === "approved")
    return (
      <Status tone="good" icon="done">
        Approved{more}
      </Status>
    )
  if (status === "declined")
    return (
      <Status tone="bad" icon="close">
        Declined{more}
      </Status>
    )
  return (
    <Status icon="unknown">
      <OutsideText>{status}</OutsideText>
      {more}
    </Status>
  )
}

type ResolutionProps = { kind: ItemName; item: Item; recordedHere: boolean; children?: ReactNode }

function Resolution({ kind, item, recordedHere, children }: ResolutionProps) {
  const { text } = resolutionOf(item)
  return (
    <Facts>
      <Fact name={ITEM_WORDS[kind].doneName}>
        <WhoDecided kind={kind} item={item} recordedHere={recordedHere} />
      </Fact>
      {text !== undefined && (
        <Fact name={ITEM_WORDS[kind].textName}>
          <OutsideText multiline>{text}</OutsideText>
        </Fact>
      )}
      <Fact name="Version">{String(item.version)}</Fact>
      {children}
    </Facts>
  )
}

type GoneProps = {
  kind: ItemName
  /** The last known version; undefined where none is known. */
  last: Item | undefined
  error: DeskError | undefined
  /** What the person had typed. */
  typed: string
  level: 2 | 3
  /** Forgets the last attempt. Given where the service still lists the item as open. */
  onTryAgain: (() => void) | undefined
  /** The letter, where it is known. */
  children: ReactNode
}

/** A tombstone: an item that no longer waits and was not resolved from here. It shows what is known, and what the person typed. */
export function GoneCard({ kind, last, error, typed, level, onTryAgain, children }: GoneProps) {
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
          <Outcome kind={kind} item={last} replayed={false} recordedHere={false} />
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
      {onTryAgain !== undefined && (
        <p className={styles["gone"]}>
          <span id={id}>The service still lists it as open.</span>{" "}
          <Button size="small" onClick={onTryAgain} aria-describedby={id}>
            Try again
          </Button>
        </p>
      )}
      {isResolved && <Resolution kind={kind} item={last} recordedHere={false} />}
      {children}
      {last !== undefined && !isResolved && <p className="soft small">version {String(last.version)}</p>}
      <KeptText what={words.typed} text={typed} />
    </Card>
  )
}
