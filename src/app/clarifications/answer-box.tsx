import { type ReactNode, useRef } from "react"
import styles from "./clarifications.module.css"
import type { Clarification } from "../client/waiting.ts"
import { DraftNote } from "../inbox/decision-callout.tsx"
import { CLARIFICATION_MEMBERS } from "../inbox/item-entries.ts"
import { type ControlsProps, type LetterProps, useArmed } from "../inbox/use-decision.ts"
import { Button } from "../ui/button.tsx"
import { CardActions } from "../ui/card.tsx"
import { ChangedFact, ChangedText, Fact, Facts, OtherFacts } from "../ui/facts.tsx"
import { CharacterCount, sayExcess, TextArea } from "../ui/field.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { countCharacters, RESPONSE_MAX_CHARACTERS } from "../../contract/limits.ts"

/** The question, and the box for its answer. */
export function AnswerBox({ decision }: ControlsProps<Clarification>) {
  const { shown, before, text, setText, draft, phase, cardState, missingRole, decide } = decision
  const busy = phase === "busy"
  const box = useRef<HTMLTextAreaElement>(null)
  const count = countCharacters(text)
  const armed = useArmed(cardState, phase === "ready")
  const whyNot = missingRole ?? sayExcess(count, RESPONSE_MAX_CHARACTERS)
  const canSend = armed && whyNot === undefined && text.trim() !== ""
  const send = () => {
    if (canSend) decide({ version: shown.version, text })
  }
  const takeOver = () => {
    setText(text === "" ? shown.recommended_action : `${text}\n${shown.recommended_action}`)
    box.current?.focus()
  }
  return (
    <>
      <div className={styles["facts"]}>
        <ClarificationFacts
          item={shown}
          before={before}
          recommended={
            <div className={styles["take"]}>
              <Button size="small" onClick={takeOver} disabled={busy} disabledReason={missingRole}>
                Use recommendation
              </Button>
            </div>
          }
        />
      </div>
      <TextArea
        label="Your answer"
        hint={missingRole && <OutsideText>{missingRole}</OutsideText>}
        ref={box}
        value={text}
        readOnly={busy || missingRole !== undefined}
        {...(missingRole !== undefined && { "aria-disabled": true })}
        onText={setText}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          // A held key must never send.
          if (!event.repeat && !event.nativeEvent.isComposing) send()
        }}
      />
      <CardActions>
        <Button kind="primary" onClick={send} disabled={whyNot === undefined && !canSend} disabledReason={whyNot}>
          Send answer
        </Button>
        {text !== "" && !busy && <DraftNote draft={draft} />}
        <span className="grow" />
        <CharacterCount count={count} limit={RESPONSE_MAX_CHARACTERS} />
        <span className="soft small">version {String(shown.version)}</span>
      </CardActions>
    </>
  )
}

type Props = LetterProps<Clarification> & {
  /** Shown beside the recommended action. */
  recommended?: ReactNode
}

/** The four facts of a clarification. */
export function ClarificationFacts({ item, before, recommended }: Props) {
  return (
    <Facts>
      {before !== undefined && before.title !== item.title && (
        <ChangedFact name="Title" was={before.title}>
          {item.title}
        </ChangedFact>
      )}
      <ChangedFact name="What happened" was={before?.what_happened} multiline>
        {item.what_happened}
      </ChangedFact>
      <ChangedFact name="Why it matters" was={before?.why_needed} multiline>
        {item.why_needed}
      </ChangedFact>
      <Fact name="Recommended">
        <ChangedText was={before?.recommended_action} multiline>
          {item.recommended_action}
        </ChangedText>
        {recommended}
      </Fact>
      <ChangedFact name="If you don't answer" was={before?.consequences} multiline>
        {item.consequences}
      </ChangedFact>
      {before !== undefined && before.source_id !== item.source_id && (
        <ChangedFact name="Source" was={before.source_id}>
          {item.source_id}
        </ChangedFact>
      )}
      <OtherFacts of={item} known={CLARIFICATION_MEMBERS} />
    </Facts>
  )
}
