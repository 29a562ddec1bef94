/** Leaves out of lists what a person does not see: the pages of listWork, and the record (`docs/operating.md`, "Who sees what"). */
import type { RecordOperation } from "../../contract/desk-work.ts"
import { operations } from "../../contract/operations.ts"
import { WORK_PAGE_DEFAULT } from "../../contract/limits.ts"
import { type HeaderFields, isRefusal, type Refusal, upstreamTooLarge } from "../../platform/http/refusals.ts"
import { addressOfWork, isAddressable } from "../../platform/http/path-match.ts"
import type { Session } from "../people/people-interface.ts"
import { viewerOfSession, type Viewer } from "../people/visibility.ts"
import type { ChooseEntries } from "../record/entries.ts"
import { CREATION_MS } from "../record/work-people.ts"
import {
  readPageForVisibility,
  readPendingForVisibility,
  readWorkForVisibility,
  type WorkForVisibility,
  type WorkOnPage,
} from "../watcher/visibility-members.ts"
import { isChecked } from "../watcher/watched-work.ts"
import type { Answer } from "../../platform/http/send.ts"
import type { ListReads } from "./shared-reads.ts"
import type { UpstreamRequest } from "./upstream-request.ts"
import { ANY_AGE_MS, FRESH_MS, type VisibilityParts } from "./visibility-check.ts"
import { toFailure } from "./visibility-reads.ts"

/** One page is filled from at most so many pages of the upstream. */
const PAGES_MAX = 5
/** How many Works are read at once for one list. */
const READS_AT_ONCE = 4
/** The record may name a Work for this long before the watcher's list has the Work. */
const NEW_MS = CREATION_MS

/**
 * Answers listWork with the Works that a person sees: reads pages until they fill the page that was asked for. Never says how many Works were
 * left out. What could not be checked is left out too, and the header `Desk-Incomplete` says so. With `isFresh` (the request has `no-cache`),
 * no page joins a read that is in flight already.
 */
export async function readVisibleWork(
  parts: VisibilityParts,
  session: Session,
  request: Pick<UpstreamRequest, "target" | "headers" | "origin">,
  reads: ListReads,
  isFresh: boolean,
): Promise<Answer | Refusal> {
  const shown: string[] = []
  const limit = limitOf(request.target)
  const readPage = async (of: string): Promise<Answer | Refusal> => {
    const answer = await reads.read({ ...request, operation: operations.listWork, target: of }, isFresh)
    const shorter = shorterPage(of, answer)
    return shorter === undefined ? answer : readPage(shorter)
  }
  let { target } = request
  let last: Answer | undefined
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    const answer = await readPage(target)
    const isPage = !isRefusal(answer) && answer.status === 200
    const read = isPage ? readPageForVisibility(answer.body.toString("utf8")) : undefined
    if (isRefusal(answer) || read === undefined) {
      // The Works from before the failure are a short page, whose cursor leads to the page that failed.
      return last === undefined ? toFailure(answer) : writePage(last, shown, cursor, reads.isComplete)
    }
    const seen = await chooseWork(parts, session, read.works, reads)
    const isWhole = page === 1 && seen.length === read.entryCount
    if (isWhole) return { ...answer, headers: withoutEtag(answer.headers) }
    shown.push(...seen.map(({ value }) => JSON.stringify(value)))
    last = answer
    cursor = read.nextCursor
    if (cursor === undefined || shown.length >= limit || page === PAGES_MAX)
      return writePage(last, shown, cursor, reads.isComplete)
    target = nextTarget(request.target, limit - shown.length, cursor)
  }
}

/** The address of the same page with half its limit, when the page was too large. Undefined for other answers, and for a single Work. */
export function shorterPage(target: string, answer: Answer | Refusal): string | undefined {
  const limit = limitOf(target)
  if (!isRefusal(answer) || answer.code !== upstreamTooLarge.code || limit <= 1) return undefined
  return withParameters(target, [`limit=${Math.floor(limit / 2)}`])
}

/** The Works that a person sees, of a page that was just read. For an approver, approvals are read that the watcher does not know. */
async function chooseWork(
  { watcher, workPeople, people }: VisibilityParts,
  session: Session,
  works: readonly WorkOnPage[],
  reads: ListReads,
): Promise<readonly WorkOnPage[]> {
  const readAt = Date.now()
  await workPeople?.refresh(works.map(({ id }) => id))
  const viewer = viewerOfSession(session, people.access())
  const seen = new Set<WorkOnPage>()
  const unsure: WorkOnPage[] = []
  for (const work of works) {
    const known = watcher.known(work.id, ANY_AGE_MS)
    const areApprovalsKnown = known !== undefined && isChecked(known)
    if (watcher.visibleWork.why(viewer, work, known?.approvals ?? [], readAt) !== undefined) seen.add(work)
    else if (viewer.isApprover && !areApprovalsKnown && mayHavePendingApprovals(work)) unsure.push(work)
  }
  await inParallel(unsure, async (work) => {
    const pending = await reads.check(
      "listWorkApprovals",
      `${addressOfWork(work.id)}/approvals`,
      readPendingForVisibility,
    )
    if (pending !== undefined && watcher.visibleWork.why(viewer, work, pending, readAt) !== undefined) seen.add(work)
  })
  return works.filter((work) => seen.has(work))
}

