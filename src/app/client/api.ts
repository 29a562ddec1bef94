import createClient, { type Middleware } from "openapi-fetch"
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import type { paths } from "../../contract/schema.d.ts"
import { DeskError, errorFromResponse, unreachable, unreadable } from "./desk-error.ts"
import { ANSWER_TIMEOUT_MS, deskFetch } from "./desk-fetch.ts"
import { readRateLimit } from "./rate-limit.ts"
import { assertOpen, closeUntil } from "./retry-gate.ts"

/** A JSON answer whose int64 members (openapi.yaml, `format: int64`) arrive exact, as bigint. */
class ExactResponse extends Response {
  override async json(): Promise<unknown> {
    const text = await this.text()
    try {
      return parseJson(text)
    } catch {
      throw unreadable(this)
    }
  }
}

/**
 * Reads the whole body, so that a cut or garbled body becomes a DeskError. openapi-fetch 0.17 calls `json()` of the returned response only
 * where that response has a Content-Length.
 */
const exactAnswers: Middleware = {
  async onResponse({ request, response }) {
    readRateLimit(response.headers)
    if (!response.ok) {
      const error = await errorFromResponse(response)
      if (request.method === "GET" && error.retryAt !== undefined) closeUntil(request.url, error)
      throw error
    }
    if (response.headers.get("content-type")?.startsWith("application/json") !== true) throw unreadable(response)
    const text = await response.text().catch((cause: unknown) => {
      throw unreachable(cause)
    })
    const headers = new Headers(response.headers)
    headers.set("content-length", String(text.length))
    return new ExactResponse(text, { status: response.status, headers })
  },
}

async function fetchOrFail(request: Request): Promise<Response> {
  if (request.method === "GET") assertOpen(request.url)
  try {
    return await deskFetch(request, {}, ANSWER_TIMEOUT_MS)
  } catch (cause) {
    if (request.signal.aborted || cause instanceof DeskError) throw cause
    throw unreachable(cause)
  }
}

/**
 * Writes the address of an operation: each `{name}` of the template is replaced by the encoded id of that name.
 *
 * @throws DeskError where a browser cannot send an id: it removes `.` and `..` (URL standard, path state), and cannot encode a lone surrogate
 */
export function writePath(template: string, parameters: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = String(parameters[name])
    if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) {
      throw new DeskError({
        kind: "unaddressable",
        title: "This cannot be opened",
        detail: `A browser cannot ask for something whose id is "${id}".`,
      })
    }
    return encodeURIComponent(id)
  })
}

/**
 * The typed client of the 13 operations, through the proxy. Each call resolves with `data` or throws a DeskError. A call that its caller
 * aborts throws what fetch throws.
 */
export const api = createClient<paths>({
  fetch: fetchOrFail,
  bodySerializer: stringifyJson,
  pathSerializer: writePath,
  headers: { accept: "application/json, application/problem+json" },
})
api.use(exactAnswers)

/** The data of an answer: every success of an operation has a body. @throws DeskError */
export async function dataOf<Data>(answer: Promise<{ data?: Data; response: Response }>): Promise<Data> {
  const { data, response } = await answer
  if (data === undefined) throw unreadable(response)
  return data
}
