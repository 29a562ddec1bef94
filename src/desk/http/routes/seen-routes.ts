/** `GET` and `POST /desk/seen`: what is new to a person, and what they have seen. */
import type { NewWork } from "../../../contract/desk-work.ts"
import { matchesEtag } from "../../../platform/http/http-fields.ts"
import { addressOfWork, isAddressable } from "../../../platform/http/path-match.ts"
import { isRefusal, notFound } from "../../../platform/http/refusals.ts"
import type { RequestContext } from "../../../platform/http/request-context.ts"
import { noContent, Refused, send } from "../../../platform/http/send.ts"
import { apiAnswer } from "../../../platform/http/security-headers.ts"
import { sendTagged, type Tagged } from "../../../platform/http/tagged.ts"
import { readSeenReport } from "../../insight/seen-work.ts"
import type { Session } from "../../people/people-interface.ts"
import { withJsonBody } from "../../proxy/person-body.ts"
import { NOT_FOUND, readForCheck, toFailure } from "../../proxy/visibility-reads.ts"
import { InvalidAnswerError, type ListedWork, readOneWork } from "../../watcher/read-resources.ts"
import type { DeskParts, DeskRoutes } from "./desk-routes.ts"

export function seenRoutes({ people, seenWork, forwarder }: DeskParts): DeskRoutes {
  const { visibility } = forwarder
  const note = async (context: RequestContext, session: Session, body: Buffer) => {
    const report = readSeenReport(body)
    if ("all" in report) {
      await seenWork.noteAll(visibility.audienceOf(session), report.all)
    } else {
      const { work, version } = report
      if (!isAddressable(work)) throw new Refused(notFound)
      await visibility.checkNamed(session, work, context)
      const readState = async () => {
        const origin = { origin: context, isFresh: true }
        const answer = await readForCheck(forwarder.reads, "getWork", addressOfWork(work), origin)
        if (!isRefusal(answer) && answer.status === NOT_FOUND) throw new Refused(notFound)
        const read = isRefusal(answer) || answer.status !== 200 ? undefined : readIfWhole(answer.body)
        if (read === undefined) throw new Refused(toFailure(answer))
        return read
      }
      await seenWork.noteWork(visibility.audienceOf(session), work, version, readState)
    }
    send(context, noContent)
  }
  return {
    "GET /desk/seen": {
      access: "role",
      cost: "read",
      handle: async (context, _, session) => sendNews(context, await seenWork.read(visibility.audienceOf(session))),
    },
    "POST /desk/seen": { access: "role", cost: "seen", handle: withJsonBody(people, note) },
  }
}

/** The Work in an answer to getWork; undefined if it can't be read. */
function readIfWhole(body: Buffer): ListedWork | undefined {
  try {
    return readOneWork(body.toString("utf8"))
  } catch (error) {
    if (error instanceof InvalidAnswerError) return undefined
    throw error
  }
}

function sendNews(context: RequestContext, news: Tagged<Omit<NewWork, "etag">>): void {
  const headers = { ...apiAnswer, ETag: news.etag }
  const isKnown = matchesEtag(context.request.headers["if-none-match"], news.etag)
  if (isKnown) send(context, { status: 304, headers, body: Buffer.alloc(0) })
  else sendTagged(context, news)
}
