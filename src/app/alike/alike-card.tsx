/** Shows alike letters, to be read and decided together: the first letter as a whole, and a table with all of them. */
import { memo, type ReactNode, useRef } from "react"
import { AlikeFrame } from "./alike-frame.tsx"
import { type OpenGroup, useOpenGroup } from "./alike-group.ts"
import { AlikeLine } from "./alike-row.tsx"
import styles from "./alike.module.css"
import { MarkedText } from "./place-text.tsx"
import { TogetherBar } from "./together-bar.tsx"
import { LETTER, useNearRows, useRowFacts, useSeenNames } from "./use-row-facts.ts"
import { useTogether } from "./use-together.tsx"
import approvalStyles from "../approvals/approvals.module.css"
import { useIsComplete } from "../client/waiting.ts"
import type { AlikeCardProps } from "../inbox/alike.ts"
import { CHANGED_BY_BROWSER } from "../inbox/item-variant.ts"
import { countOf, pluralForm } from "../../contract/plural.ts"
import type { Approval } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine, Callouts } from "../ui/callout.tsx"
import { ChangedFact, ChangedText, Facts } from "../ui/facts.tsx"
import { Skeleton } from "../ui/page-parts.tsx"
import { Boundary, MissingPart } from "../ui/part.tsx"
import { useIntact } from "../ui/use-intact.ts"
import { useIsPhone } from "../ui/use-is-phone.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { useTooEarly } from "../ui/use-too-early.ts"

/** The letters of the address, or what has become of them. */
export function AlikeCard({ page, first, lines, home, onDecided }: AlikeCardProps) {
  const group = useOpenGroup(first, lines)
  const isComplete = useIsComplete()
  if (group === undefined)
    return (
      <AlikeFrame home={home} title="Alike letters">
        <p aria-busy={!isComplete}>
          Looking for these letters… <Skeleton width="30%" />
        </p>
      </AlikeFrame>
    )
  if (group.rows.length === 0)
    return (
      <AlikeFrame home={home} title="Alike letters">
        <p>These letters are no longer pending.</p>
      </AlikeFrame>
    )
  return <GroupCard page={page} home={home} group={group} onDecided={onDecided} />
}

type GroupProps = Pick<AlikeCardProps, "page" | "home" | "onDecided"> & { group: OpenGroup }

function GroupCard({ page, home, group, onDecided }: GroupProps) {
  const { rows, gone, unlike } = group
  const isPhone = useIsPhone()
  const { watch, drawing, isIntact, redraw } = useIntact()
  const { names, isAll, frame, scrollOn } = useSeenNames()
  const { near, watch: watchRow } = useNearRows()
  const facts = useRowFacts(rows, near, names)
  const together = useTogether(facts, { isIntact, isOffered: !isPhone, onDecided })
  const tooEarly = useTooEarly(JSON.stringify([together.chosen, together.whyNot, isAll]))
  const card = useRef<HTMLDivElement>(null)
  useKeptFocus(card, () => card.current?.querySelector<HTMLElement>("h2"))
  const toggle = (key: string, box: HTMLInputElement) => {
    if (together.canChoose(key) || together.chosen.includes(key)) return together.toggle(key)
    const state = together.stateOf(key)
    tooEarly.refuse(box, "why" in state ? state.why : isIntact ? "" : CHANGED_BY_BROWSER)
  }
  const [firstRow] = rows
  if (firstRow === undefined) return null
  return (
    <div ref={card}>
      <AlikeFrame home={home} title={`${rows.length} alike ${pluralForm(rows.length, "letter", "letters")}`}>
        <Boundary replace={missingCard}>
          <div key={drawing} ref={watch}>
            <Callouts announce="status">
              {isPhone && <Callout compact>Make the window wider to decide letters together.</Callout>}
              {gone > 0 && <Callout compact>{countOf(gone, "letter is", "letters are")} no longer pending.</Callout>}
              {unlike > 0 && <Callout compact>{countOf(unlike, "letter is", "letters are")} no longer alike.</Callout>}
              {!isIntact && (
                <Callout tone="warn" icon="warning" compact>
                  {CHANGED_BY_BROWSER}
                  <CalloutLine>
                    <Button size="small" onClick={redraw}>
                      Show the original
                    </Button>
                  </CalloutLine>
                </Callout>
              )}
            </Callouts>
            {/* Hidden, and not removed, so that what was seen and chosen stays. */}
            <article ref={frame} hidden={isPhone} aria-label="Alike letters">
              <FirstLetter letter={firstRow.shown} places={group.places} />
              <Table>
                {rows.map((row, index) => {
                  const itsFacts = facts[index]
                  return (
                    itsFacts && (
                      <AlikeLine
                        key={row.key}
                        page={page}
                        row={row}
                        facts={itsFacts}
                        state={together.stateOf(row.key)}
                        first={firstRow.texts}
                        canToggle={together.canChoose(row.key) || together.chosen.includes(row.key)}
                        watch={watchRow}
                        onToggle={(box) => toggle(row.key, box)}
                      />
                    )
                  )
                })}
              </Table>
              <TogetherBar together={together} rows={rows} isAllSeen={isAll} onReadOn={scrollOn} tooEarly={tooEarly} />
            </article>
            {together.dialog}
          </div>
        </Boundary>
      </AlikeFrame>
    </div>
  )
}

const missingCard = () => <MissingPart name="Alike letters" />

type LetterProps = { letter: Approval } & Pick<OpenGroup, "places">

/** The first letter whole, with the places where the others differ. */
const FirstLetter = memo(function FirstLetter({ letter, places }: LetterProps) {
  return (
    <section aria-label="First letter" className={styles["first"]} data-letter="">
      <div className={approvalStyles["letter"]}>
        <div className={approvalStyles["line"]}>
          <span className="soft small">To</span>
          <span data-read={LETTER} className="mono">
            <ChangedText>{letter.destination}</ChangedText>
          </span>
        </div>
        <div className={approvalStyles["line"]}>
          <span className="soft small">Subject</span>
          <strong data-read={LETTER}>
            <MarkedText text={letter.subject} part="subject" places={places} />
          </strong>
        </div>
        <div data-read={LETTER} className={approvalStyles["text"]}>
          <MarkedText text={letter.body} part="body" places={places} />
        </div>
      </div>
      <div data-read={LETTER}>
        <Facts>
          <ChangedFact name="Asked by">{letter.requested_by_colleague}</ChangedFact>
          <ChangedFact name="Risk">{letter.risk}</ChangedFact>
          <ChangedFact name="Policy" multiline>
            {letter.policy_reason}
          </ChangedFact>
        </Facts>
      </div>
    </section>
  )
})

/** The columns. A narrow window draws each row as a block. */
function Table({ children }: { children: ReactNode }) {
  return (
    <table className={styles["table"]} aria-label="Letters">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Choose</span>
          </th>
          <th scope="col">To</th>
          <th scope="col">Differs</th>
          <th scope="col">Before you decide</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
