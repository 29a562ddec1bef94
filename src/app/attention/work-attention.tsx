import { useRef, useState } from "react"
import type { Attention } from "../../contract/resources.ts"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { itemSlot } from "../inbox/item-slot.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import styles from "./attention.module.css"
import { useOpenAttention } from "./attention-queries.ts"
import { ClarificationCard } from "./clarification-card.tsx"
import { useAnsweredHere } from "./use-answered-here.ts"

type Props = {
  workId: string
  /** When the Work's last event came, ms since the epoch, where a stream of it is open. */
  lastEventAt?: number | undefined
  /** What the page itself says already. */
  shownError?: DeskError | undefined
}

/** The clarifications of one Work: every open one with its own controls, and what was answered from here. */
export function WorkAttention({ workId, lastEventAt, shownError }: Props) {
  const { data, error: ownError } = useOpenAttention(workId)
  const error = isSameError(ownError, shownError) ? null : ownError
  const wrapper = useRef<HTMLDivElement>(null)
  const answeredIds = useAnsweredHere(workId)
  const liveIds = useLiveIds(data)

  if (data === undefined)
    return error ? <ErrorAlert error={error} retryAt={error.retryAt} compact /> : <Skeleton width="60%" />
  const ids = [...liveIds, ...answeredIds.filter((id) => !liveIds.includes(id))]
  return (
    <div ref={wrapper} tabIndex={-1} className={styles["cards"]}>
      {error && <ErrorAlert error={error} retryAt={error.retryAt} compact />}
      {ids.map((id) => (
        <ClarificationCard
          key={itemSlot("answer", workId, id)}
          workId={workId}
          attentionId={id}
          latest={data.find((attention) => attention.id === id)}
          listed
          level={3}
          onRecorded={() => wrapper.current?.focus({ preventScroll: true })}
          lastEventAt={lastEventAt}
        />
      ))}
      {ids.length === 0 && <p className="soft">Nothing waits for your answer.</p>}
    </div>
  )
}

/** The ids of what was open at any time since the page was opened, in their order: an answered one stays where it was. */
function useLiveIds(attention: readonly Attention[] | undefined): readonly string[] {
  const [ids, setIds] = useState<readonly string[]>([])
  const fresh = (attention ?? []).filter(({ id, status }) => status === "open" && !ids.includes(id))
  if (fresh.length === 0) return ids
  const all = [...ids, ...fresh.map(({ id }) => id)]
  setIds(all)
  return all
}
