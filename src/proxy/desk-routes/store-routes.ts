/** The addresses that answer from the desk's store: the record, and a person's saved views. */
import { once } from "node:events"
import { isRefusal } from "../../contract/refusal.ts"
import type { People } from "../../people/people.ts"
import type { DeskRecord } from "../../record/desk-record.ts"
import type { Database } from "../../store/database.ts"
import { readViews, saveViews } from "../../people/views.ts"
import type { RequestContext } from "../request-context.ts"
import { cut, send, sendJson } from "../send.ts"
import { mediaTypeRefused } from "../refusals.ts"
import { hasMediaType, readBodyOfPerson } from "../request-body.ts"
import { apiAnswer } from "../security-headers.ts"
import type { DeskRoutes } from "./desk-routes.ts"

export function storeRoutes(people: People, record: DeskRecord, database: Database): DeskRoutes {
  return {
    "GET /desk/record": { access: "role", handle: (context, query) => serveRecord(context, query, record) },
    "GET /desk/views": {
      access: "role",
      handle: async (context, _, { person }) => answer(context, await readViews(database, person.id)),
    },
    "PUT /desk/views": { access: "role", handle: (context) => putViews(context, people, database) },
  }
}

/** Sends a page of the record as JSON, or the whole record as JSON Lines. */
async function serveRecord(context: RequestContext, query: string, record: DeskRecord): Promise<void> {
  const accept = context.request.headers.accept ?? ""
  if (!accept.toLowerCase().includes("application/jsonl")) return answer(context, await record.list(query))
  const lines = await record.lines(query)
  if (isRefusal(lines)) return send(context, lines)
  const { response } = context
  let isOpen = true
  context.onClose = () => (isOpen = false)
  try {
    for await (const text of lines) {
      if (!isOpen) return
      if (!response.headersSent) response.writeHead(200, jsonLinesHead)
      if (!response.write(text)) await Promise.race([once(response, "drain"), once(response, "close")])
    }
  } catch (error) {
    // The client must not take a part of the record for the whole record.
    if (response.headersSent) return cut(context)
    throw error
  }
  if (!response.headersSent) response.writeHead(200, jsonLinesHead)
  response.end()
}

const jsonLinesHead = [...apiAnswer, "Content-Type", "application/jsonl; charset=utf-8"]

async function putViews(context: RequestContext, people: People, database: Database): Promise<void> {
  if (!hasMediaType(context.request, "application/json")) return send(context, mediaTypeRefused)
  const read = await readBodyOfPerson(context, people)
  answer(context, isRefusal(read) ? read : await saveViews(database, read.session.person.id, read.body))
}

function answer(context: RequestContext, value: object): void {
  if (isRefusal(value)) send(context, value)
  else sendJson(context, value)
}
