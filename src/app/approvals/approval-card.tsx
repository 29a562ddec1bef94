import { useRef, useState } from "react"
import type { Approval } from "../../contract/resources.ts"
import { useDraft } from "../client/storage.ts"
import { itemDrafts } from "../inbox/item-entries.ts"
import { useFrozen } from "../inbox/use-frozen.ts"
import { CardPlaceholder } from "../inbox/card-placeholder.tsx"
import { Card } from "../ui/card.tsx"
import { IntentNotice } from "../ui/intent-notice.tsx"
import { KeptText } from "../inbox/kept-text.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { NewerVersion } from "../inbox/newer-version.tsx"
import { Notice, Notices } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { useArmed, useSeenToEnd } from "../inbox/use-armed.ts"
import { useWhenRecorded } from "../inbox/use-when-recorded.ts"
import { ApprovalLetter } from "./approval-letter.tsx"
import { ApprovalRecord, ApprovalTombstone } from "./approval-record.tsx"
import { DecisionBar } from "./decision-bar.tsx"
import { DecisionDialog } from "./decision-dialog.tsx"
import { type Decision, useDecision } from "./use-decision.ts"

type Props = {
  workId: string
  approvalId: string
  /** As the service lists it now; undefined where it does not. */
  latest: Approval | undefined
  /** Whether the list has been read: what is not in it is gone. */
  listed: boolean
  level?: 2 | 3
  /** True for the one approval that A and D mean, and whose buttons stay in the window on a phone. */
  current?: boolean
  /** Called when a decision that was sent from here has been recorded. */
  onRecorded?: () => void
  lastEventAt?: number | undefined
}

/** One approval: the letter, the decision, and what became of it. Rendered with the item's id as its key. */
export function ApprovalCard(props: Props) {
  const { workId, approvalId, latest, listed, level = 2, current = true, onRecorded, lastEventAt } = props
  const draft = itemDrafts("approval", workId, approvalId)
  const [comment, setComment] = useDraft(draft)
  const decision = useDecision(workId, approvalId)
  const { intent } = decision
  const frozen = useFrozen(latest, { stale: decision.staleVersion, seen: decision.seen })
  const began = useWhenRecorded(intent?.state, onRecorded)
  const [asking, setAsking] = useState<Decision>()
  const body = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)

  const isPending = latest !== undefined && latest.status === "pending"
  const reading = `${approvalId} ${String(frozen?.shown.version)}`
  const seenToEnd = useSeenToEnd(body, end, isPending ? reading : "")
  const busy = intent?.state === "sending" || intent?.state === "waiting"
  // Sent from another tab meanwhile: its dialog must not come back by itself.
  if (asking !== undefined && busy) setAsking(undefined)
  const armed = useArmed(
    `${reading} ${String(frozen?.newer?.version)} ${intent?.state ?? ""} ${String(intent?.since)}`,
    isPending && seenToEnd && !busy,
  )

  if (intent?.state === "recorded" && !(isPending && latest.version > intent.result.version)) {
    return (
      <ApprovalRecord
        approval={intent.result}
        replayed={intent.replayed}
        level={level}
        follow
        lastEventAt={lastEventAt}
      />
    )
  }
  if (frozen === undefined && !listed) return <CardPlaceholder />
  const notice = intent && intent.state !== "recorded" && (
    <IntentNotice
      state={intent.state}
      error={"error" in intent ? intent.error : undefined}
      what="your decision"
      onSendAgain={() => {
        began()
        decision.sendAgain()
      }}
      onDiscard={decision.discard}
    />
  )
  // While the fate of a decision from here is open, it may be the very decision that resolved the request.
  const isGone = listed && !isPending && (intent === undefined || intent.state === "refused")
  const refusedHere = decision.staleVersion !== undefined && intent?.state === "refused" && intent.error.status !== 412
  if (frozen === undefined || isGone || (refusedHere && latest?.version === decision.staleVersion)) {
    return (
      <ApprovalTombstone
        approval={latest ?? frozen?.shown}
        typed={comment === "" ? (intent?.input.text ?? "") : comment}
        level={level}
      >
        {notice}
      </ApprovalTombstone>
    )
  }

  const { shown, before, showNewer } = frozen
  // What is resolved meanwhile is no version to decide on.
  const newer = isPending ? frozen.newer : undefined
  const forbidden = intent?.state === "refused" && intent.error.status === 403
  const confirm = (chosen: Decision) => {
    setAsking(undefined)
    began()
    decision.decide({ version: shown.version, text: comment, decision: chosen }, shown)
  }
  return (
    <Card
      needs
      level={level}
      title={
        <>
          <OutsideText>{shown.summary}</OutsideText> <MixedScripts text={shown.summary} />
        </>
      }
      aside={<RelativeTime at={shown.created_at} className="soft small" />}
    >
      <Notices>
        {newer && asking === undefined && <NewerVersion version={newer.version} onShow={showNewer} />}
        {before && (
          <Notice announce="status" tone="warn" icon="refresh" compact>
            This is version {String(shown.version)}. What changed since version {String(before.version)} stands beside
            what was there before. Your comment has stayed; decide again when you have read it.
          </Notice>
        )}
        {notice}
      </Notices>
      <ApprovalLetter approval={shown} before={before} body={body} end={end} />
      {forbidden && <KeptText what="comment" text={comment} />}
      <DecisionBar
        version={shown.version}
        armed={armed}
        unread={isPending && !seenToEnd}
        forbidden={forbidden}
        current={current}
        onAsk={setAsking}
      />
      {asking && isPending && (
        <DecisionDialog
          decision={asking}
          shown={shown}
          newer={newer}
          onShowNewer={() => {
            setAsking(undefined)
            showNewer()
          }}
          draft={draft}
          comment={comment}
          onComment={setComment}
          onConfirm={() => confirm(asking)}
          onCancel={() => setAsking(undefined)}
        />
      )}
    </Card>
  )
}
