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

/** The typed client for mutations of the service, through the proxy. Each call resolves with `data` or throws a DeskError. Reads go by `readDesk`. */
export const api = createClient<paths>({
  fetch: fetchExact,
  bodySerializer: stringifyJson,
  pathSerializer: writePath,
  headers: { accept: "application/json, application/problem+json" },
})