/** Done Work has no pending approvals, and the approvals of a Work that no address can hold cannot be read. */
const mayHavePendingApprovals = ({ id, status }: WorkForVisibility) => status !== "done" && isAddressable(id)

/** These entries of the record are about the desk and no Work, so everybody with a role sees them. */
const FOR_EVERYBODY: readonly RecordOperation[] = ["freeze", "unfreeze", "setAway"]

/**
 * Chooses the entries of the record for a person: their own, and those about Work that they see. Overseers see every entry. Undefined: no
 * choice, because in local mode one person sees everything.
 */
export function chooseEntries(parts: VisibilityParts, session: Session, reads: ListReads): ChooseEntries | undefined {
  const { workPeople, people } = parts
  if (workPeople === undefined) return undefined
  const viewer = viewerOfSession(session, people.access())
  const seen = new Map<string, boolean>()
  return async (entries) => {
    if (viewer.isOverseer) return { entries, complete: true }
    const others = entries.filter(({ person }) => person.id !== viewer.id)
    const writtenAt = new Map<string, number>()
    for (const { work_id: id, at } of others)
      if (id !== undefined && !seen.has(id)) writtenAt.set(id, Math.max(writtenAt.get(id) ?? 0, Date.parse(at)))
    await workPeople.refresh(writtenAt.keys())
    await inParallel([...writtenAt], async ([id, at]) => {
      seen.set(id, await seesEntriesOf(parts, viewer, { id, writtenAt: at }, reads))
    })
    const chosen = entries.filter(
      ({ person, work_id: id, operation }) =>
        person.id === viewer.id || FOR_EVERYBODY.includes(operation) || (id !== undefined && seen.get(id)),
    )
    return { entries: chosen, complete: reads.isComplete }
  }
}

/** Those of some Works that a person sees, in their order. In local mode all of them. */
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
  await inParallel([...ids], async (id) => {
    if (await seesEntriesOf(parts, viewer, { id, writtenAt: Date.now() }, reads)) seen.add(id)
  })
  return ids.filter((id) => seen.has(id))
}

/** The `seenAt` of `why` where the caller has just read the store, so that it is known who created the Work. */
const STORE_READ_SINCE = 0

/** Whether a person sees a Work of the record. Reads the Work where the desk does not know whether it is there, or who sees it. */
async function seesEntriesOf(
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

/** Does the work of all items, READS_AT_ONCE of them at the same time. Empties `items`. */
async function inParallel<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const workNext = async (): Promise<void> => {
    for (let item = items.pop(); item !== undefined; item = items.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, workNext))
}

function writePage(last: Answer, shown: readonly string[], cursor: string | undefined, isComplete: boolean): Answer {
  const next = cursor === undefined ? "" : `,"next_cursor":${JSON.stringify(cursor)}`
  const headers = { ...withoutEtag(last.headers), ...(!isComplete && { "Desk-Incomplete": "true" }) }
  return { ...last, headers, body: Buffer.from(`{"data":[${shown.join(",")}]${next}}`) }
}

/** An ETag of the upstream's page would reveal changes of Work that was left out. */
function withoutEtag({ ETag: _etag, ...headers }: HeaderFields): HeaderFields {
  return headers
}

function limitOf(target: string): number {
  const limit = Number(new URL(target, "http://desk").searchParams.get("limit") ?? WORK_PAGE_DEFAULT)
  return Number.isSafeInteger(limit) && limit > 0 ? limit : WORK_PAGE_DEFAULT
}

/** The target of the next page. The other parameters stay as the client wrote them. */
function nextTarget(target: string, limit: number, cursor: string): string {
  return withParameters(target, [`limit=${limit}`, `cursor=${encodeURIComponent(cursor.toWellFormed())}`])
}

function withParameters(target: string, pairs: readonly string[]): string {
  const [path = "", query = ""] = target.split("?", 2)
  const names = pairs.map((pair) => pair.split("=", 1)[0])
  const others = query.split("&").filter((pair) => pair !== "" && !names.includes(pair.split("=", 1)[0]))
  return `${path}?${[...others, ...pairs].join("&")}`
}
