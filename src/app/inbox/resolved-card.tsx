import { type ReactNode, useId } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { Card } from "../ui/card.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status } from "../ui/status.tsx"
import { AfterDecision } from "./after-decision.tsx"
import type { Item, ItemInput, ItemVariant } from "./item-variant.ts"
import { KeptText } from "./kept-text.tsx"
import styles from "./item-card.module.css"
import { WhoDecided } from "./who-decided.tsx"

type ResolvedProps<Of extends Item, Input extends ItemInput> = {
  variant: ItemVariant<Of, Input>
  /** The item as the service returned it. */
  item: Of
  replayed?: boolean
  level?: 2 | 3
  /** Whether the answer or decision was sent from this browser. Then the card also says what the Work did next. */
  recordedHere?: boolean
  lastEventAt?: number | undefined
}

/** A recorded answer or decision, read-only: who, when, which version, the text, the letter, and what the Work did next. */
export function ResolvedCard<Of extends Item, Input extends ItemInput>(props: ResolvedProps<Of, Input>) {
  const { variant, item, replayed = false, level = 2, recordedHere = false, lastEventAt } = props
  return (
    <Card
      level={level}
      title={<OutsideText>{variant.titleOf(item)}</OutsideText>}
      aside={<variant.Outcome item={item} replayed={replayed} recordedHere={recordedHere} />}
    >
      <Resolution variant={variant} item={item} recordedHere={recordedHere}>
        {recordedHere && (
          <AfterDecision
            workId={item.work_id}
            since={variant.resolutionOf(item).at}
            what={variant.words.sent}
            lastEventAt={lastEventAt}
          />
        )}
      </Resolution>
      <details className={styles["details"]}>
        <summary className="soft small">{variant.words.letterName}</summary>
        <variant.Letter item={item} />
      </details>
    </Card>
  )
}

type ResolutionProps<Of extends Item, Input extends ItemInput> = {
  variant: ItemVariant<Of, Input>
  item: Of
  recordedHere: boolean
  children?: ReactNode
}

function Resolution<Of extends Item, Input extends ItemInput>(props: ResolutionProps<Of, Input>) {
  const { variant, item, recordedHere, children } = props
  const { text } = variant.resolutionOf(item)
  return (
    <Facts>
      <Fact name={variant.words.doneName}>
        <WhoDecided variant={variant} item={item} recordedHere={recordedHere} />
      </Fact>
      {text !== undefined && (
        <Fact name={variant.words.textName}>
          <OutsideText multiline>{text}</OutsideText>
        </Fact>
      )}
      <Fact name="Version">{String(item.version)}</Fact>
      {children}
    </Facts>
  )
}

type GoneProps<Of extends Item, Input extends ItemInput> = {
  variant: ItemVariant<Of, Input>
  /** The last known version; undefined where none is known. */
  last: Of | undefined
  error: DeskError | undefined
  /** What the person had typed. */
  typed: string
  level: 2 | 3
  /** Forgets the last attempt. Given where the service still lists the item as open. */
  onTryAgain: (() => void) | undefined
}

/** A tombstone: an item that no longer waits and was not resolved from here. It shows what is known, and what the person typed. */
export function GoneCard<Of extends Item, Input extends ItemInput>(props: GoneProps<Of, Input>) {
  const { variant, last, error, typed, level, onTryAgain } = props
  const isResolved = last !== undefined && !variant.isOpen(last)
  const why = isResolved ? variant.words.resolvedElsewhere : variant.words.gone
  const id = useId()
  return (
    <Card
      level={level}
      title={last === undefined ? variant.words.goneTitle : <OutsideText>{variant.titleOf(last)}</OutsideText>}
      aside={
        isResolved ? (
          <variant.Outcome item={last} replayed={false} recordedHere={false} />
        ) : (
          <Status icon="done">{variant.words.goneShort}</Status>
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
      {isResolved && <Resolution variant={variant} item={last} recordedHere={false} />}
      {last !== undefined && <variant.Letter item={last} />}
      {last !== undefined && !isResolved && <p className="soft small">version {String(last.version)}</p>}
      <KeptText what={variant.words.typed} text={typed} />
    </Card>
  )
}
