import type { Visit } from "./visit.ts"

/** Takes one line without its line end. */
export type Log = (line: string) => void

// nginx's word for a client that left before it was answered.
const CLIENT_LEFT = 499

/** One JSON line a request. By list: no path, query, body or header is in it, so neither is a secret. */
export function logWhenDone(log: Log, visit: Visit): void {
  const began = performance.now()
  visit.response.once("close", () => {
    const { request, response, route, requestId } = visit
    const status = response.headersSent ? response.statusCode : CLIENT_LEFT
    const ms = Math.round((performance.now() - began) * 10) / 10
    log(
      JSON.stringify({
        time: new Date().toISOString(),
        method: request.method,
        route,
        status,
        ms,
        request_id: requestId,
      }),
    )
  })
}
