/** Builds the answer of `GET /desk/context`: what is unusual about an approval, compared with every approval that the desk has read. */
import type { DecisionContext, PastDecision } from "../../contract/desk-work.ts"
import type { WatchedWork } from "../watcher/watched-work.ts"
import type { Decisions } from "./decisions.ts"
import type { KnownApproval } from "./known-approval-store.ts"
import { type KnownApprovals, sinceOf } from "./known-approvals.ts"
import { type Destination, possibleDestinations, toDestinations } from "./destination.ts"
import { type Asked, findLookAlikes, type Reader, type Standing } from "./look-alike-warnings.ts"
import { Turns } from "../../platform/turns.ts"
import type { ListedApproval } from "../watcher/read-resources.ts"

const HISTORY_MAX = 50

/** What a person sees of the Work that the desk has read. A concealed Work must not change the context. */
export type Seen = {
  readonly works: readonly WatchedWork[]
  /** Whether the person sees a Work, open or done. */
  readonly sees: (workId: string) => boolean
  /** Whether the desk has read the approvals of all open and done Work. */
  readonly isComplete: boolean
}

/** The approval that is asked about. */
export type AskedApproval = {
  readonly workId: string
  readonly approval: ListedApproval
  /** The Work that its Work replaces. */
  readonly insteadOf?: string | undefined
}

export async function buildContext(
  { workId, approval, insteadOf }: AskedApproval,
  known: KnownApprovals,
  { works, sees, isComplete }: Seen,
  decisions: Decisions,
): Promise<DecisionContext> {
  const reader = { known, sees, turns: new Turns() }
  const asked = await readAsked(workId, approval, reader)
  const history = leastKnown(asked.map(({ own }) => own))
  const possible = possibleDestinations(approval.destination).map((destination) => ({ destination, own: history }))
  // The figures count the approval itself, once the desk has read it.
  const own = known.get(workId, approval.id) === undefined ? 0 : 1
  const { count, since, ofColleague, declined } = await countKnown(approval.colleague, insteadOf, reader)
  return {
    known: {
      approvals: count - own,
      since: since === undefined ? null : new Date(since).toISOString(),
      complete: isComplete,
    },
    destination: {
      first: history.isFirst,
      approved: history.approved,
      declined: history.declined,
      ...(history.lastApproved !== undefined && { last_approved: toPastDecision(history.lastApproved, decisions) }),
      history: history.newest.map((one) => toPastDecision(one, decisions)),
    },
    look_alikes: await findLookAlikes([...asked, ...possible], reader),
    first_of_colleague: ofColleague - own <= 0,
    same_elsewhere: findSame(workId, approval, works),
    ...(declined && { declined_before: { work_id: declined.workId, approval_id: declined.approvalId } }),
  }
}

/** What the person knows of a destination from its other approvals. */
type History = Standing & {
  readonly declined: number
  readonly lastApproved: KnownApproval | undefined
  /** The newest decided approvals, at most HISTORY_MAX. */
  readonly newest: readonly KnownApproval[]
  /** No other approval was decided, and no older approval waits. Of two of the same moment both are first. */
  readonly isFirst: boolean
}

/** What the approval reaches, and the history of each. */
async function readAsked(workId: string, approval: ListedApproval, reader: Reader) {
  const asked: (Asked & { readonly own: History })[] = []
  for (const destination of toDestinations(approval.destination))
    asked.push({ destination, own: await readHistory(destination, workId, approval, reader) })
  return asked
}

/** Of several addresses the one that the person knows least speaks for all: a letter to it is as new as that address. */
function leastKnown(histories: readonly History[]): History {
  const isLessKnown = (one: History, other: History) =>
    one.isFirst === other.isFirst ? one.approved < other.approved : one.isFirst
  return histories.reduce((least, other) => (isLessKnown(other, least) ? other : least))
}

async function readHistory(
  { key }: Destination,
  workId: string,
  approval: ListedApproval,
  { known, sees, turns }: Reader,
): Promise<History> {
  let [approved, declined, isFirst, since] = [0, 0, true, sinceOf(approval.createdAt)]
  let lastApproved: KnownApproval | undefined
  const newest: KnownApproval[] = []
  for (const other of known.withKey(key)) {
    if (turns.isOver()) await turns.next()
    if (!sees(other.workId) || (other.workId === workId && other.approvalId === approval.id)) continue
    const createdAt = Date.parse(other.createdAt)
    since = Math.min(since, sinceOf(createdAt))
    const isLater = other.status === "pending" && createdAt >= approval.createdAt
    if (!isLater) isFirst = false
    if (other.status !== "approved" && other.status !== "declined") continue
    if (other.status === "declined") declined++
    else {
      approved++
      if (lastApproved === undefined || timeOf(other) > timeOf(lastApproved)) lastApproved = other
    }
    insertByTime(newest, other)
  }
  return { approved, declined, since, isFirst, lastApproved, newest }
}

/** Puts an approval in its place among the newest, and drops the oldest of too many. */
function insertByTime(newest: KnownApproval[], approval: KnownApproval): void {
  const time = timeOf(approval)
  const place = newest.findIndex((other) => timeOf(other) < time)
  newest.splice(place === -1 ? newest.length : place, 0, approval)
  if (newest.length > HISTORY_MAX) newest.pop()
}

/** How many approvals the person knows, in all and of a colleague, and since when (ms since 1970). `declined`: the last declined one of `insteadOf`. */
async function countKnown(colleague: string, insteadOf: string | undefined, { known, sees, turns }: Reader) {
  let [count, ofColleague, since] = [0, 0, Number.POSITIVE_INFINITY]
  let declined: KnownApproval | undefined
  for (const approval of known.all()) {
    if (turns.isOver()) await turns.next()
    if (!sees(approval.workId)) continue
    count++
    if (approval.colleague === colleague) ofColleague++
    since = Math.min(since, approval.knownAt)
    if (approval.workId !== insteadOf || approval.status !== "declined") continue
    if (declined === undefined || timeOf(approval) > timeOf(declined)) declined = approval
  }
  return { count, ofColleague, declined, since: count === 0 ? undefined : since }
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
