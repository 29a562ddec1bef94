import { useApprovalCount } from "../approvals/approval-queries.ts"
import { useClarificationCount } from "../attention/attention-queries.ts"
import type { Waiting } from "./waiting.ts"

/** What waits for the person, from the same queries as the pages Needs You and Approvals (design.md 8). */
export function useWaiting(): Waiting {
  return { clarifications: useClarificationCount(), approvals: useApprovalCount() }
}
