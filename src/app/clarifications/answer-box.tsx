import { useRef } from "react"
import { countCharacters, RESPONSE_MAX_CHARACTERS } from "../../contract/limits.ts"
import type { Clarification } from "../client/waiting.ts"
import { DraftNote } from "../inbox/kept-text.tsx"
import type { ControlsProps } from "../inbox/item-variant.ts"
import { useArmed } from "../inbox/use-armed.ts"
import { Button } from "../ui/button.tsx"
import { CardActions } from "../ui/card.tsx"
import { CharacterCount, sayExcess, TextArea } from "../ui/field.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./clarifications.module.css"
import { ClarificationFacts } from "./clarification-facts.tsx"

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
