/** Answers listWork with the Works that a person sees (`docs/operating.md`, "Who sees what"). `visible-entries.ts` does the same for the record. */
import { operations } from "../../contract/operations.ts"
import { WORK_PAGE_DEFAULT } from "../../contract/limits.ts"
import { type HeaderFields, isRefusal, type Refusal, upstreamTooLarge } from "../../platform/http/refusals.ts"
import { addressOfWork } from "../../platform/http/path-match.ts"
import type { Session } from "../people/people-interface.ts"
import { viewerOfSession } from "../people/visibility.ts"
import {
  mayHavePendingApprovals,
  readPageForVisibility,
  readPendingForVisibility,
  type WorkOnPage,
} from "../watcher/visibility-members.ts"
import { isChecked } from "../watcher/watched-work.ts"
import type { Answer } from "../../platform/http/send.ts"
import type { ListReads } from "./shared-reads.ts"
import type { UpstreamRequest } from "./upstream-request.ts"
import { ANY_AGE_MS, type VisibilityParts } from "./visibility-check.ts"
import { inParallel, toFailure } from "./visibility-reads.ts"

/** One page is filled from at most so many pages of the upstream. */
const PAGES_MAX = 5

/**
 * Reads pages until they fill the page that was asked for. Never says how many Works were left out. What could not be checked is left out too, and the
 * header `Desk-Incomplete` says so. With `isFresh` (the request has `no-cache`), no page joins a read that is in flight already.
 */
export async function readVisibleWork(
  parts: VisibilityParts,
  session: Session,
  request: Pick<UpstreamRequest, "target" | "headers" | "origin">,
  reads: ListReads,
  isFresh: boolean,
): Promise<Answer | Refusal> {
  const readPage = async (target: string): Promise<Answer | Refusal> => {
    const answer = await reads.read({ ...request, operation: operations.listWork, target }, isFresh)
    const shorter = shorterPage(target, answer)
    return shorter === undefined ? answer : readPage(shorter)
  }
  const limit = limitOf(request.target)
  const shown: string[] = []
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
    const isWholePage = page === 1 && seen.length === read.entryCount
    if (isWholePage) return { ...answer, headers: withoutEtag(answer.headers) }
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
