import { expect, test } from "vitest"
import { forgetPerson } from "../people/administration.ts"
import { approvalWork, deskWithNotices, mailTo, signInAndChoose } from "../testing/notices.ts"
import { MailServerForTest, textOf } from "./testing/mail-server.ts"

test("the items of a forgotten person never leave in another recipient's mail, and nothing of the person stays in the outbox", async () => {
  const mail = await MailServerForTest.start()
  mail.onMessage = () => ({ code: 451 })
  const access = {
    roles: { approver: ["group:finance"] },
    rules: [{ destination: "*@bank.example", escalate: { after: "4h", to: ["mailbox:duty@example.com"] } }],
  }
  const works = [approvalWork("hers", 10)]
  const desk = await deskWithNotices(works, [mailTo(mail.port)], { access })
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const unsent = () => desk.database.read("SELECT answer FROM notice_delivery WHERE settled_at IS NULL")
  await expect.poll(unsent).toEqual([{ answer: "451" }])
  expect(await forgetPerson(desk.database, ada["Desk-Person"])).toBe(true)
  for (const table of ["notice", "notice_delivery"])
    expect(await desk.database.read(`SELECT * FROM ${table}`)).toEqual([])
  mail.onMessage = () => undefined
  works.push(approvalWork("late", 300, { destination: "pay@bank.example" }))
  await expect.poll(() => mail.received.map(({ to }) => to)).toEqual([["duty@example.com"]])
  expect(textOf(mail.received[0])).toContain("item=approval_late")
  expect(textOf(mail.received[0])).not.toContain("item=approval_hers")
})

test("a mail to a mailbox leaves out an approval that no rule escalates to it", async () => {
  const mail = await MailServerForTest.start()
  mail.onMessage = () => ({ code: 451 })
  const access = {
    roles: { approver: ["group:finance"] },
    rules: [{ destination: "*@bank.example", escalate: { after: "4h", to: ["mailbox:duty@example.com"] } }],
  }
  const works = ["1", "2"].map((id) => approvalWork(id, 300, { destination: "pay@bank.example" }))
  const desk = await deskWithNotices(works, [mailTo(mail.port)], { access })
  const unsent = () => desk.database.read("SELECT answer FROM notice_delivery WHERE settled_at IS NULL")
  await expect.poll(unsent).toEqual([{ answer: "451" }])
  await desk.database.write("UPDATE notice SET step = 'escalated another rule' WHERE item_id = 'approval_2'")
  mail.onMessage = () => undefined
  await expect.poll(() => mail.received.length, { timeout: 10_000 }).toBe(1)
  expect(textOf(mail.received[0])).toContain("item=approval_1")
  expect(textOf(mail.received[0])).not.toContain("item=approval_2")
})
