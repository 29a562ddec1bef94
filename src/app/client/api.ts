import createClient, { type Middleware } from "openapi-fetch"
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import type { paths } from "../../contract/schema.d.ts"
import { DeskError, errorFromResponse, unreachable } from "./desk-error.ts"
import { deskFetch } from "./desk-fetch.ts"
import { readRateLimit } from "./rate-limit.ts"
import { assertOpen, closeUntil } from "./retry-gate.ts"

/**
 * How long a request waits for its whole answer. The proxy gives up on the upstream after 20 s (no answer) or 30 s (no
 * end): its 504 arrives before this does.
 */
const TIMEOUT_MS = 40_000

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
 * Reads the whole body here, so that a cut or garbled body is a DeskError like any other failure. openapi-fetch gets a response with its
 * own `json()`, which it calls only where the answer has a Content-Length (openapi-fetch 0.17).
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

function unreadable(response: Response): DeskError {
  return new DeskError({
    kind: "unreadable",
    title: "The answer could not be read",
    detail: "The answer was not the JSON that this request asks for.",
    code: "",
    status: response.status,
    retryable: true,
  })
}

async function fetchOrFail(request: Request): Promise<Response> {
  if (request.method === "GET") assertOpen(request.url)
  try {
    return await deskFetch(request, {}, TIMEOUT_MS)
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
        code: "",
        retryable: false,
      })
    }
    return encodeURIComponent(id)
  })
}

/**
 * The typed client of the 13 operations, through the proxy. Every call resolves with `data`, or throws a DeskError; a
 * caller's own abort throws what fetch throws.
 */
export const api = createClient<paths>({
  fetch: fetchOrFail,
  bodySerializer: stringifyJson,
  pathSerializer: writePath,
  headers: { accept: "application/json, application/problem+json" },
})
api.use(exactAnswers)

/** The data of an answer. Every operation's success has a body. */
export async function dataOf<Data>(answer: Promise<{ data?: Data }>): Promise<Data> {
  const { data } = await answer
  if (data === undefined) {
    throw new DeskError({
      kind: "unreadable",
      title: "The answer was empty",
      detail: "The service answered without the content that belongs there.",
      code: "",
      retryable: true,
    })
  }
  return data
}

/** The data of a mutation, and whether the service had recorded this intent before (`Idempotent-Replayed`). */
export async function recordedOf<Data>(
  answer: Promise<{ data?: Data; response: Response }>,
): Promise<{ data: Data; replayed: boolean }> {
  const { response } = await answer
  return { data: await dataOf(answer), replayed: response.headers.get("idempotent-replayed") === "true" }
}
