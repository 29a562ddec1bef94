/** A desk with notices for tests: a real mail server, a real receiver, an upstream whose items a test changes. */
import { createServer } from "node:http"
import { onTestFinished } from "vitest"
import type { PeopleForTest } from "../people/testing/browser.ts"
import { type Reply, send, type TestProxyOptions } from "./desk.ts"
import { type PersonHeaders, type SignInProxy, startSignInProxy } from "./sign-in.ts"
import { fakeApproval, fakeClarification, fakeWork, type FakeWork } from "../watcher/testing/simulation.ts"
import { startRecordingUpstream } from "../watcher/testing/watcher.ts"
import type { Channel } from "../notices/channel.ts"
import { createChat } from "../notices/channels/chat.ts"
import { readChatAddresses } from "../notices/channels/chat-configuration.ts"
import { createMail } from "../notices/channels/mail.ts"
import { readMailServer } from "../notices/channels/mail-configuration.ts"
import { createWebhook, readWebhookKeys } from "../notices/channels/webhook.ts"

/** Two keys of NOTICE_WEBHOOK_SECRET. */
export const KEYS: readonly [string, string] = [
  `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
  `whsec_${Buffer.alloc(24, 9).toString("base64")}`,
]

export const PUBLIC_URL = new URL("http://localhost:4400")

export function mailTo(port: number, more: { batchMs?: number; publicUrl?: URL; url?: string } = {}): Channel {
  const { batchMs = 0, publicUrl = PUBLIC_URL, url = `smtp://127.0.0.1:${port}` } = more
  const server = readMailServer(url)
  const from = { name: "Workdesk", address: "desk@example.com" }
  return createMail({ server: () => server, from, batchMs, publicUrl })
}

/** A chat for each address, such as `format=slack#http://127.0.0.1:1/`. */
export function chatTo(addresses: string, batchMs = 0): Channel {
  return createChat({ addresses: () => readChatAddresses(addresses), batchMs })
}

export function webhookTo(url: string): Channel {
  return createWebhook({ url: new URL(url), keys: () => readWebhookKeys(KEYS.join(" ")) })
}

/** An approval that was asked for `minutes` ago, in a Work of its own. */
export function approvalWork(id: string, minutes = 0, more: object = {}, work: Partial<FakeWork> = {}): FakeWork {
  const created_at = new Date(Date.now() - minutes * 60_000).toISOString()
  const approvals = [fakeApproval(`approval_${id}`, { work_id: `work_${id}`, created_at, ...more })]
  return fakeWork(`work_${id}`, Date.now() - minutes * 60_000, { approvals, ...work })
}

/** A clarification, in a Work of its own. */
export function questionWork(id: string, minutes = 0, more: object = {}): FakeWork {
  const created_at = new Date(Date.now() - minutes * 60_000).toISOString()
  const clarifications = [fakeClarification(`question_${id}`, { work_id: `work_${id}`, created_at, ...more })]
  return fakeWork(`work_${id}`, Date.now() - minutes * 60_000, { clarifications, clarificationId: `question_${id}` })
}

/** A desk in sign-in mode over these Works. */
export async function deskWithNotices(
  works: FakeWork[],
  notices: readonly Channel[],
  people: PeopleForTest = {},
  more: Pick<TestProxyOptions, "colleagues" | "distFolder" | "metrics" | "publicUrl"> = {},
) {
  const upstream = await startRecordingUpstream(works)
  const desk = await startSignInProxy(upstream.url, {
    publicUrl: PUBLIC_URL,
    ...more,
    notices,
    people,
  })
  return { ...desk, upstream, works }
}

export type NoticeDesk = Awaited<ReturnType<typeof deskWithNotices>>

const AT_ONCE = { mail: "at-once", urgent_at_once: true, quiet_from: null, quiet_until: null, time_zone: "UTC" }

/** Signs in a person who has used the desk more than two minutes ago, and chooses a mail: at once, unless `choice` says otherwise. */
export async function signInAndChoose(
  desk: SignInProxy,
  name: string,
  groups: readonly string[],
  choice: object = {},
  email = `${name}@example.com`,
): Promise<PersonHeaders> {
  const headers = await desk.signIn(name, groups, email)
  const person = headers["Desk-Person"]
  await desk.database.write("UPDATE person SET signed_in_at = signed_in_at - 200000 WHERE id = ?", person)
  await desk.database.write("UPDATE session SET touched_at = touched_at - 200000 WHERE person_id = ?", person)
  const chosen = await putChoice(desk, headers, { ...AT_ONCE, ...choice }, '"0"')
  if (chosen.status !== 200) throw new Error(chosen.text)
  return headers
}

/** Sends `PUT /desk/notices`. */
export function putChoice(desk: SignInProxy, headers: PersonHeaders, choice: object, ifMatch: string): Promise<Reply> {
  return send(desk.url, "/desk/notices", {
    method: "PUT",
    headers: { ...headers, "Content-Type": "application/json", "If-Match": ifMatch },
    body: JSON.stringify(choice),
  })
}

export type Posted = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The JSON of the body, as the webhook sends it. */
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Readonly<Record<string, string>> }
}

/** A receiver of the webhook. `answer` gives the status; `hang` never answers. */
export async function startReceiver() {
  const received: Posted[] = []
  const control = { answer: (_posted: Posted): number | "hang" => 204, atOnce: 0, mostAtOnce: 0 }
  const server = createServer((request, response) => {
    control.atOnce++
    control.mostAtOnce = Math.max(control.mostAtOnce, control.atOnce)
    response.once("close", () => control.atOnce--)
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      // A program of another test that asks at this port. A redirect that was followed is not ignored.
      if (body === "" && request.url !== "/elsewhere") return response.writeHead(400).end()
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const posted = { path: String(request.url), headers, body, event: JSON.parse(body) }
      received.push(posted)
      const status = control.answer(posted)
      if (status !== "hang") response.writeHead(status, { Location: "/elsewhere" }).end("thanks")
      return undefined
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  onTestFinished(() => server.close().closeAllConnections())
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/hook`, received, control, cut: () => server.closeAllConnections() }
}
