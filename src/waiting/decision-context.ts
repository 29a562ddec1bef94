/** `GET /desk/context` and `GET /desk/marks`: what is unusual about an approval, from every approval that the desk has read. */
import type { ApprovalMark, DecisionContext, LookAlike, PastDecision } from "../contract/desk.ts"
import type { KnownApproval } from "../contract/known-approval.ts"
import { readDestination } from "./destination.ts"
import type { Known } from "./known.ts"
import type { KnownApprovals } from "./known-approvals.ts"
import type { ListedApproval } from "./resources.ts"

/** Somebody's name by the Work's and the approval's id: who decided it at this desk. */
export type Deciders = (workId: string, approvalId: string) => string | undefined

const HISTORY_MAX = 50
const LOOK_ALIKES_MAX = 5

/** `isComplete`: every open and done Work has been read. */
export function takeContext(
  workId: string,
  approval: ListedApproval,
  approvals: KnownApprovals,
  known: Known,
  isComplete: boolean,
  deciders: Deciders,
): DecisionContext {
  const others = othersOf(workId, approval, approvals)
  const own = approvals.get(workId, approval.id) === undefined ? 0 : 1
  const history = others
    .filter(({ status }) => status === "approved" || status === "declined")
    .sort((one, other) => timeOf(other) - timeOf(one))
    .map((past) => toPastDecision(past, deciders))
  const approved = history.filter(({ status }) => status === "approved")
  const [lastApproved] = approved
  const { since } = approvals
  return {
    known: {
      approvals: approvals.count - own,
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
    look_alikes: findLookAlikes(approval, others, approvals),
    first_of_colleague: approvals.countOf(approval.colleague) - own <= 0,
    same_elsewhere: findSame(workId, approval, known),
  }
}

/** The marks of all approvals that wait. An approval without a mark goes to a known destination that looks like no other. */
export function takeMarks(approvals: KnownApprovals, known: Known): readonly ApprovalMark[] {
  return [...known.works.values()].flatMap(({ work, approvals: waiting }) =>
    waiting.flatMap((approval): ApprovalMark[] => {
      const others = othersOf(work.id, approval, approvals)
      const [lookAlike] = findLookAlikes(approval, others, approvals)
      const ids = { work_id: work.id, approval_id: approval.id }
      if (lookAlike !== undefined) return [{ ...ids, looks_like: lookAlike.destination }]
      return isFirst(approval, others) ? [ids] : []
    }),
  )
}

/** The known approvals of the same destination, without this one. */
function othersOf(workId: string, approval: ListedApproval, approvals: KnownApprovals): readonly KnownApproval[] {
  const same = approvals.find(approval.destination)?.approvals.values() ?? []
  return [...same].filter((other) => other.workId !== workId || other.approvalId !== approval.id)
}

/** Nothing was decided for this destination, and no older letter to it waits. */
function isFirst(approval: ListedApproval, others: readonly KnownApproval[]): boolean {
  return others.every(({ status, createdAt }) => status === "pending" && Date.parse(createdAt) > approval.createdAt)
}

/** The known destinations that were approved, and more often than this one, the most approved first. */
function findLookAlikes(
  approval: ListedApproval,
  others: readonly KnownApproval[],
  approvals: KnownApprovals,
): readonly LookAlike[] {
  const own = countApproved(others)
  return (
    approvals.lookAlikes
      .find(readDestination(approval.destination))
      .map(({ destination, reason }) => ({
        destination: destination.text,
        approved: countApproved(approvals.find(destination.text)?.approvals.values() ?? []),
        reason,
      }))
      // One letter more or less is no surprise in an address that was approved before.
      .filter(({ approved, reason }) => approved > own && (own === 0 || reason.kind !== "distance"))
      .sort((one, other) => other.approved - one.approved)
      .slice(0, LOOK_ALIKES_MAX)
  )
}

function countApproved(approvals: Iterable<KnownApproval>): number {
  let count = 0
  for (const { status } of approvals) if (status === "approved") count++
  return count
}

/** Approvals of other Works that wait with the same destination, subject and body. */
function findSame(workId: string, approval: ListedApproval, { works }: Known): DecisionContext["same_elsewhere"] {
  return [...works.values()].flatMap(({ work, approvals }) =>
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

function toPastDecision(past: KnownApproval, deciders: Deciders): PastDecision {
  const person = deciders(past.workId, past.approvalId)
  return {
    work_id: past.workId,
    approval_id: past.approvalId,
    status: past.status,
    ...(past.resolvedAt !== undefined && { at: past.resolvedAt }),
    ...(person !== undefined && { person }),
  }
}

const timeOf = ({ resolvedAt, createdAt }: KnownApproval) => Date.parse(resolvedAt ?? createdAt) || 0
