import { useMemo, useSyncExternalStore } from "react"
import { onStorageChange } from "../client/storage.ts"
import { readAnswered } from "../inbox/item-entries.ts"
import { WorkItems, type WorkItemsProps } from "../inbox/work-items.tsx"
import { answerVariant } from "./answer-variant.ts"

/** The clarifications of one Work: the open ones with their controls, and those that were answered from this browser. */
export function WorkClarifications(props: WorkItemsProps) {
  return <WorkItems {...props} variant={answerVariant} resolvedIds={useAnsweredIds(props.workId)} />
}

function useAnsweredIds(workId: string): readonly string[] {
  // React compares the snapshots. A text stays equal while the ids do; a new array each time would render for ever.
  const ids = useSyncExternalStore(onStorageChange, () => JSON.stringify(readAnswered(workId).map(({ id }) => id)))
  return useMemo(() => JSON.parse(ids) as readonly string[], [ids])
}
