import { expect, test } from "vitest"
import { send } from "../../testing/desk.ts"
import {
  approvalWork,
  deskWithNotices,
  mailTo,
  type NoticeDesk,
  questionWork,
  signInAndChoose,
} from "../../testing/notices.ts"
import type { PersonHeaders } from "../../testing/sign-in.ts"
import { readMailServer } from "./mail-configuration.ts"
import { writeTestMail } from "./mail-text.ts"
import { sendMail } from "./smtp.ts"
import { headerOf, MailServerForTest, textOf } from "../testing/mail-server.ts"

test("a mail tells those who may decide, and says how much waits and for how long, never what", async () => {
  const mail = await MailServerForTest.start()
  const works = [
    approvalWork("1", 300),
    approvalWork("2", 10, {}, { json: { priority: "urgent" } }),
    questionWork("3", 90),
  ]
  const desk = await deskWithNotices(works, [mailTo(mail.port)])
  await signInAndChoose(desk, "ada", ["finance"])
  await signInAndChoose(desk, "ben", ["ops"])
  await signInAndChoose(desk, "cleo", ["staff"])
  await expect.poll(() => mail.received.length).toBe(2)
  const [toAda] = mail.received.filter(({ to }) => to.includes("ada@example.com"))
  const [toBen] = mail.received.filter(({ to }) => to.includes("ben@example.com"))
  expect(headerOf(toAda, "Subject")).toBe("2 items wait for you, the oldest for 5 hours")
  expect(headerOf(toAda, "From")).toBe("Workdesk <desk@example.com>")
  expect(headerOf(toAda, "Auto-Submitted")).toBe("auto-generated")
  expect(headerOf(toAda, "List-Unsubscribe")).toBeUndefined()
  expect(textOf(toAda)).toMatch(
    /^An approval, analyst, waiting for 5 hours\nhttp:\/\/localhost:4400\/approvals\?item=approval_1\n\nAn approval, analyst, urgent priority, waiting for 10 minutes\nhttp:\/\/localhost:4400\/approvals\?item=approval_2\n\nYou are receiving this mail because .*\nMail settings: http:\/\/localhost:4400\/notices\nTurn off mail: http:\/\/localhost:4400\/desk\/notices\/unsubscribe\?token=\S+$/,
  )
  expect(headerOf(toBen, "Subject")).toBe("1 item waits for you")
  expect(textOf(toBen)).toContain(
    "A clarification, analyst, waiting for 1 hour\nhttp://localhost:4400/needs-you?item=question_3",
  )
})

const unsent = (desk: NoticeDesk) => desk.database.read("SELECT answer FROM notice_delivery WHERE settled_at IS NULL")
const subjects = (mail: MailServerForTest) => mail.received.map((received) => headerOf(received, "Subject"))

test("an item is told once for each version, and what was decided before the mail leaves is not told", async () => {
  const mail = await MailServerForTest.start()
  const first = approvalWork("1", 10)
  const works = [first]
  const desk = await deskWithNotices(works, [mailTo(mail.port)])
  await signInAndChoose(desk, "ada", ["finance"])
  await expect.poll(() => subjects(mail)).toEqual(["1 item waits for you"])
  // The server refuses for a while, and meanwhile one of two new items is decided.
  mail.onMessage = () => ({ code: 451 })
  const decided = approvalWork("2")
  works.push(decided, approvalWork("3"))
  await expect.poll(() => unsent(desk)).toEqual([{ answer: "451" }])
  decided.version = 2
  decided.approvals = [{ ...decided.approvals[0], status: "declined", version: 2 }]
  mail.onMessage = () => undefined
  await expect.poll(() => subjects(mail)).toEqual(["1 item waits for you", "1 item waits for you"])
  expect(textOf(mail.received[1])).toContain("item=approval_3")
  first.version = 2
  first.approvals = [{ ...first.approvals[0], version: 2 }]
  await expect.poll(() => mail.received.length).toBe(3)
  expect(textOf(mail.received[2])).toContain("item=approval_1")
})

test("a server that takes no mail is tried again, with one line of the log when that begins and one when it heals", async () => {
  const mail = await MailServerForTest.start()
  mail.onConnect = () => ({ code: 421 })
  const desk = await deskWithNotices([approvalWork("1")], [mailTo(mail.port)])
  await signInAndChoose(desk, "ada", ["finance"])
  await signInAndChoose(desk, "ben", ["finance"])
  const lines = (message: string) => desk.logged.filter((line) => line.includes(message))
  await expect.poll(() => lines("the mail server isn't accepting mail").length).toBe(1)
  mail.onConnect = () => undefined
  await expect.poll(() => mail.received.length).toBe(2)
  await expect.poll(() => lines("the mail server is accepting mail again").length).toBe(1)
  expect(lines("the mail server isn't accepting mail")).toHaveLength(1)
  expect(desk.logged.join("\n")).not.toMatch(/@example\.com|token=/)
})

const sendTest = async (desk: NoticeDesk, headers: PersonHeaders) =>
  JSON.parse((await send(desk.url, "/desk/notices/test", { method: "POST", headers })).text).state

test("test mails that fail during an outage delay no mail", async () => {
  const mail = await MailServerForTest.start()
  mail.onConnect = () => ({ code: 421 })
  const desk = await deskWithNotices([approvalWork("1")], [mailTo(mail.port)])
  await signInAndChoose(desk, "ada", ["finance"])
  const others = await Promise.all(["ben", "cleo", "dan"].map((name) => signInAndChoose(desk, name, ["staff"])))
  await expect.poll(() => desk.logged.filter((line) => line.includes("isn't accepting mail")).length).toBe(1)
  for (const other of others) expect(await sendTest(desk, other)).toBe("failed")
  mail.onConnect = () => undefined
  await expect.poll(() => mail.received.map(({ to }) => to), { timeout: 20_000 }).toEqual([["ada@example.com"]])
}, 40_000)

