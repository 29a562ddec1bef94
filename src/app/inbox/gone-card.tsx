import { type ReactNode, useId } from "react"
import { KeptText } from "./decision-callout.tsx"
import styles from "./item-card.module.css"
import { isOpen, type Item, ITEM_WORDS, type ItemId, type ItemKind, resolvedOf, titleOf } from "./item.ts"
import { Outcome, Resolution } from "./resolved-card.tsx"
import type { GoneDecision } from "./use-decision.ts"
import { Button } from "../ui/button.tsx"
import { Card } from "../ui/card.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status } from "../ui/status.tsx"

type Props = {
  kind: ItemKind
  id: ItemId
  decision: GoneDecision<Item>
  level: 2 | 3
  children: ReactNode
}

/** A tombstone: an item that no longer waits and was not resolved from here. It shows what is known, and what the person typed. */
export function GoneCard({ kind, id, decision, level, children }: Props) {
  const { last, error, stillListed, typed, discard } = decision
  const words = ITEM_WORDS[kind]
  const isResolved = last !== undefined && !isOpen(last)
  const why = isResolved ? words.resolvedElsewhere : words.gone
  const whyId = useId()
  const facts = isResolved ? { kind, id, resolved: resolvedOf(last) } : undefined
  return (
    <Card
      level={level}
      title={last === undefined ? words.goneTitle : <OutsideText>{titleOf(last)}</OutsideText>}
      aside={facts ? <Outcome {...facts} /> : <Status icon="done">{words.goneShort}</Status>}
    >
      {error === undefined ? (
        <p className={styles["gone"]}>{why}</p>
      ) : (
        <ErrorAlert
          error={error}
          words={{ happened: why, toDo: "" }}
          kept="Nothing was recorded. What you typed is kept."
        />
      )}
      {stillListed && (
        <p className={styles["gone"]}>
          <span id={whyId}>The service still lists it as open.</span>{" "}
          <Button size="small" onClick={discard} aria-describedby={whyId}>
            Try again
          </Button>
        </p>
      )}
      {facts && <Resolution {...facts} />}
      {children}
      {last !== undefined && !isResolved && <p className="soft small">version {String(last.version)}</p>}
      <KeptText what={words.typed} text={typed} />
    </Card>
  )
}
