/** The addresses that answer from the desk's own store: the record, and a person's saved views. */
import { once } from "node:events"
import type { Session } from "../people/people.ts"
import type { DeskRecord } from "../people/record/interface.ts"
import type { Database } from "../people/store/database.ts"
import { readViews, saveViews } from "../people/views.ts"
import type { DeskRoutes } from "./desk-routes.ts"
import { cut, isRefusal, send, sendJson, type Exchange } from "./exchange.ts"
import { bodyTooLarge, mediaTypeRefused } from "./problem.ts"
import { hasMediaType, readBody } from "./request-body.ts"
import { apiAnswer } from "./security-headers.ts"

export function storedRoutes(record: DeskRecord, database: Database): DeskRoutes {
  return {
    "GET /desk/record": { access: "role", handle: (exchange, query) => serveRecord(exchange, query, record) },
    "GET /desk/views": {
      access: "role",
      handle: async (exchange, _, { person }) => answer(exchange, await readViews(database, person.id)),
    },
    "PUT /desk/views": { access: "role", handle: (exchange, _, session) => putViews(exchange, session, database) },
  }
}

async function serveRecord(exchange: Exchange, query: string, record: DeskRecord): Promise<void> {
  const accept = exchange.request.headers.accept ?? ""
  if (!accept.toLowerCase().includes("application/jsonl")) return answer(exchange, await record.list(query))
  const lines = await record.lines(query)
  if (isRefusal(lines)) return send(exchange, lines)
  const { response } = exchange
  let isOpen = true
  exchange.onClose = () => (isOpen = false)
  try {
    for await (const text of lines) {
      if (!isOpen) return
      if (!response.headersSent) response.writeHead(200, jsonLinesHead)
      if (!response.write(text)) await Promise.race([once(response, "drain"), once(response, "close")])
    }
  } catch (error) {
    // The client must not take a part of the record for the whole.
    if (response.headersSent) return cut(exchange)
    throw error
  }
  if (!response.headersSent) response.writeHead(200, jsonLinesHead)
  response.end()
}

const jsonLinesHead = [...apiAnswer, "Content-Type", "application/jsonl; charset=utf-8"]

async function putViews(exchange: Exchange, { person }: Session, database: Database): Promise<void> {
  if (!hasMediaType(exchange.request, "application/json")) return send(exchange, mediaTypeRefused)
  const body = await readBody(exchange)
  answer(exchange, body === undefined ? bodyTooLarge : await saveViews(database, person.id, body))
}

function answer(exchange: Exchange, value: object): void {
  if (isRefusal(value)) send(exchange, value)
  else sendJson(exchange, value)
}