test("a test mail that the server takes ends an outage, and what waits leaves", async () => {
  const mail = await MailServerForTest.start()
  mail.onConnect = () => ({ code: 421 })
  const desk = await deskWithNotices([approvalWork("1")], [mailTo(mail.port)])
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  // The next attempt is five minutes after the second that failed.
  await expect.poll(() => mail.connections, { timeout: 20_000 }).toBe(2)
  mail.onConnect = () => undefined
  expect(await sendTest(desk, ada)).toBe("delivered")
  await expect.poll(() => mail.received.length).toBe(2)
}, 40_000)

test("a mail whose answer is lost is sent again with the same Message-ID", async () => {
  const mail = await MailServerForTest.start()
  mail.onMessage = () => (mail.received.length === 0 ? "cut" : undefined)
  const desk = await deskWithNotices([approvalWork("1")], [mailTo(mail.port)])
  await signInAndChoose(desk, "ada", ["finance"])
  await expect.poll(() => mail.received.length).toBe(2)
  const [first, second] = mail.received.map((received) => headerOf(received, "Message-ID"))
  expect(first).toMatch(/^<[\w-]+@localhost>$/)
  expect(second).toBe(first)
  await expect.poll(() => unsent(desk)).toEqual([])
})

test("an address that cannot stand in a mail is named once in the log, by the person's id, and gets none", async () => {
  const mail = await MailServerForTest.start()
  const desk = await deskWithNotices([approvalWork("1")], [mailTo(mail.port)])
  const odd = await signInAndChoose(desk, "odd", ["finance"], {}, "odd,eve@example.com")
  const ben = await signInAndChoose(desk, "ben", ["finance"])
  await expect.poll(() => mail.received.map(({ to }) => to)).toEqual([["ben@example.com"]])
  expect((await send(desk.url, "/desk/notices/test", { method: "POST", headers: ben })).status).toBe(200)
  const warned = desk.logged.filter((line) => line.includes("can't be used for mail"))
  expect(warned.map((line) => JSON.parse(line).person)).toEqual([odd["Desk-Person"]])
  expect(desk.logged.join("\n")).not.toContain("eve@")
})

test("three refusals of an address in a row stop its mail until the next sign-in, and the settings say so", async () => {
  const mail = await MailServerForTest.start()
  mail.onAddress = (address) => (address.startsWith("ada") ? { code: 550, text: `no ${address}` } : undefined)
  const works = [approvalWork("1")]
  const desk = await deskWithNotices(works, [mailTo(mail.port)])
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  await signInAndChoose(desk, "ben", ["finance"])
  const state = async () =>
    JSON.parse((await send(desk.url, "/desk/notices", { headers: ada })).text).last_delivery?.state
  await expect.poll(state).toBe("refused")
  await desk.database.write("UPDATE notice_delivery_state SET refusals = 2 WHERE person_id = ?", ada["Desk-Person"])
  works.push(approvalWork("2"))
  await expect.poll(state).toBe("stopped")
  await expect.poll(() => mail.received.length).toBe(2)
  works.push(approvalWork("3"))
  await expect.poll(() => mail.received.length).toBe(3)
  expect(
    await desk.database.read("SELECT outcome FROM notice_delivery WHERE recipient = ?", ada["Desk-Person"]),
  ).toEqual([{ outcome: "refused" }, { outcome: "refused" }])
  expect((await send(desk.url, "/desk/notices/test", { method: "POST", headers: ada })).status).toBe(409)
  expect(desk.logged.join("\n")).not.toContain("ada@example.com")
  mail.onAddress = () => undefined
  await desk.signIn("ada", ["finance"], "ada@example.com")
  await expect.poll(state).toBe("refused")
  await expect
    .poll(async () => (await send(desk.url, "/desk/notices/test", { method: "POST", headers: ada })).status)
    .toBe(200)
  expect(await state()).toBe("delivered")
})

test("a domain of other letters goes to the server in punycode, and an address that the server cannot take is refused", async () => {
  const [unicode, ascii] = [await MailServerForTest.start(), await MailServerForTest.start({ isAscii: true })]
  const sendTo = async (server: MailServerForTest, to: string) => {
    const mail = writeTestMail({
      id: "1",
      from: { name: "", address: "desk@example.com" },
      to,
      publicUrl: new URL("http://localhost:4400"),
      now: 0,
      labelOf: (id) => id,
    })
    const { kind, answer } = await sendMail(readMailServer(server.url), mail)
    return `${kind} ${answer}`
  }
  for (const server of [unicode, ascii]) {
    expect(await sendTo(server, "anna@m\u00FCnchen.example")).toBe("accepted 250")
    expect(server.wire).toContain("RCPT TO:<anna@xn--mnchen-3ya.example>")
    expect(headerOf(server.received[0], "To")).toBe("anna@xn--mnchen-3ya.example")
  }
  expect(await sendTo(unicode, "j\u00FCrgen@m\u00FCnchen.example")).toBe("accepted 250")
  expect(unicode.wire).toContain("RCPT TO:<j\u00FCrgen@m\u00FCnchen.example>")
  expect(await sendTo(ascii, "j\u00FCrgen@m\u00FCnchen.example")).toBe("refused no SMTPUTF8")
  expect(ascii.received).toHaveLength(1)
})
