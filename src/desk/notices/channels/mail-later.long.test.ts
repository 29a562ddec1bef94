import { expect, test } from "vitest"
import {
  approvalWork,
  deskWithNotices,
  mailTo,
  type NoticeDesk,
  PUBLIC_URL,
  signInAndChoose,
} from "../../testing/notices.ts"
import { startSignInProxy } from "../../testing/sign-in.ts"
import { problem } from "../../watcher/testing/simulation.ts"
import { MailServerForTest, textOf } from "../testing/mail-server.ts"

const unsent = (desk: NoticeDesk) => desk.database.read("SELECT answer FROM notice_delivery WHERE settled_at IS NULL")

test("an item that the desk cannot read while its mail leaves is told later, and holds no other item", async () => {
  const mail = await MailServerForTest.start()
  mail.onMessage = () => ({ code: 451 })
  const works = [approvalWork("1"), approvalWork("2")]
  const desk = await deskWithNotices(works, [mailTo(mail.port)])
  await signInAndChoose(desk, "ada", ["finance"])
  await expect.poll(() => unsent(desk)).toEqual([{ answer: "451" }])
  // As a desk sees it that has just begun, and whose upstream does not list one Work for a while.
  const [one] = works.splice(0, 1)
  await expect
    .poll(() => desk.database.read("SELECT item_id FROM noticed_item"), { timeout: 20_000 })
    .toEqual([{ item_id: "approval_2" }])
  mail.onMessage = () => undefined
  // A slow machine has tried twice by now, and the third attempt is due minutes later.
  await desk.database.write("UPDATE notice_delivery SET due_at = 0 WHERE settled_at IS NULL")
  await expect.poll(() => mail.received.length, { timeout: 10_000 }).toBe(1)
  expect(textOf(mail.received[0])).not.toContain("item=approval_1")
  if (one !== undefined) works.push(one)
  await expect.poll(() => mail.received.length, { timeout: 20_000 }).toBe(2)
  expect(textOf(mail.received[1])).toContain("item=approval_1")
})

test("after a restart a mail waits until the watcher has read what it tells, and then leaves without a Work that cannot be read", async () => {
  const mail = await MailServerForTest.start()
  mail.onMessage = () => ({ code: 451 })
  const notices = [mailTo(mail.port)]
  const before = await deskWithNotices([approvalWork("1"), approvalWork("2")], notices)
  const { upstream, database } = before
  await signInAndChoose(before, "ada", ["finance"])
  await expect.poll(() => unsent(before)).toEqual([{ answer: "451" }])
  await before.stop()
  mail.onMessage = () => undefined
  upstream.control.behave = () => "hang"
  await startSignInProxy(upstream.url, { notices, people: { database }, publicUrl: PUBLIC_URL })
  const lease = async () => (await database.read("SELECT holder, expires_at FROM lease WHERE name = 'notices'"))[0]
  await expect.poll(lease).toBeDefined()
  const first = Number((await lease())?.["expires_at"])
  // The desk renews the lease after several looks.
  await expect.poll(async () => Number((await lease())?.["expires_at"]), { timeout: 15_000 }).toBeGreaterThan(first)
  expect([await unsent(before), mail.received]).toEqual([[{ answer: "451" }], []])
  const failing = { status: 500, body: problem(500, "INTERNAL").body }
  upstream.control.behave = (target) => (target.includes("/work_1/approvals") ? failing : undefined)
  upstream.stop()
  await upstream.startAgain()
  await expect.poll(() => mail.received.length, { timeout: 20_000 }).toBe(1)
  expect(textOf(mail.received[0])).toContain("item=approval_2")
  expect(textOf(mail.received[0])).not.toContain("item=approval_1")
  upstream.control.behave = () => undefined
  await expect.poll(() => mail.received.length, { timeout: 30_000 }).toBe(2)
  expect(textOf(mail.received[1])).toContain("item=approval_1")
  expect(textOf(mail.received[1])).not.toContain("item=approval_2")
}, 90_000)

test("a person who can be mailed no more gets no mail that was ready, and is told when they sign in again", async () => {
  const mail = await MailServerForTest.start()
  mail.onMessage = () => ({ code: 451 })
  const desk = await deskWithNotices([approvalWork("1")], [mailTo(mail.port)])
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  await expect.poll(() => unsent(desk)).toEqual([{ answer: "451" }])
  const signedIn = (at: number) =>
    desk.database.write("UPDATE person SET signed_in_at = ? WHERE id = ?", at, ada["Desk-Person"])
  await signedIn(0)
  mail.onMessage = () => undefined
  const outcomes = () => desk.database.read("SELECT outcome FROM notice_delivery ORDER BY sequence")
  await expect.poll(outcomes, { timeout: 20_000 }).toEqual([{ outcome: "dropped" }])
  expect(mail.received).toEqual([])
  await signedIn(Date.now() - 200_000)
  await expect.poll(outcomes, { timeout: 20_000 }).toEqual([{ outcome: "dropped" }, { outcome: "sent" }])
  expect(textOf(mail.received[0])).toContain("item=approval_1")
}, 60_000)

test("an orderly restart waits for the answer of a mail server that takes seconds, and sends the mail once", async () => {
  const mail = await MailServerForTest.start()
  mail.slowMs = 4_000
  const notices = [mailTo(mail.port)]
  const before = await deskWithNotices([approvalWork("1")], notices)
  const { upstream, database } = before
  await signInAndChoose(before, "ada", ["finance"])
  await expect.poll(() => mail.received.length).toBe(1)
  await before.stop()
  expect(await database.read("SELECT outcome FROM notice_delivery")).toEqual([{ outcome: "sent" }])
  await startSignInProxy(upstream.url, { notices, people: { database }, publicUrl: PUBLIC_URL })
  const lease = () => database.read("SELECT holder FROM lease WHERE name = 'notices'")
  await expect.poll(lease).toHaveLength(1)
  expect(mail.received).toHaveLength(1)
}, 60_000)
