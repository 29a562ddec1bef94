/** Chooses the entries of the record, and the Works, that a person sees (`docs/operating.md`, "Who sees what"). */
import type { RecordEntry, RecordOperation } from "../../contract/desk-work.ts"
import { addressOfWork, isAddressable } from "../../platform/http/path-match.ts"
import type { Session } from "../people/people-interface.ts"
import { viewerOfSession, type Viewer } from "../people/visibility.ts"
import type { ChooseEntries } from "../record/entries.ts"
import { CREATION_MS } from "../record/work-people.ts"
import {
  mayHavePendingApprovals,
  readPendingForVisibility,
  readWorkForVisibility,
} from "../watcher/visibility-members.ts"
import { isChecked } from "../watcher/watched-work.ts"
import type { ListReads } from "./shared-reads.ts"
import { FRESH_MS, type VisibilityParts } from "./visibility-check.ts"
import { inParallel } from "./visibility-reads.ts"

/** The record may name a Work for this long before the watcher's list has the Work. */
const NEW_MS = CREATION_MS

/** These entries of the record are about the desk and no Work, so everybody with a role sees them. */
const FOR_EVERYBODY: readonly RecordOperation[] = ["freeze", "unfreeze", "setAway"]

/** Chooses a person's own entries, and those about Work that they see. Overseers see all. Undefined in local mode: one person sees everything. */
export function chooseEntries(parts: VisibilityParts, session: Session, reads: ListReads): ChooseEntries | undefined {
  const { workPeople, people } = parts
  if (workPeople === undefined) return undefined
  const viewer = viewerOfSession(session, people.access())
  /** Whether the person sees each Work, by its id. */
  const seen = new Map<string, boolean>()
  return async (entries) => {
    if (viewer.isOverseer) return { entries, complete: true }
    const entriesOfOthers = entries.filter(({ person }) => person.id !== viewer.id)
    /** When the newest entry about each undecided Work was written. */
    const writtenAt = new Map<string, number>()
    for (const { work_id: id, at } of entriesOfOthers)
      if (id !== undefined && !seen.has(id)) writtenAt.set(id, Math.max(writtenAt.get(id) ?? 0, Date.parse(at)))
    await workPeople.refresh(writtenAt.keys())
    await inParallel(writtenAt, async ([id, at]) => {
      seen.set(id, await seesRecordedWork(parts, viewer, { id, writtenAt: at }, reads))
    })
    const isShown = ({ person, work_id: id, operation }: RecordEntry) =>
      person.id === viewer.id || FOR_EVERYBODY.includes(operation) || (id !== undefined && seen.get(id) === true)
    return { entries: entries.filter(isShown), complete: reads.isComplete }
  }
}

/** Returns the Works that a person sees, in their order. In local mode all of them. */
export async function chooseIds(
  parts: VisibilityParts,
  session: Session,
  ids: readonly string[],
  reads: ListReads,
): Promise<readonly string[]> {
  const { workPeople, people } = parts
  if (workPeople === undefined) return ids
  const viewer = viewerOfSession(session, people.access())
  const seen = new Set<string>()
  await workPeople.refresh(ids)
  await inParallel(ids, async (id) => {
    if (await seesRecordedWork(parts, viewer, { id, writtenAt: Date.now() }, reads)) seen.add(id)
  })
  return ids.filter((id) => seen.has(id))
}

/** The `seenAt` of `why` where the caller has just read the store, so that it is known who created the Work. */
const STORE_READ_SINCE = 0

/** Whether a person sees a Work of the record. Reads the Work where the desk does not know whether it is there, or who sees it. */
async function seesRecordedWork(
  { watcher }: VisibilityParts,
  viewer: Viewer,
  { id: workId, writtenAt }: { readonly id: string; readonly writtenAt: number },
  reads: ListReads,
): Promise<boolean> {
  const { visibleWork } = watcher
  if (visibleWork.seesWork(viewer, workId)) return true
  const watched = watcher.known(workId, FRESH_MS)
  // `seesWork` went by what the desk has read, so its "no" is final only where the desk has read everything that decides.
  // Open Work: an approver may see it by its approvals, which the desk has read once the Work was checked.
  const isOpenAndRead = watched !== undefined && (!viewer.isApprover || isChecked(watched))
  // Other Work: done, or in none of the lists although it is too old to be missing from them.
  const isInNoList = Date.now() - writtenAt > NEW_MS && watcher.knowsEveryWork(FRESH_MS)
  const isDoneOrUnlisted = watched === undefined && (visibleWork.isDone(workId) || isInNoList)
  if (isOpenAndRead || isDoneOrUnlisted || !isAddressable(workId)) return false
  const work = await reads.check("getWork", addressOfWork(workId), (json) => readWorkForVisibility(json, workId))
  if (work === undefined) return false
  if (visibleWork.why(viewer, work, [], STORE_READ_SINCE) !== undefined) return true
  if (!viewer.isApprover || !mayHavePendingApprovals(work)) return false
  const pending = await reads.check("listWorkApprovals", `${addressOfWork(workId)}/approvals`, readPendingForVisibility)
  return pending !== undefined && visibleWork.why(viewer, work, pending, STORE_READ_SINCE) !== undefined
}
