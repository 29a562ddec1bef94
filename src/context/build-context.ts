/** Builds the answer of `GET /desk/context`: what is unusual about an approval, compared with every approval that the desk has read. */
import type { DecisionContext, PastDecision } from "../contract/desk-work.ts"
import type { WatchedWork } from "../waiting/watched-work.ts"
import type { Decisions } from "./decisions.ts"
import type { KnownApproval } from "./known-approval-store.ts"
import type { KnownApprovals } from "./known-approvals.ts"
import { approvalsTo, findLookAlikes } from "./look-alike-warnings.ts"
import type { ListedApproval } from "../waiting/resources.ts"

const HISTORY_MAX = 50

/** What a person sees of the Work that the desk has read. A concealed Work must not change the context. */
export type Seen = {
  readonly works: readonly WatchedWork[]
  /** Whether the person sees a Work, open or done. */
  readonly sees: (workId: string) => boolean
  /** Whether the desk has read the approvals of all open and done Work. */
  readonly isComplete: boolean
}

export function buildContext(
  workId: string,
  approval: ListedApproval,
  approvals: KnownApprovals,
  { works, sees, isComplete }: Seen,
  decisions: Decisions,
): DecisionContext {
  const others = approvalsTo(approval.destination, approvals, sees).filter(
    (other) => other.workId !== workId || other.approvalId !== approval.id,
  )
  // The figures count the approval itself, once the desk has read it.
  const own = approvals.get(workId, approval.id) === undefined ? 0 : 1
  const history = others
    .filter(({ status }) => status === "approved" || status === "declined")
    .sort((one, other) => timeOf(other) - timeOf(one))
    .map((past) => toPastDecision(past, decisions))
  const approved = history.filter(({ status }) => status === "approved")
  const [lastApproved] = approved
  const { count, since, ofColleague } = approvals.figuresFor(sees, approval.colleague)
  return {
    known: {
      approvals: count - own,
      since: since === undefined ? null : new Date(since).toISOString(),
      complete: isComplete,
    },
    destination: {
      first: isFirst(approval, others),
      approved: approved.length,
      declined: history.length - approved.length,
      ...(lastApproved !== undefined && { last_approved: lastApproved }),
      history: history.slice(0, HISTORY_MAX),
    },
    look_alikes: findLookAlikes(approval, others, approvals, sees),
    first_of_colleague: ofColleague - own <= 0,
    same_elsewhere: findSame(workId, approval, works),
  }
}

/** Whether no other approval with this destination was decided, and no older one waits. Of two of the same moment both are first. */
function isFirst(approval: ListedApproval, others: readonly KnownApproval[]): boolean {
  return others.every(({ status, createdAt }) => status === "pending" && Date.parse(createdAt) >= approval.createdAt)
}

/** The other waiting approvals with the same destination, subject and body. */
function findSame(
  workId: string,
  approval: ListedApproval,
  works: readonly WatchedWork[],
): DecisionContext["same_elsewhere"] {
  return works.flatMap(({ work, approvals }) =>
    approvals
      .filter(
        (other) =>
          (work.id !== workId || other.id !== approval.id) &&
          other.destination === approval.destination &&
          other.subject === approval.subject &&
          other.body === approval.body,
      )
      .map((other) => ({ work_id: work.id, work_title: work.title, approval_id: other.id })),
  )
}

function toPastDecision(past: KnownApproval, decisions: Decisions): PastDecision {
  const person = decisions.personOf(past.workId, past.approvalId)
  return {
    work_id: past.workId,
    approval_id: past.approvalId,
    status: past.status,
    ...(past.resolvedAt !== undefined && { at: past.resolvedAt }),
    ...(person !== undefined && { person }),
  }
}

const timeOf = ({ resolvedAt, createdAt }: KnownApproval) => Date.parse(resolvedAt ?? createdAt) || 0
