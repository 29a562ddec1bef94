/** The addresses that answer from the desk's store: the record, and a person's saved views. */
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { isRefusal, type Refusal } from "../../contract/refusal.ts"
import type { People } from "../../people/people.ts"
import type { DeskRecord } from "../../record/desk-record.ts"
import type { Database } from "../../store/database.ts"
import { readViews, saveViews, type TaggedViews } from "../../people/saved-views.ts"
import type { ChooseEntries } from "../../record/visible-entries.ts"
import type { Sight } from "../sight.ts"
import type { RequestContext } from "../request-context.ts"
import { cut, send, sendJson } from "../send.ts"
import { hasMediaType, readBodyOfPerson } from "../request-body.ts"
import { apiAnswer } from "../security-headers.ts"
import type { DeskRoutes } from "./desk-routes.ts"
import { mediaTypeRefused } from "../../contract/refusals.ts"

type StoreParts = {
  readonly people: People
  readonly record: DeskRecord
  readonly database: Database
  readonly sight: Sight
}

export function storeRoutes({ people, record, database, sight }: StoreParts): DeskRoutes {
  return {
    "GET /desk/record": {
      access: "role",
      handle: (context, query, session) =>
        serveRecord(context, query, record, sight.entriesFor(session, context.trace)),
    },
    "GET /desk/views": {
      access: "role",
      handle: async (context, _, { person }) => answerViews(context, await readViews(database, person.id)),
    },
    "PUT /desk/views": { access: "role", handle: (context) => putViews(context, people, database) },
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
  if (!accept.toLowerCase().includes("application/jsonl")) return answer(context, await record.list(query, choose))
  const lines = await record.lines(query, choose)
  if (isRefusal(lines)) return send(context, lines)
  context.response.writeHead(200, jsonLinesHead)
  try {
    await pipeline(Readable.from(lines), context.response)
  } catch {
    // The client has left, or the store is away: the client must not take a part of the record for the whole record.
    cut(context)
  }
}

const jsonLinesHead = [...apiAnswer, "Content-Type", "application/jsonl; charset=utf-8"]

async function putViews(context: RequestContext, people: People, database: Database): Promise<void> {
  if (!hasMediaType(context.request, "application/json")) return send(context, mediaTypeRefused)
  const read = await readBodyOfPerson(context, people)
  if (isRefusal(read)) return send(context, read)
  const ifMatch = context.request.headers["if-match"]
  answerViews(context, await saveViews(database, read.session.person.id, ifMatch, read.body))
}

function answerViews(context: RequestContext, answer: TaggedViews | Refusal): void {
  if (isRefusal(answer)) send(context, answer)
  else sendJson(context, answer.views, ["ETag", answer.etag])
}

function answer(context: RequestContext, value: object): void {
  if (isRefusal(value)) send(context, value)
  else sendJson(context, value)
}
