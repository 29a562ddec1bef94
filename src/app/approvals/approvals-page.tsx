import { useMemo } from "react"
import { useSearchParams } from "react-router"
import { isSameError } from "../client/desk-error.ts"
import { latestOf, progressOf } from "../inbox/gather.ts"
import { inboxAddress } from "../inbox/inbox-address.ts"
import { itemSlot } from "../inbox/item-slot.ts"
import { useIntentError } from "../client/use-intent.ts"
import { ButtonLink } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Inbox } from "../inbox/inbox.tsx"
import { KeyHints } from "../ui/kbd.tsx"
import { PageBar } from "../ui/page-bar.tsx"
import { useInbox } from "../inbox/use-inbox.ts"
import { WorkCrumb } from "../inbox/work-crumb.tsx"
import { ApprovalCard } from "./approval-card.tsx"
import { approvalsOf, useApprovalInbox, useApprovals } from "./approval-queries.ts"
import styles from "./approvals.module.css"
import { DecidedList } from "./decided-list.tsx"
import { approvalIntents } from "./use-decision.ts"

const sentIds = () => approvalIntents.ids()
const keyOf = (workId: string, id: string) => itemSlot("approval", workId, id)

/** Everything that waits for a yes or a no, across all Work; with `?decided`, what was decided from this browser. */
export default function ApprovalsPage() {
  const [parameters] = useSearchParams()
  return parameters.has("decided") ? <DecidedList /> : <ApprovalsInbox />
}

function ApprovalsInbox() {
  const { data, error } = useApprovalInbox()
  const waiting = useMemo(() => approvalsOf(data), [data])
  const items = useMemo(
    () =>
      waiting.map(({ work, approval }) => ({
        key: keyOf(work.id, approval.id),
        to: inboxAddress("/approvals", work.id, approval.id),
        title: approval.summary,
        workTitle: work.title,
        colleague: approval.requested_by_colleague,
        createdAt: approval.created_at,
      })),
    [waiting],
  )
  const progress = data && progressOf(data)
  const settled = progress !== undefined && progress.checked === progress.total
  const inbox = useInbox(
    items,
    settled,
    keyOf,
    sentIds,
    (id) => waiting.find(({ approval }) => approval.id === id)?.work.id,
  )
  const { selected, done } = inbox

  const ofWork = useApprovals(selected?.workId)
  const latest = latestOf(data, selected?.workId, ofWork, selected?.id)
  // A list that was read for an earlier visit does not say what is gone now.
  const listed = ofWork.data !== undefined && ofWork.isFetchedAfterMount
  // Each error once: the card says what became of what was sent, then the pane, then the list.
  const sendError = useIntentError(approvalIntents(selected?.workId ?? "", selected?.id ?? ""))
  const itemError = selected === undefined || isSameError(ofWork.error, sendError) ? null : ofWork.error
  const listError = isSameError(error, sendError) || isSameError(error, itemError) ? null : error

  return (
    <>
      <PageBar title="Approvals">
        <KeyHints
          hints={[
            [["J", "K"], "next, previous"],
            [["A"], "approve"],
            [["D"], "decline"],
          ]}
        />
        <ButtonLink kind="plain" to="/approvals?decided">
          Decided here
        </ButtonLink>
      </PageBar>
      <Inbox
        home="/approvals"
        rows={inbox.rows}
        waiting={inbox.waiting}
        onAdmit={inbox.admit}
        selected={inbox.missing ? "" : selected?.key}
        progress={progress}
        error={listError}
        empty="When a colleague wants to do something that needs your word, its request appears here."
      >
        {done && (
          <div className={styles["done"]}>
            <ApprovalCard
              key={done.key}
              workId={done.workId}
              approvalId={done.id}
              latest={undefined}
              listed
              current={false}
            />
          </div>
        )}
        {selected && (
          <>
            <WorkCrumb workId={selected.workId} />
            {itemError && <ErrorAlert error={itemError} retryAt={itemError.retryAt} compact />}
            <ApprovalCard
              key={selected.key}
              workId={selected.workId}
              approvalId={selected.id}
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
        {settled
          ? "The request of this address does not wait any more, or is not visible to this account."
          : "Looking for the request of this address…"}
      </p>
    )
  return count === 0 ? null : (
    <p className="soft">Choose a request to read it; J takes the one that has waited longest.</p>
  )
}
