/** Decides which look-alikes of an approval's destination a person is warned of. `look-alikes.ts` finds the candidates. */
import type { LookAlike } from "../contract/desk-work.ts"
import { readDestination } from "./destination.ts"
import type { ListedApproval } from "../waiting/resources.ts"
import type { KnownApproval } from "./known-approval-store.ts"
import type { KnownApprovals } from "./known-approvals.ts"

const LOOK_ALIKES_MAX = 5

/**
 * Finds the look-alikes that were approved more often than the approval's destination, the most approved first. Where neither was ever approved,
 * an older look-alike counts. `others` are the other approvals with the approval's destination.
 */
export function findLookAlikes(
  approval: ListedApproval,
  others: readonly KnownApproval[],
  known: KnownApprovals,
  sees: (workId: string) => boolean,
): readonly LookAlike[] {
  const ownApproved = countStatus(others, "approved")
  const since = Math.min(approval.createdAt, ...others.map(({ createdAt }) => Date.parse(createdAt)))
  const found = known.lookAlikes.find(readDestination(approval.destination)).flatMap(({ destination, reason }) => {
    // An address that was approved before gets no warning for a difference of one or two characters.
    if (ownApproved > 0 && reason.kind === "distance") return []
    const approvals = approvalsTo(destination.text, known, sees)
    const approved = countStatus(approvals, "approved")
    const isOlder = approvals.some(({ createdAt }) => Date.parse(createdAt) < since)
    const isMoreApproved = approved > ownApproved
    const neitherApproved = approved === 0 && ownApproved === 0
    if (!isMoreApproved && !(neitherApproved && isOlder)) return []
    return [{ reason, destination: destination.text, approved, declined: countStatus(approvals, "declined") }]
  })
  return found
    .sort((one, other) => other.approved - one.approved || other.declined - one.declined)
    .slice(0, LOOK_ALIKES_MAX)
}

/** The known approvals with a destination, of the Works that the person sees. */
export function approvalsTo(
  destination: string,
  known: KnownApprovals,
  sees: (workId: string) => boolean,
): readonly KnownApproval[] {
  return [...(known.find(destination)?.approvals.values() ?? [])].filter(({ workId }) => sees(workId))
}

const countStatus = (approvals: readonly KnownApproval[], wanted: string) =>
  approvals.filter(({ status }) => status === wanted).length
