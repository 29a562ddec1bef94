import { writeFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { send } from "../testing/desk.ts"
import { approvalWork, deskWithNotices, mailTo, signInAndChoose } from "../testing/notices.ts"
import { headerOf, MailServerForTest, textOf } from "./testing/mail-server.ts"

const LATER = { batchMs: 6_000 }

test("an item that is handed over is told to its person at once, and to nobody else", async () => {
  const mail = await MailServerForTest.start()
  const works = [approvalWork("1", 10)]
  const desk = await deskWithNotices(works, [mailTo(mail.port, LATER)])
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const ben = await signInAndChoose(desk, "ben", ["finance"], { mail: "daily" })
  await signInAndChoose(desk, "cleo", ["finance"])
  const to = { person: ben["Desk-Person"] }
  const body = JSON.stringify({ work: "work_1", item: "approval_1", to, note: "a note in confidence" })
  const headers = { ...ada, "Content-Type": "application/json", "If-Match": '"none"' }
  // The desk knows a person who has just signed in after two seconds.
  await expect
    .poll(async () => (await send(desk.url, "/desk/assignment", { method: "PUT", headers, body })).status)
    .toBe(200)
  await expect.poll(() => mail.received.map(({ to: [address] }) => address)).toEqual(["ben@example.com"])
  expect(textOf(mail.received[0])).toContain("An approval, analyst, handed to you, waiting for 10 minutes")
  expect(mail.received[0]?.raw).not.toContain("confidence")
  works.push(approvalWork("2"))
  // Ada has just handed an item over, so she uses the desk.
  await expect
    .poll(() => mail.received.map(({ to: [address] }) => address))
    .toEqual(["ben@example.com", "cleo@example.com"])
  expect(headerOf(mail.received[1], "Subject")).toBe("1 item waits for you")
  expect(textOf(mail.received[1])).toContain("item=approval_2")
})

test("an approval that waits too long is told to members who may decide it, and to the mailbox without an unsubscribe link", async () => {
  const mail = await MailServerForTest.start()
  const access = {
    roles: { reader: ["anyone"], approver: ["group:finance"] },
    rules: [
      { destination: "*@bank.example", escalate: { after: "4h", to: ["group:cfo", "mailbox:duty@example.com"] } },
      { decideWithin: "3h", remindBefore: "1h" },
    ],
  }
  const works = [approvalWork("old", 300, { destination: "pay@bank.example" }), approvalWork("other", 300)]
  const desk = await deskWithNotices(works, [mailTo(mail.port)], { access })
  await signInAndChoose(desk, "ada", ["finance", "cfo"], { mail: "daily", quiet_from: "00:00", quiet_until: "23:59" })
  await signInAndChoose(desk, "reader", ["cfo"], { mail: "daily" })
  await signInAndChoose(desk, "off", ["finance", "cfo"], { mail: "off" })
  await signInAndChoose(desk, "ben", ["finance"], { mail: "daily" })
  await expect.poll(() => mail.received.length).toBe(3)
  const sent = (address: string) => mail.received.filter(({ to }) => to.includes(address))
  for (const address of ["ada@example.com", "duty@example.com"]) {
    const [received, ...others] = sent(address)
    expect(others).toEqual([])
    expect(headerOf(received, "Subject")).toBe("Waiting for 4 hours: 1 approval")
    expect(textOf(received)).toContain("item=approval_old")
    expect(textOf(received).includes("unsubscribe")).toBe(address === "ada@example.com")
  }
  const [reminder] = sent("ben@example.com")
  expect(headerOf(reminder, "Subject")).toBe("2 items wait for you, the oldest for 5 hours")
  expect(textOf(reminder)).toContain("to be decided soon")
  const [rule, ...rules] = access.rules
  const to = ["group:cfo", "mailbox:duty@example.com", "mailbox:night@example.com"]
  const changed = { ...access, rules: [{ ...rule, escalate: { after: "4h", to } }, ...rules] }
  await writeFile(desk.accessFile, JSON.stringify(changed))
  await expect
    .poll(() => mail.received.slice(3).flatMap(({ to: addresses }) => addresses))
    .toEqual(["night@example.com"])
})

test("three refusals of a mailbox in a row stop its mail until a restart, and what it was not told does not become due again", async () => {
  const mail = await MailServerForTest.start()
  mail.onAddress = (address) => (address.startsWith("duty") ? { code: 550, text: "no" } : undefined)
  const access = {
    roles: { approver: ["anyone"] },
    rules: [{ destination: "*@bank.example", escalate: { after: "4h", to: ["mailbox:duty@example.com"] } }],
  }
  const works: ReturnType<typeof approvalWork>[] = []
  const desk = await deskWithNotices(works, [mailTo(mail.port)], { access })
  const outcomes = async () => {
    const rows = await desk.database.read(
      "SELECT outcome FROM notice_delivery WHERE recipient LIKE 'mailbox:%' ORDER BY outcome",
    )
    return rows.map(({ outcome }) => outcome)
  }
  const refusals = ["refused", "refused", "refused"]
  for (const [index, expected] of [refusals.slice(2), refusals.slice(1), refusals].entries()) {
    works.push(approvalWork(String(index), 300, { destination: "pay@bank.example" }))
    await expect.poll(outcomes).toEqual(expected)
  }
  mail.onAddress = () => undefined
  works.push(approvalWork("last", 300, { destination: "pay@bank.example" }))
  await expect.poll(outcomes).toEqual(["dropped", ...refusals])
  expect(await desk.database.read("SELECT step FROM notice WHERE recipient LIKE 'mailbox:%'")).toHaveLength(4)
  expect(mail.received).toEqual([])
})
