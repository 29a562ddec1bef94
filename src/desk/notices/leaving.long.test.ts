import { writeFile } from "node:fs/promises"
import { expect, test } from "vitest"
import {
  approvalWork,
  chatTo,
  deskWithNotices,
  mailTo,
  signInAndChoose,
  startReceiver,
  webhookTo,
} from "../testing/notices.ts"
import { ACCESS, addAction, change, decide, TIMEOUT } from "../testing/own-work.ts"
import { addDevice, pushForTest } from "../testing/push.ts"
import { fakeWork } from "../watcher/testing/simulation.ts"
import { MailServerForTest, textOf } from "./testing/mail-server.ts"
import { decryptPush } from "./channels/push-receiver.ts"

const pathsIn = (text: string) => [...text.matchAll(/\/(?:approvals\?item=|work\/)\w+/g)].map(([path]) => path)

test("when a notice leaves, no channel tells what is decided, or what its person may not see any more", async () => {
  const [mail, push] = [await MailServerForTest.start(), await pushForTest()]
  const [receiver, room] = [await startReceiver(), await startReceiver()]
  const channels = [mailTo(mail.port), webhookTo(receiver.url), chatTo(`format=discord#${room.url}`), push.channel]
  const works = [approvalWork("1"), approvalWork("2"), fakeWork("work_3", 3), fakeWork("work_4", 4)]
  const [, decided, own] = works
  const desk = await deskWithNotices([], channels, { access: ACCESS })
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const ben = await signInAndChoose(desk, "ben", ["finance", "audit"])
  for (const person of [ada, ben]) await addAction(desk, "work_3", person, "creator")
  const browsers = { ada: await addDevice(desk, ada, "ada"), ben: await addDevice(desk, ben, "ben") }

  const refuse = (isRefused: boolean) => {
    mail.onMessage = () => (isRefused ? { code: 451 } : undefined)
    push.service.control.answer = () => (isRefused ? 503 : 201)
    receiver.control.answer = () => (isRefused ? 500 : 204)
    room.control.answer = () => (isRefused ? 500 : 204)
  }
  refuse(true)
  desk.works.push(...works)
  const unsent = (channel: string) =>
    desk.database.read(
      "SELECT 1 FROM notice_delivery WHERE settled_at IS NULL AND answer IS NOT NULL AND channel = ?",
      channel,
    )
  const count = async () =>
    (await Promise.all(["mail", "webhook", "chat", "push"].map(unsent))).map(({ length }) => length)
  await expect.poll(count, TIMEOUT).toEqual([2, 2, 1, 2])
  change(own, "done")
  await expect.poll(count, TIMEOUT).toEqual([4, 3, 1, 4])

  await writeFile(desk.accessFile, JSON.stringify({ roles: { reader: ["group:audit"], approver: ["group:audit"] } }))
  if (decided !== undefined) decide(decided, "declined")
  const known = () => desk.database.read("SELECT item_id FROM noticed_item")
  await expect.poll(known, TIMEOUT).toEqual([{ item_id: "approval_1" }])
  const before = push.service.received.length
  const posted = [receiver, room].map(({ received }) => received.length)
  refuse(false)
  // In each poll, because an attempt that was refused a moment ago may store its next due time after the first one.
  const left = () =>
    desk.database.write("UPDATE notice_delivery SET due_at = 0 WHERE settled_at IS NULL RETURNING channel")
  await expect.poll(left, TIMEOUT).toEqual([])

  const mailed = (name: string) =>
    mail.received.filter(({ to }) => to.includes(`${name}@example.com`)).flatMap((one) => pathsIn(textOf(one)))
  const pushed = (name: keyof typeof browsers) =>
    push.service.received
      .slice(before)
      .filter(({ path }) => path === `/${name}`)
      .flatMap(({ body }) => pathsIn(decryptPush(body, browsers[name])))
  // A topic for what waits, and another for own Work: for each person two of their own.
  expect(new Set(push.service.received.map(({ headers }) => headers["topic"])).size).toBe(4)
  const heard = () => ({
    "mail to Ada": mailed("ada"),
    "mail to Ben": mailed("ben").toSorted(),
    "push to Ada": pushed("ada"),
    "push to Ben": pushed("ben").toSorted(),
    chat: room.received.slice(posted[1]).flatMap(({ body }) => pathsIn(body)),
    // The receiver is the operator's, so visibility does not count. What ended is told as its end alone.
    webhook: receiver.received
      .slice(posted[0])
      .map(({ event }) => `${event.type} ${event.data["work_id"]}`)
      .toSorted(),
  })
  const expected = {
    "mail to Ada": [],
    "mail to Ben": ["/approvals?item=approval_1", "/work/work_3"],
    "push to Ada": [],
    "push to Ben": ["/approvals?item=approval_1", "/work/work_3"],
    chat: ["/approvals?item=approval_1"],
    webhook: ["approval.declined work_2", "approval.resolved work_2", "approval.waiting work_1", "work.done work_3"],
  }
  // The decision may be read a moment after the end.
  await expect.poll(heard, TIMEOUT).toEqual(expected)
  await expect.poll(left, TIMEOUT).toEqual([])
  expect(heard()).toEqual(expected)
}, 60_000)
