/** A desk whose people have devices, and a push service that every endpoint leads to. */
import type { FakeWork } from "../watcher/testing/simulation.ts"
import { createPush } from "../notices/channels/push.ts"
import { type BrowserKeys, newBrowserKeys } from "../notices/channels/push-receiver.ts"
import { type PushServiceForTest, startPushService } from "../notices/testing/push-service.ts"
import { type Reply, send } from "./desk.ts"
import { deskWithNotices, type NoticeDesk } from "./notices.ts"
import type { PersonHeaders } from "./sign-in.ts"

export const CONTACT = "mailto:desk@example.com"

/** A channel of push, and its push service: a new one, unless one is given. */
export async function pushForTest(batchMs = 0, given?: PushServiceForTest) {
  const service = given ?? (await startPushService())
  const options = { contact: CONTACT, hosts: ["*.push.example"], batchMs, dispatcher: service.dispatcher }
  return { service, channel: createPush(options) }
}

export async function deskWithPush(works: FakeWork[]) {
  const { service, channel } = await pushForTest()
  return { ...(await deskWithNotices(works, [channel])), service }
}

/** Sends `POST /desk/push`. */
export function postDevice(desk: Pick<NoticeDesk, "url">, headers: PersonHeaders, body: unknown): Promise<Reply> {
  return send(desk.url, "/desk/push", {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  })
}

export const deviceBody = (name: string, keys = newBrowserKeys().keys, host = "a.push.example") => ({
  endpoint: `https://${host}/${name}`,
  keys,
  label: "Firefox on Linux",
})

/** Registers a device of the person. `name` is the end of its endpoint. */
export async function addDevice(
  desk: Pick<NoticeDesk, "url">,
  headers: PersonHeaders,
  name: string,
  host?: string,
): Promise<BrowserKeys> {
  const browser = newBrowserKeys()
  const added = await postDevice(desk, headers, deviceBody(name, browser.keys, host))
  if (added.status !== 201) throw new Error(added.text)
  return browser
}
