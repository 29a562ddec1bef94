import createClient from "openapi-fetch"
import { stringifyJson } from "../../contract/int64.ts"
import type { paths } from "../../contract/schema.d.ts"
import { unreadable } from "./desk-error.ts"
import { askDesk, jsonOf, writePath } from "./desk-request.ts"

/** Answers with JSON whose int64 members (openapi.yaml, `format: int64`) are exact, as bigint. @throws DeskError */
async function fetchExact(request: Request): Promise<Response> {
  const answer = await askDesk(request)
  if (answer.headers.get("content-type")?.startsWith("application/json") !== true) throw unreadable(answer)
  const data = await jsonOf(answer)
  const exact = new Response(null, answer)
  exact.json = () => Promise.resolve(data)
  // openapi-fetch 0.17 calls `json()` only where there is a Content-Length.
  exact.headers.set("content-length", "1")
  return exact
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
