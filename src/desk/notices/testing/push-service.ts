/** A push service over HTTP for tests. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import { onTestFinished } from "vitest"
import type { Statements } from "../../store/database.ts"
import { insert } from "../../store/tables.ts"
import { type BrowserKeys, leadTo } from "../channels/push-receiver.ts"

/** Stores a device of a person, as if the person had registered it. The end of its endpoint is its id. */
export async function storeDevice(
  statements: Pick<Statements, "write">,
  id: string,
  personId: string,
  { keys }: BrowserKeys,
): Promise<void> {
  const endpoint = `https://a.push.example/${id}`
  const row = { id, personId, sessionId: "", browserId: "", endpoint, ...keys, label: "Firefox on Linux", since: 1 }
  await insert(statements, "push_device", row)
}

export type Pushed = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

export type PushServiceForTest = Awaited<ReturnType<typeof startPushService>>

/** A push service. `dispatcher` leads the endpoints of `push.example` to it. */
export async function startPushService() {
  const received: Pushed[] = []
  /** `answer` gives the status, now or later. */
  const control = { answer: (_pushed: Pushed): number | Promise<number> => 201 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const pushed = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) }
      received.push(pushed)
      const answer = (status: number) =>
        response.writeHead(status, { Location: `https://push.example/redirected` }).end()
      void Promise.resolve(control.answer(pushed)).then(answer)
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const url = `http://127.0.0.1:${port}`
  const dispatcher = leadTo(url)
  onTestFinished(async () => {
    await dispatcher.destroy()
    server.close().closeAllConnections()
  })
  return { url, received, control, dispatcher }
}
