/** The addresses that are answered from what the watcher has read: what is pending, the overview, open Work, and the context of a decision. */
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { inBackground } from "../../../platform/background.ts"
import { hasNoCache, readAcceptEncoding } from "../../../platform/http/http-fields.ts"
import { isRefusal, keyRequired, notFound } from "../../../platform/http/refusals.ts"
import type { Session } from "../../people/people-interface.ts"
import type { WorkReason } from "../../../contract/desk-work.ts"
import { readContextQuery } from "../../insight/find-context.ts"
import { isAddressable } from "../../../platform/http/path-match.ts"
import type { Seen, VisibilityCheck } from "../../proxy/visibility-check.ts"
import { askedWork } from "../../proxy/visibility-reads.ts"
import { type RequestContext, whenClosed } from "../../../platform/http/request-context.ts"
import { keyOf } from "../../proxy/mutations.ts"
import { noContent, Refused, send, sendJson } from "../../../platform/http/send.ts"
import type { DeskParts, DeskRoutes } from "./desk-routes.ts"

// With hundreds of Works the answer has some hundred kilobytes, and each change is sent to every browser.
const COMPRESSED_FROM_BYTES = 4_096

export function watcherRoutes(parts: DeskParts): DeskRoutes {
  const { queries, record, seenWork } = parts
  const { visibility } = parts.forwarder
  return {
    "GET /desk/waiting": {
      access: "role",
      cost: "read",
      handle: (context, query, session) => serveWaiting(context, query, session, parts),
    },
    "GET /desk/overview": {
      access: "role",
      cost: "read",
      handle: async (context, query, session) =>
        sendJson(context, await queries.overview(query, visibility.audienceOf(session))),
    },
    "GET /desk/work": {
      access: "role",
      cost: "read",
      handle: async (context, query, session) => {
        const isFresh = hasNoCache(context.request.headers["cache-control"])
        const audience = visibility.audienceOf(session)
        send(context, await queries.openWork(query, isFresh, audience, () => seenWork.readNewIds(audience)))
      },
    },
    "GET /desk/work/{id}/reason": {
      access: "role",
      cost: "upstream reads",
      handle: async (context, _, session, [workId = ""]) => {
        const { reason } = await checkWork(context, session, workId, visibility)
        sendJson(context, { reason } satisfies WorkReason)
      },
    },
    "DELETE /desk/approvals/{work}/{approval}/mine": {
      access: "role",
      cost: "write",
      handle: (context, _, session, ids) => withdrawApprove(context, session, ids, parts),
    },
    "GET /desk/context": {
      access: "role",
      cost: "upstream reads",
      handle: async (context, query, session) => {
        const asked = readContextQuery(query)
        await checkWork(context, session, asked.work, visibility)
        const found = await queries.context(asked, visibility.audienceOf(session), context)
        const may = found.pending && (await record.mayApprove(session, found.pending))
        sendJson(context, { ...found.context, ...(may !== undefined && { may }) })
      },
    },
  }
}

/** Why the person sees a Work whose id is not in an address of the API. @throws Refused when the person does not see it */
async function checkWork(
  context: RequestContext,
  session: Session,
  workId: string,
  visibility: VisibilityCheck,
): Promise<Seen> {
  if (!isAddressable(workId)) throw new Refused(notFound)
  return visibility.check(session, askedWork(workId, context))
}

/** Takes back the person's approve, while the desk keeps it. */
async function withdrawApprove(
  context: RequestContext,
  session: Session,
  [workId = "", itemId = ""]: readonly string[],
  { record, forwarder }: DeskParts,
): Promise<void> {
  const key = keyOf(context.request)
  if (key === undefined) throw new Refused(keyRequired)
  await checkWork(context, session, workId, forwarder.visibility)
  const target = `/desk/approvals/${encodeURIComponent(workId)}/${encodeURIComponent(itemId)}/mine`
  const { requestId } = context
  const withdrawal = { workId, itemId, target, idempotencyKey: key, requestId }
  await record.withdrawApprove(session, withdrawal, () => forwarder.mutations.readApprovals(workId, context))
  send(context, noContent)
}

/** Answers at once or at the next change. */
function serveWaiting(
  context: RequestContext,
  query: string,
  session: Session,
  { queries: { watcher }, forwarder: { visibility } }: DeskParts,
): void {
  const { "if-none-match": ifNoneMatch, "accept-encoding": accepted } = context.request.headers
  const acceptsGzip = readAcceptEncoding(accepted)("gzip") > 0
  const leave = watcher.waiting({ query, ifNoneMatch, audience: () => visibility.audienceOf(session) }, (answer) => {
    if (isRefusal(answer) || !acceptsGzip || answer.body.length < COMPRESSED_FROM_BYTES) {
      return send(context, answer)
    }
    const sendCompressed = (body: Buffer) => {
      const headers = { ...answer.headers, "Content-Encoding": "gzip", Vary: "Accept-Encoding" }
      send(context, { ...answer, headers, body })
    }
    inBackground(() => gzipOnce(answer.body).then(sendCompressed, () => send(context, answer)))
  })
  whenClosed(context, leave)
}

const compress = promisify(gzip)
const compressed = new WeakMap<Buffer, Promise<Buffer>>()

/** The body as gzip. Each buffer is compressed once. Level 1 costs a third of the default level and saves nearly as much (measured). */
export function gzipOnce(body: Buffer): Promise<Buffer> {
  const result = compressed.get(body) ?? compress(body, { level: 1 })
  compressed.set(body, result)
  return result
}
