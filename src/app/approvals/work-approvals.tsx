import { type RefObject, useEffect, useRef, useState } from "react"
import type { Approval } from "../../contract/resources.ts"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { itemSlot } from "../inbox/item-slot.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { ApprovalCard } from "./approval-card.tsx"
import { useApprovals } from "./approval-queries.ts"
import { ApprovalRecord } from "./approval-record.tsx"
import styles from "./approvals.module.css"

type Props = {
  workId: string
  /** When the Work's last event came, ms since the epoch, where a stream of it is open. */
  lastEventAt?: number | undefined
  /** What the page itself says already. */
  shownError?: DeskError | undefined
}

/** The approvals of one Work: every pending one with its own controls, then what was decided. */
export function WorkApprovals({ workId, lastEventAt, shownError }: Props) {
  const { data, error: ownError } = useApprovals(workId)
  const error = isSameError(ownError, shownError) ? null : ownError
  const liveIds = useLiveIds(data)
  const wrapper = useRef<HTMLDivElement>(null)
  const currentId = useCurrent(wrapper, liveIds, data)

  if (data === undefined)
    return error ? <ErrorAlert error={error} retryAt={error.retryAt} compact /> : <Skeleton width="60%" />
  const decided = data.filter(({ id, status }) => status !== "pending" && !liveIds.includes(id))
  return (
    <div ref={wrapper} tabIndex={-1} className={styles["cards"]}>
      {error && <ErrorAlert error={error} retryAt={error.retryAt} compact />}
      {liveIds.map((id) => (
        <div key={itemSlot("approval", workId, id)} data-approval={id}>
          <ApprovalCard
            workId={workId}
            approvalId={id}
            latest={data.find((approval) => approval.id === id)}
            listed
            level={3}
            current={id === currentId}
            onRecorded={() => wrapper.current?.focus({ preventScroll: true })}
            lastEventAt={lastEventAt}
          />
        </div>
      ))}
      {decided.map((approval) => (
        <ApprovalRecord key={approval.id} approval={approval} level={3} />
      ))}
      {liveIds.length === 0 && decided.length === 0 && <p className="soft">Nothing waits for your word.</p>}
    </div>
  )
}

/** The ids of what was pending at any time since the page was opened, in their order: a decided one stays where it was. */
function useLiveIds(approvals: readonly Approval[] | undefined): readonly string[] {
  const [ids, setIds] = useState<readonly string[]>([])
  const fresh = (approvals ?? []).filter(({ id, status }) => status === "pending" && !ids.includes(id))
  if (fresh.length === 0) return ids
  const all = [...ids, ...fresh.map(({ id }) => id)]
  setIds(all)
  return all
}

/** The pending approval that the middle of the window is on, or was on last: A and D mean that one. */
function useCurrent(
  wrapper: RefObject<HTMLElement | null>,
  ids: readonly string[],
  approvals: readonly Approval[] | undefined,
): string | undefined {
  const [inMiddle, setInMiddle] = useState<string>()
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries)
          if (isIntersecting && target instanceof HTMLElement) setInMiddle(target.dataset["approval"])
      },
      { rootMargin: "-50% 0px" },
    )
    for (const id of ids) {
      const card = wrapper.current?.querySelector(`[data-approval="${CSS.escape(id)}"]`)
      if (card) observer.observe(card)
    }
    return () => observer.disconnect()
  }, [wrapper, ids])
  const isPending = (id: string | undefined) => approvals?.some((each) => each.id === id && each.status === "pending")
  return isPending(inMiddle) ? inMiddle : ids.find(isPending)
}
