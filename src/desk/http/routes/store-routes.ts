/** The addresses that answer from the desk's store: the record, the links between Works, and a person's saved views. */
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { DeskRecord } from "../../record/desk-record.ts"
import { readViews, saveViews } from "../../people/saved-views.ts"
import type { ChooseEntries } from "../../record/entries.ts"
import { inputsOf, linksOf } from "../../record/work-origins.ts"
import {
  DELEGATED_MAX,
  type DelegatedWork,
  type RelatedWork,
  type ReportFormat,
  type WorkInputs,
} from "../../../contract/desk-work.ts"
import type { RequestContext } from "../../../platform/http/request-context.ts"
import { cut, cutWhenStalled, Refused, sendJson } from "../../../platform/http/send.ts"
import { badParameter } from "../../../platform/http/query-parameters.ts"
import { sendTagged } from "../../../platform/http/tagged.ts"
import { withJsonBody } from "../../proxy/person-body.ts"
import { apiAnswer, downloadAnswer } from "../../../platform/http/security-headers.ts"
import type { HeaderFields } from "../../../platform/http/refusals.ts"
import { REPORT_POLICY } from "../../record/report/report-html.ts"
import { ReportSlots } from "../../record/report/report-slots.ts"
import { ListReads } from "../../proxy/shared-reads.ts"
import { chooseEntries, chooseIds } from "../../proxy/visible-entries.ts"
import type { DeskParts, DeskRoutes } from "./desk-routes.ts"

export function storeRoutes({ people, record, database, queries, forwarder, stalledMs }: DeskParts): DeskRoutes {
  const reportSlots = new ReportSlots()
  const readsFor = (context: RequestContext) =>
    new ListReads(context, forwarder.reads, forwarder.visibility.parts.watcher)
  return {
    "GET /desk/record": {
      access: "role",
      cost: "upstream reads",
      handle(context, query, session) {
        cutWhenStalled(context, stalledMs)
        const choose = chooseEntries(forwarder.visibility.parts, session, readsFor(context))
        return serveRecord(context, query, record, choose)
      },
    },
    "GET /desk/record/report": {
      access: "role",
      cost: "report",
      async handle(context, query, session) {
        cutWhenStalled(context, stalledMs)
        const choose = chooseEntries(forwarder.visibility.parts, session, readsFor(context))
        const viewer = people.mode === "local" ? undefined : { name: session.person.name, choose }
        await reportSlots.run(session.person.id, async () => serveReport(context, await record.report(query, viewer)))
      },
    },
    "GET /desk/delegated": {
      access: "role",
      cost: "upstream reads",
      handle: async (context, query, session) => {
        const asked = new Set(new URLSearchParams(query).getAll("work"))
        if (asked.size === 0 || asked.size > DELEGATED_MAX)
          throw new Refused(badParameter("work", `1 to ${DELEGATED_MAX} ids`))
        const seen = await chooseIds(forwarder.visibility.parts, session, [...asked], readsFor(context))
        sendJson(context, { delegated: await queries.delegated(seen) } satisfies DelegatedWork)
      },
    },
    "GET /desk/work/{id}/related": {
      access: "role",
      cost: "upstream reads",
      handle: async (context, _, session, [workId = ""]) => {
        await forwarder.visibility.checkNamed(session, workId, context)
        const { insteadOf, replacedBy } = await linksOf(database, workId)
        const ids = insteadOf === undefined ? replacedBy : [insteadOf, ...replacedBy]
        const seen = new Set(await chooseIds(forwarder.visibility.parts, session, ids, readsFor(context)))
        const replaced_by = replacedBy.filter((id) => seen.has(id))
        sendJson(context, {
          ...(insteadOf !== undefined && seen.has(insteadOf) && { instead_of: insteadOf }),
          ...(replaced_by.length > 0 && { replaced_by }),
        } satisfies RelatedWork)
      },
    },
    "GET /desk/work/{id}/inputs": {
      access: "role",
      cost: "upstream reads",
      handle: async (context, _, session, [workId = ""]) => {
        await forwarder.visibility.checkNamed(session, workId, context)
        const inputs = await inputsOf(database, workId)
        sendJson(context, { ...(inputs !== undefined && { inputs }) } satisfies WorkInputs)
      },
    },
    "GET /desk/views": {
      access: "role",
      cost: "read",
      handle: async (context, _, { person }) => sendTagged(context, await readViews(database, person.id)),
    },
    "PUT /desk/views": {
      access: "role",
      cost: "desk write",
      handle: withJsonBody(people, async (context, { person }, body) => {
        const { "if-match": ifMatch } = context.request.headers
        sendTagged(context, await saveViews(database, person.id, ifMatch, body))
      }),
    },
  }
}

/** Sends a page of the record as JSON, or the whole record as JSON Lines. */
async function serveRecord(
  context: RequestContext,
  query: string,
  record: DeskRecord,
  choose: ChooseEntries | undefined,
): Promise<void> {
  const accept = context.request.headers.accept ?? ""
  if (!accept.toLowerCase().includes("application/jsonl")) return sendJson(context, await record.list(query, choose))
  const lines = await record.lines(query, choose)
  await sendWhole(context, jsonLinesHead, lines)
}

const REPORT_TYPES: Readonly<Record<ReportFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  html: "text/html; charset=utf-8",
}

/** Sends a report as a file. */
async function serveReport(
  context: RequestContext,
  { format, name, parts }: Awaited<ReturnType<DeskRecord["report"]>>,
): Promise<void> {
  const head = {
    ...downloadAnswer,
    "Content-Security-Policy": `sandbox; frame-ancestors 'none'; ${REPORT_POLICY}`,
    "Content-Type": REPORT_TYPES[format],
    "Content-Disposition": `attachment; filename="${name}"`,
  }
  await sendWhole(context, head, parts)
}

/** Sends a long answer. Resolves when the client has all of it, or nothing more can be sent. */
async function sendWhole(context: RequestContext, head: HeaderFields, parts: AsyncIterable<string>): Promise<void> {
  context.response.writeHead(200, head)
  try {
    await pipeline(Readable.from(parts), context.response)
  } catch {
    // The client has left, or the store is away: the client must not take a part of the record for the whole record.
    cut(context)
  }
}

const jsonLinesHead = { ...apiAnswer, "Content-Type": "application/jsonl; charset=utf-8" }
