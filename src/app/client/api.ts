import createClient from "openapi-fetch"
import { stringifyJson } from "../../contract/int64.ts"
import type { paths } from "../../contract/schema.d.ts"
import { DeskError, unreadable } from "./desk-error.ts"
import { askDesk, jsonOf } from "./desk-request.ts"
import { readRateLimit } from "./polling.ts"

/** Answers with JSON whose int64 members (openapi.yaml, `format: int64`) are exact, as bigint. @throws DeskError */
async function fetchExact(request: Request): Promise<Response> {
  const answer = await askDesk(request)
  readRateLimit(answer.headers)
  if (answer.headers.get("content-type")?.startsWith("application/json") !== true) throw unreadable(answer)
  const data = await jsonOf(answer)
  const exact = new Response(null, answer)
  exact.json = () => Promise.resolve(data)
  // openapi-fetch 0.17 calls `json()` only where there is a Content-Length.
  exact.headers.set("content-length", "1")
  return exact
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
  fetch: fetchExact,
  bodySerializer: stringifyJson,
  pathSerializer: writePath,
  headers: { accept: "application/json, application/problem+json" },
})

/** The data of an answer: every success of an operation has a body. @throws DeskError */
export async function dataOf<Data>(answer: Promise<{ data?: Data; response: Response }>): Promise<Data> {
  const { data, response } = await answer
  if (data === undefined) throw unreadable(response)
  return data
}
