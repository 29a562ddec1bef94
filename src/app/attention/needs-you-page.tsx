import { useMemo } from "react"
import { isSameError } from "../client/desk-error.ts"
import { latestOf, progressOf } from "../inbox/gather.ts"
import { inboxAddress } from "../inbox/inbox-address.ts"
import { itemSlot } from "../inbox/item-slot.ts"
import { useIntentError } from "../client/use-intent.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Inbox } from "../inbox/inbox.tsx"
import { KeyHints, modKey } from "../ui/kbd.tsx"
import { PageBar } from "../ui/page-bar.tsx"
import { useInbox } from "../inbox/use-inbox.ts"
import { WorkCrumb } from "../inbox/work-crumb.tsx"
import { clarificationsOf, useClarificationInbox, useOpenAttention } from "./attention-queries.ts"
import styles from "./attention.module.css"
import { ClarificationCard } from "./clarification-card.tsx"
import { answerIntents } from "./use-answer.ts"

const sentIds = () => answerIntents.ids()
const keyOf = (workId: string, id: string) => itemSlot("answer", workId, id)

/** Everything that waits for an answer, across all Work. */
export default function NeedsYouPage() {
  const { data, error } = useClarificationInbox()
  const waiting = useMemo(() => clarificationsOf(data), [data])
  const items = useMemo(
    () =>
      waiting.map(({ work, id, title, createdAt }) => ({
        key: keyOf(work.id, id),
        to: inboxAddress("/needs-you", work.id, id),
        title,
        workTitle: work.title,
        colleague: work.colleague_id,
        createdAt,
      })),
    [waiting],
  )
  const progress = data && progressOf(data)
  const settled = progress !== undefined && progress.checked === progress.total
  const inbox = useInbox(items, settled, keyOf, sentIds, (id) => waiting.find((each) => each.id === id)?.work.id)
  const { selected, done } = inbox

  const ofWork = useOpenAttention(selected?.workId)
  const latest = latestOf(data, selected?.workId, ofWork, selected?.id)
  // A list that was read for an earlier visit does not say what is gone now.
  const listed = ofWork.data !== undefined && ofWork.isFetchedAfterMount
  // Each error once: the card says what became of what was sent, then the pane, then the list.
  const sendError = useIntentError(answerIntents(selected?.workId ?? "", selected?.id ?? ""))
  const itemError = selected === undefined || isSameError(ofWork.error, sendError) ? null : ofWork.error
  const listError = isSameError(error, sendError) || isSameError(error, itemError) ? null : error

  return (
    <>
      <PageBar title="Needs You">
        <KeyHints
          hints={[
            [["J", "K"], "next, previous"],
            [[modKey, "Enter"], "send"],
          ]}
        />
      </PageBar>
      <Inbox
        home="/needs-you"
        rows={inbox.rows}
        waiting={inbox.waiting}
        onAdmit={inbox.admit}
        selected={inbox.missing ? "" : selected?.key}
        progress={progress}
        error={listError}
        empty="When a colleague cannot go on without you, its question appears here."
      >
        {done && (
          <div className={styles["done"]}>
            <ClarificationCard key={done.key} workId={done.workId} attentionId={done.id} latest={undefined} listed />
          </div>
        )}
        {selected && (
          <>
            <WorkCrumb workId={selected.workId} />
            {itemError && <ErrorAlert error={itemError} retryAt={itemError.retryAt} compact />}
            <ClarificationCard
              key={selected.key}
              workId={selected.workId}
              attentionId={selected.id}
              latest={latest}
              listed={listed}
              onRecorded={() => inbox.advance(selected)}
            />
          </>
        )}
        {selected === undefined && <Unchosen missing={inbox.missing} settled={settled} count={waiting.length} />}
      </Inbox>
    </>
  )
}

function Unchosen({ missing, settled, count }: { missing: boolean; settled: boolean; count: number }) {
  if (missing)
    return (
      <p className="soft">
        {settled ? "The question of this address is no longer open." : "Looking for the question of this address…"}
      </p>
    )
  return count === 0 ? null : (
    <p className="soft">Choose a question to read it; J takes the one that has waited longest.</p>
  )
}
