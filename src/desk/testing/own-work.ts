/** A desk with mail and push, people with Work of their own, and Works that change. */
import { expect } from "vitest"
import { MUTATION, send } from "./desk.ts"
import { deskWithNotices, mailTo, type NoticeDesk, signInAndChoose } from "./notices.ts"
import type { PersonHeaders } from "./sign-in.ts"
import type { FakeWork } from "../watcher/testing/simulation.ts"
import type { Channel } from "../notices/channel.ts"
import { headerOf, MailServerForTest } from "../notices/testing/mail-server.ts"
import { type BrowserKeys, decryptPush } from "../notices/channels/push-receiver.ts"
import { addDevice, pushForTest } from "./push.ts"

export const ACCESS = {
  roles: { reader: ["anyone"], delegator: ["group:staff"], answerer: ["group:ops"], approver: ["group:finance"] },
}
export const CHOICE = { mail: "at-once", urgent_at_once: true, quiet_from: null, quiet_until: null, time_zone: "UTC" }
export const TIMEOUT = { timeout: 15_000 }

export async function startDesk(batchMs = 0, more: readonly Channel[] = []) {
  const mail = await MailServerForTest.start()
  const push = await pushForTest(batchMs)
  const desk = await deskWithNotices([], [mailTo(mail.port, { batchMs }), push.channel, ...more], { access: ACCESS })
  /** The subjects of the mails to a person, oldest first. */
  const subjects = (name: string) => sentTo(name).map((received) => headerOf(received, "Subject"))
  const sentTo = (name: string) => mail.received.filter(({ to }) => to.includes(`${name}@example.com`))
  const browsers = new Map<string, BrowserKeys>()
  const addPushDevice = async (name: string, headers: PersonHeaders) =>
    void browsers.set(name, await addDevice(desk, headers, name))
  const pushedTo = (name: string) => push.service.received.filter(({ path }) => path === `/${name}`)
  /** What the devices of a person were sent: kind, number and path. */
  const pushes = (name: string): readonly string[] => {
    const browser = browsers.get(name)
    if (browser === undefined) throw new Error(`${name} has no device`)
    return pushedTo(name).map(({ body }) => Object.values(JSON.parse(decryptPush(body, browser))).join(" "))
  }
  return { mail, desk, service: push.service, subjects, sentTo, addPushDevice, pushedTo, pushes }
}

/** A person who created these Works at the desk. */
export async function creator(
  desk: NoticeDesk,
  name: string,
  works: readonly FakeWork[],
  choice: object = {},
  groups = ["staff"],
) {
  const headers = await signInAndChoose(desk, name, groups, choice)
  for (const { id } of works) await addAction(desk, id, headers, "creator")
  return headers
}

export async function addAction(desk: NoticeDesk, workId: string, person: PersonHeaders, deed: string) {
  const id = person["Desk-Person"]
  await desk.database.write("INSERT INTO work_person (work_id, person_id, deed) VALUES (?, ?, ?)", workId, id, deed)
}

/** Shows these Works to the desk, and waits until it has seen them. */
export async function show(desk: NoticeDesk, works: readonly FakeWork[]) {
  desk.works.push(...works)
  const seen = () => desk.database.read("SELECT work_id FROM noticed_work WHERE status <> 'created'")
  await expect.poll(seen, TIMEOUT).toHaveLength(works.length)
}

export function change(work: FakeWork | undefined, status: string) {
  if (work === undefined) throw new Error("no such Work")
  work.status = status
  work.version++
}

export function decide(work: FakeWork, status: "approved" | "declined") {
  work.version++
  work.approvals = work.approvals.map((approval) => ({ ...approval, status, resolved_at: new Date().toISOString() }))
}

export const resolve = (desk: NoticeDesk, person: PersonHeaders, path: string, body: object) =>
  send(desk.url, `/api/v1/work/${path}/resolve`, {
    method: "POST",
    headers: { ...person, ...MUTATION, "Idempotency-Key": path, "If-Match": '"1"' },
    body: JSON.stringify(body),
  })
