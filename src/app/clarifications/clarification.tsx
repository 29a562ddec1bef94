import { queryOptions } from "@tanstack/react-query"
import { type ReactNode, useMemo, useRef, useSyncExternalStore } from "react"
import { api } from "../client/api.ts"
import type { DeskError } from "../client/desk-error.ts"
import { confirmedOf } from "../client/send-intent.ts"
import { ITEM_PACE, pollInterval } from "../client/polling.ts"
import { onStorageChange } from "../client/storage.ts"
import type { Clarification } from "../client/waiting.ts"
import { readClarifications, workKey } from "../client/work-reads.ts"
import { CLARIFICATION_MEMBERS, readClarification } from "../client/check-resource.ts"
import { answerIntents, clarificationSnapshots, readAnswered } from "../inbox/item-entries.ts"
import { whyUnreadable } from "../inbox/item.ts"
import type { ControlsProps, ItemVariant, LetterProps } from "../inbox/item-variant.ts"
import { formatUnreadItem, UnreadItem } from "../inbox/unread-item.tsx"
import { WorkItems, type WorkItemsProps } from "../inbox/work-items.tsx"
import { findChoices, withChoice } from "./answer-choices.ts"
import styles from "./clarifications.module.css"
import { DraftNote } from "../inbox/decision-callout.tsx"
import { Button } from "../ui/button.tsx"
import { CardActions } from "../ui/card.tsx"
import { ChangedFact, ChangedText, Details, Fact, Facts, OtherFacts } from "../ui/facts.tsx"
import { CharacterCount, formatExcess, TextArea } from "../ui/field.tsx"
import { useArmed } from "../ui/use-armed.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { countCharacters, RESPONSE_MAX_CHARACTERS } from "../../contract/limits.ts"

/** The clarifications of one Work: the open ones with their controls, and those that were answered from this browser. */
export function WorkClarifications(props: WorkItemsProps) {
  return (
    <WorkItems {...props} title="Needs You" variant={clarificationVariant} resolvedIds={useAnsweredIds(props.workId)} />
  )
}

function useAnsweredIds(workId: string): readonly string[] {
  // React compares the snapshots. A text stays equal while the ids do; a new array each time would render for ever.
  const ids = useSyncExternalStore(onStorageChange, () => JSON.stringify(readAnswered(workId).map(({ id }) => id)))
  return useMemo(() => JSON.parse(ids) as readonly string[], [ids])
}

export const clarificationsOptions = (workId: string) =>
  queryOptions<readonly Clarification[], DeskError>({
    queryKey: [...workKey(workId), "clarifications"],
    queryFn: ({ signal }) => readClarifications(workId, signal),
    refetchInterval: pollInterval(ITEM_PACE),
  })

/** Clarifications: a colleague asks, and a person answers (openapi.yaml, resolveWorkAttention). */
export const clarificationVariant: ItemVariant<Clarification> = {
  kind: "clarification",
  waitingOf: ({ clarifications }) => clarifications,
  itemsOf: clarificationsOptions,
  snapshots: clarificationSnapshots,
  intents: answerIntents,
  send: ([workId, clarificationId], { version, text }, key) =>
    confirmedOf(
      api.POST("/api/v1/work/{id}/attention/{attention_id}/resolve", {
        params: {
          path: { id: workId, attention_id: clarificationId },
          header: { "If-Match": `"${String(version)}"`, "Idempotency-Key": key },
        },
        body: { response: text },
      }),
      readClarification,
    ),
  Letter: ClarificationFacts,
  Controls: AnswerBox,
}

function AnswerBox({ decision, isIntact }: ControlsProps<Clarification>) {
  const { shown, before, text, setText, draft, phase, cardState, unread, missingRole, decide } = decision
  const busy = phase === "busy"
  const box = useRef<HTMLTextAreaElement>(null)
  const count = countCharacters(text)
  const armed = useArmed(cardState, phase === "ready" && isIntact)
  const whyUnread = unread && formatUnreadItem(unread, "clarification")
  const whyNot = missingRole ?? whyUnread ?? formatExcess(count, RESPONSE_MAX_CHARACTERS)
  const canSend = armed && whyNot === undefined && text.trim() !== ""
  const send = () => {
    if (canSend) decide({ version: shown.version, text })
  }
  const takeOver = () => {
    setText(text === "" ? shown.recommended_action : `${text}\n${shown.recommended_action}`)
    box.current?.focus()
  }
  const choices = unread === undefined ? findChoices(shown) : []
  return (
    <>
      <div key={String(shown.version)} data-letter="" className={styles["facts"]}>
        <ClarificationFacts
          item={shown}
          before={before}
          recommended={
            <div className={styles["take"]}>
              <Button size="small" onClick={takeOver} disabled={busy} inactive={missingRole}>
                Use recommendation
              </Button>
            </div>
          }
        />
      </div>
      {choices.length > 0 && (
        <fieldset aria-label="Choices" className={styles["choices"]}>
          {choices.map((choice) => (
            <Button
              key={choice}
              disabled={busy}
              inactive={missingRole}
              onClick={() => setText(withChoice(text, choice, choices))}
            >
              <OutsideText>{choice}</OutsideText>
            </Button>
          ))}
        </fieldset>
      )}
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
          if (!event.repeat) send()
        }}
      />
      <CardActions>
        <Button kind="primary" onClick={send} disabled={whyNot === undefined && !canSend} inactive={whyNot}>
          Send answer
        </Button>
        {text !== "" && !busy && <DraftNote draft={draft} />}
        <span className="grow" />
        <CharacterCount count={count} limit={RESPONSE_MAX_CHARACTERS} />
      </CardActions>
    </>
  )
}

type Props = LetterProps<Clarification> & {
  /** Shown beside the recommended action. */
  recommended?: ReactNode
}

function ClarificationFacts({ item, before, recommended }: Props) {
  if (whyUnreadable(item) !== undefined) return <UnreadItem item={item} kind="clarification" />
  return (
    <>
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
      <Details>
        <Fact name="Version">{String(item.version)}</Fact>
      </Details>
    </>
  )
}
