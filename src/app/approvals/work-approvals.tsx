import { WorkItems, type WorkItemsProps } from "../inbox/work-items.tsx"
import { approvalNoun } from "./approval-noun.ts"

const NONE: readonly string[] = []

/** The approvals of one Work: every pending one with its own controls, then what was decided. The service lists both. */
export function WorkApprovals(props: WorkItemsProps) {
  return <WorkItems {...props} noun={approvalNoun} resolvedIds={NONE} />
}
