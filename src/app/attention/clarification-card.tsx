import { useId, useRef } from "react"
import { countCharacters, RESPONSE_MAX_CHARACTERS } from "../../contract/limits.ts"
import type { Attention } from "../../contract/resources.ts"
import { useDraft } from "../client/storage.ts"
import { DraftNote } from "../inbox/draft-note.tsx"
import { itemDrafts } from "../inbox/item-entries.ts"
import { useFrozen } from "../inbox/use-frozen.ts"
import { Button } from "../ui/button.tsx"
import { CardPlaceholder } from "../inbox/card-placeholder.tsx"
import { Card, CardActions } from "../ui/card.tsx"
import { CharacterCount } from "../ui/character-count.tsx"
import { Field } from "../ui/field.tsx"
import { IntentNotice } from "../ui/intent-notice.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { NewerVersion } from "../inbox/newer-version.tsx"
import { Notice, Notices } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { useArmed } from "../inbox/use-armed.ts"
import { useWhenRecorded } from "../inbox/use-when-recorded.ts"
import { AnswerRecord } from "./answer-record.tsx"
import styles from "./attention.module.css"
import { ClarificationFacts } from "./clarification-facts.tsx"
import { ClarificationTombstone } from "./clarification-tombstone.tsx"
import { useAnswer } from "./use-answer.ts"

type Props = {
  workId: string
  attentionId: string
  /** As the service lists it now; undefined where it does not. */
  latest: Attention | undefined
  /** Whether the list has been read: what is not in it is gone. */
  listed: boolean
  level?: 2 | 3
  /** Called when an answer that was sent from here has been recorded. */
  onRecorded?: () => void
  lastEventAt?: number | undefined
}

/** One clarification: what is asked, the answer, and what became of it. Rendered with the item's id as its key. */
export function ClarificationCard(props: Props) {
  const { workId, attentionId, latest, listed, level = 2, onRecorded, lastEventAt } = props
  const draft = itemDrafts("answer", workId, attentionId)
  const [text, setText] = useDraft(draft)
  const answer = useAnswer(workId, attentionId)
  const { intent } = answer
  const frozen = useFrozen(latest, { stale: answer.staleVersion, seen: answer.seen })
  const began = useWhenRecorded(intent?.state, onRecorded)
  const box = useRef<HTMLTextAreaElement>(null)
  const countId = useId()

  const isOpen = latest !== undefined && latest.status === "open"
  const count = countCharacters(text)
  const under = `${attentionId} ${String(frozen?.shown.version)} ${String(frozen?.newer?.version)} ${intent?.state ?? ""}`
  const busy = intent?.state === "sending" || intent?.state === "waiting"
  const armed = useArmed(under, isOpen && !busy)

  if (intent?.state === "recorded" && !(isOpen && latest.version > intent.result.version)) {
    return <AnswerRecord attention={intent.result} replayed={intent.replayed} level={level} lastEventAt={lastEventAt} />
  }
  if (frozen === undefined && !listed) return <CardPlaceholder />
  const notice = intent && intent.state !== "recorded" && (
    <IntentNotice
      state={intent.state}
      error={"error" in intent ? intent.error : undefined}
      what="your answer"
      onSendAgain={() => {
        began()
        answer.sendAgain()
      }}
      onDiscard={answer.discard}
    />
  )
  const refusedHere = answer.staleVersion !== undefined && intent?.state === "refused" && intent.error.status !== 412
  // While the fate of an answer from here is open, it may be the very answer that closed the question.
  const isGone = listed && !isOpen && (intent === undefined || intent.state === "refused")
  if (frozen === undefined || isGone || (refusedHere && latest?.version === answer.staleVersion)) {
    return (
      <ClarificationTombstone
        attention={latest ?? frozen?.shown}
        typed={text === "" ? (intent?.input.text ?? "") : text}
        level={level}
      >
        {notice}
      </ClarificationTombstone>
    )
  }

  const { shown, before, showNewer } = frozen
  // What is resolved meanwhile is no version to answer.
  const newer = isOpen ? frozen.newer : undefined
  const forbidden = intent?.state === "refused" && intent.error.status === 403
  const canSend = armed && text.trim() !== "" && count <= RESPONSE_MAX_CHARACTERS
  const send = () => {
    if (!canSend) return
    began()
    answer.decide({ version: shown.version, text }, shown)
  }
  const takeOver = () => {
    setText(text === "" ? shown.recommended_action : `${text}\n${shown.recommended_action}`)
    box.current?.focus()
  }
  return (
    <Card
      needs
      level={level}
      title={
        <>
          <OutsideText>{shown.title}</OutsideText> <MixedScripts text={shown.title} />
        </>
      }
      aside={<RelativeTime at={shown.created_at} className="soft small" />}
    >
      <Notices>
        {newer && <NewerVersion version={newer.version} onShow={showNewer} />}
        {before && (
          <Notice announce="status" tone="warn" icon="refresh" compact>
            This is version {String(shown.version)}. What changed since version {String(before.version)} stands beside
            what was there before. Your answer has stayed as you typed it.
          </Notice>
        )}
        {notice}
      </Notices>
      <div className={styles["facts"]}>
        <ClarificationFacts
          attention={shown}
          before={before}
          recommended={
            !forbidden && (
              <div className={styles["take"]}>
                <Button size="small" onClick={takeOver} disabled={busy}>
                  Use recommendation
                </Button>
              </div>
            )
          }
        />
      </div>
      {forbidden ? (
        <div className={styles["typed"]}>
          <OutsideText multiline>{text}</OutsideText>
        </div>
      ) : (
        <>
          <Field label="Your answer">
            {(control) => (
              <textarea
                {...control}
                ref={box}
                value={text}
                readOnly={busy}
                onChange={(event) => setText(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
                  event.preventDefault()
                  // A held key must never send.
                  if (!event.repeat && !event.nativeEvent.isComposing) send()
                }}
              />
            )}
          </Field>
          <CardActions>
            <Button kind="primary" onClick={send} disabled={!canSend} aria-describedby={countId}>
              Send answer
            </Button>
            {text !== "" && !busy && <DraftNote draft={draft} />}
            <span className="grow" />
            <CharacterCount id={countId} count={count} limit={RESPONSE_MAX_CHARACTERS} />
            <span className="soft small">version {String(shown.version)}</span>
          </CardActions>
        </>
      )}
    </Card>
  )
}
