/** Answers listWork with the Works that a person sees (`docs/operating.md`, "Who sees what"). */
import { operations } from "../contract/document.ts"
import { WORK_PAGE_DEFAULT } from "../contract/limits.ts"
import { type HeaderFields, isRefusal, type Refusal } from "../contract/refusal.ts"
import type { Session } from "../people/people.ts"
import { readPageInSight } from "../waiting/resources.ts"
import type { OperationCall } from "./operation-routes.ts"
import type { RequestContext } from "./request-context.ts"
import type { SharedReads } from "./reads.ts"
import type { Answer } from "./send.ts"
import type { Sight } from "./sight.ts"
import { upstreamInvalid } from "../contract/refusals.ts"

/** How many pages of the upstream one page is filled from at most. */
const PAGES_MAX = 5

type Parts = {
  readonly reads: SharedReads
  readonly sight: Sight
  readonly headers: HeaderFields
  readonly isFresh: boolean
}

/** Reads pages until the Works that the person sees fill the page that was asked for. Never says how many Works were left out. */
export async function readVisibleWork(
  { trace }: RequestContext,
  { target }: OperationCall,
  session: Session,
  { reads, sight, headers, isFresh }: Parts,
): Promise<Answer | Refusal> {
  const shown: string[] = []
  const limit = limitOf(target)
  let asked = target
  let last: Answer | undefined
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await reads.get({ operation: operations.listWork, target: asked, headers, trace }, { isFresh })
    // What was read before the failure is a page of its own.
    if (isRefusal(answer) || answer.status !== 200) return last === undefined ? answer : writePage(last, shown, cursor)
    const read = readPageInSight(answer.body.toString("utf8"))
    if (read === undefined)
      return last === undefined ? { ...upstreamInvalid, cause: "not_the_operation" } : writePage(last, shown, cursor)
    const seen = await sight.filter(session, read.works, trace)
    if (isRefusal(seen)) return seen
    if (page === 0 && seen.length === read.works.length) return { ...answer, headers: withoutEtag(answer.headers) }
    shown.push(...seen.map(({ json }) => json))
    last = answer
    cursor = read.nextCursor
    if (cursor === undefined || shown.length >= limit) break
    asked = nextTarget(target, limit - shown.length, cursor)
  }
  return last === undefined ? upstreamInvalid : writePage(last, shown, cursor)
}

function writePage(last: Answer, shown: readonly string[], cursor: string | undefined): Answer {
  const next = cursor === undefined ? "" : `,"next_cursor":${JSON.stringify(cursor)}`
  return { ...last, headers: withoutEtag(last.headers), body: Buffer.from(`{"data":[${shown.join(",")}]${next}}`) }
}

/** An ETag of the upstream's page would tell of changes of Work that was left out. */
function withoutEtag({ ETag: _etag, ...headers }: HeaderFields): HeaderFields {
  return headers
}

function limitOf(target: string): number {
  const limit = Number(new URL(target, "http://desk").searchParams.get("limit") ?? WORK_PAGE_DEFAULT)
  return Number.isSafeInteger(limit) && limit > 0 ? limit : WORK_PAGE_DEFAULT
}

/** The target of the next page. The other parameters stay as the client wrote them. */
function nextTarget(target: string, limit: number, cursor: string): string {
  const [path = "", query = ""] = target.split("?", 2)
  const others = query.split("&").filter((pair) => pair !== "" && !/^(?:limit|cursor)(?:=|$)/.test(pair))
  return `${path}?${[...others, `limit=${limit}`, `cursor=${encodeURIComponent(cursor.toWellFormed())}`].join("&")}`
}
