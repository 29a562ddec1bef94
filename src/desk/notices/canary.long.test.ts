import { expect, onTestFinished, test } from "vitest"
import { Metrics, serveMetrics } from "../http/metrics.ts"
import {
  approvalWork,
  chatTo,
  deskWithNotices,
  mailTo,
  type NoticeDesk,
  questionWork,
  signInAndChoose,
  startReceiver,
  webhookTo,
} from "../testing/notices.ts"
import { MUTATION, send } from "../testing/desk.ts"
import type { PersonHeaders } from "../testing/sign-in.ts"
import { addAction, change, decide } from "../testing/own-work.ts"
import { fakeWork, problem } from "../watcher/testing/simulation.ts"
import { CHAT_FORMATS } from "./testing/chat-message.ts"
import { addDevice, pushForTest } from "../testing/push.ts"
import { decryptPush } from "./channels/push-receiver.ts"
import { headerOf, MailServerForTest, textOf } from "./testing/mail-server.ts"

/** Letters alone, which no encoding but Base64 changes. */
const CANARY = "canaryofanitem"
const said = (what: string) => `${CANARY} ${what}`

const APPROVAL_TEXTS = {
  action_id: said("action"),
  summary: said("summary"),
  risk: said("risk"),
  destination: `${CANARY}@bank.example`,
  subject: said("subject"),
  body: said("body"),
  policy_reason: said("reason"),
  // Members that no client of today knows.
  preview: said("preview"),
  files: [{ name: `${CANARY}.pdf`, label: said("label") }],
}
const QUESTION_TEXTS = {
  source_id: said("source"),
  title: said("title"),
  what_happened: said("what happened"),
  why_needed: said("why"),
  recommended_action: said("action"),
  consequences: said("consequences"),
  question: said("question"),
  options: [{ label: said("option") }],
}
const WORK_TEXTS = {
  title: said("title"),
  objective: said("objective"),
  human_owner_id: said("owner"),
  created_by: said("creator"),
  attention_question: said("question"),
  completion_summary: said("summary"),
  inputs: [{ file_name: `${CANARY}.csv` }],
}

const ACCESS = {
  roles: { reader: ["anyone"], answerer: ["group:ops"], approver: ["group:finance"] },
  rules: [
    { destination: "*@bank.example", escalate: { after: "4h", to: ["group:cfo", "mailbox:duty@example.com"] } },
    { destination: "*@bank.example", decideWithin: "3h", remindBefore: "1h" },
  ],
}

/** Every way in which bytes that left the desk may be read: unfolded, and with each run of Base64 decoded. */
function readingsOf(bytes: string): string {
  const whole = bytes.replaceAll(/=?\r?\n[ \t]*/g, "")
  const decoded = [bytes, whole].flatMap((text) => text.match(/[\w+/-]{12,}/g) ?? [])
  return [bytes, whole, ...decoded.map((run) => Buffer.from(run, "base64").toString())].join("\n").toLowerCase()
}

const resolve = (desk: NoticeDesk, person: PersonHeaders, path: string, body: object) =>
  send(desk.url, `/api/v1/work/${path}/resolve`, {
    method: "POST",
    headers: { ...person, ...MUTATION, "Idempotency-Key": path, "If-Match": '"1"' },
    body: JSON.stringify(body),
  })

test("no mail, event, chat message, push, log line or metric has a word of what an item, its Work or a person says", async () => {
  const [mail, receiver, room] = [await MailServerForTest.start(), await startReceiver(), await startReceiver()]
  const metrics = new Metrics()
  const { port, stop } = await serveMetrics(metrics, { host: "127.0.0.1", port: 0 })
  onTestFinished(stop)
  const old = approvalWork("old", 300, APPROVAL_TEXTS, { json: WORK_TEXTS })
  const unwanted = approvalWork("unwanted", 0, APPROVAL_TEXTS, { json: WORK_TEXTS })
  const question = { ...questionWork("asked", 60, QUESTION_TEXTS), json: WORK_TEXTS, status: "needs_you" }
  const failing = approvalWork("failing", 5, APPROVAL_TEXTS, { json: WORK_TEXTS })
  const works = [old, question]
  const colleagues = [{ id: "analyst", label: "Data analyst" }]
  const rooms = CHAT_FORMATS.map((format) => `format=${format}#${room.url}/${format}`).join(" ")
  const push = await pushForTest()
  const notices = [mailTo(mail.port), webhookTo(receiver.url), chatTo(rooms), push.channel]
  const desk = await deskWithNotices(works, notices, { access: ACCESS }, { colleagues, metrics })
  const isEscalation = ({ body }: { readonly body: string }) => body.includes("Waiting for 4 hours: 1 approval")
  // Failures are logged too: of the upstream, of the mail server, of the receivers.
  const refusedOnce = new Set<string>()
  const isFirst = (what: string) => !refusedOnce.has(what) && refusedOnce.add(what).has(what)
  mail.onMessage = ([to = ""]) => (isFirst(to) && to.startsWith("ada") ? { code: 451, text: "later" } : undefined)
  receiver.control.answer = () => (isFirst("webhook") ? 500 : 204)
  room.control.answer = ({ body }) => (!isEscalation({ body }) && isFirst("chat") ? 500 : 204)
  push.service.control.answer = () => (isFirst("push") ? 503 : 201)
  desk.upstream.control.behave = (target) => {
    const resolved = { version: 2, resolved_at: new Date().toISOString() }
    if (target.endsWith("/approval_old/resolve")) {
      decide(old, "approved")
      return { status: 200, body: { ...old.approvals[0], ...resolved, resolution_comment: said("comment") } }
    }
    if (target.endsWith("/approval_unwanted/resolve")) {
      decide(unwanted, "declined")
      return { status: 200, body: { ...unwanted.approvals[0], ...resolved, resolution_comment: said("comment") } }
    }
    if (target.endsWith("/question_asked/resolve")) {
      const body = { ...question.clarifications[0], ...resolved, status: "resolved", resolution: said("answer") }
      works.splice(works.indexOf(question), 1)
      return { status: 200, body }
    }
    if (!target.includes("/work_failing/approvals")) return undefined
    const { body } = problem(500, "INTERNAL")
    return { status: 500, body: { ...Object(body), title: said("problem"), detail: said("problem") } }
  }

  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const ben = await signInAndChoose(desk, "ben", ["ops"])
  const maker = await signInAndChoose(desk, "maker", ["staff"], { own_work: "steps" })
  for (const id of ["work_old", "work_unwanted", "work_own"]) await addAction(desk, id, maker, "creator")
  const browsers = new Map([
    ["/ada", await addDevice(desk, ada, "ada")],
    ["/ben", await addDevice(desk, ben, "ben")],
    ["/maker", await addDevice(desk, maker, "maker")],
  ])
  // As if the devices were older than what waits.
  await desk.database.write("UPDATE notice_choice SET push_from = 1 WHERE push = 1")
  const cleo = await signInAndChoose(desk, "cleo", ["finance"], { mail: "daily" })
  await signInAndChoose(desk, "cfo", ["finance", "cfo"], { mail: "daily", quiet_from: "00:00", quiet_until: "23:59" })
  const sentTo = (name: string) => mail.received.filter(({ to }) => to.includes(`${name}@example.com`))
  await expect.poll(() => sentTo("ada").length, { timeout: 15_000 }).toBe(1)
  const to = { person: cleo["Desk-Person"] }
  const handed = await send(desk.url, "/desk/assignment", {
    method: "PUT",
    headers: { ...ada, "Content-Type": "application/json", "If-Match": '"none"' },
    body: JSON.stringify({ work: "work_old", item: "approval_old", to, note: said("note") }),
  })
  expect(handed.status, handed.text).toBe(200)
  await expect
    .poll(() =>
      sentTo("cleo")
        .map((received) => textOf(received))
        .join("\n"),
    )
    .toContain("handed to you")
  await expect.poll(() => [sentTo("ben").length, sentTo("cfo").length, sentTo("duty").length]).toEqual([1, 1, 1])

  const seen = async (person: PersonHeaders) => (await send(desk.url, "/desk/waiting", { headers: person })).text
  for (const text of ["preview", "reason", "objective"]) expect(await seen(ada)).toContain(said(text))
  expect(await seen(ben)).toContain(said("option"))
  const own = fakeWork("work_own", Date.now(), { json: WORK_TEXTS })
  works.push(failing, own, unwanted)
  const known = () => desk.database.read("SELECT 1 FROM noticed_item WHERE item_id = 'approval_unwanted'")
  await expect.poll(known, { timeout: 15_000 }).toHaveLength(1)
  await expect.poll(() => seen(ada)).toContain(said("problem"))
  const approved = await resolve(desk, ada, "work_old/approvals/approval_old", {
    decision: "approve",
    comment: said("a comment"),
  })
  expect(approved.status, approved.text).toBe(200)
  const answered = await resolve(desk, ben, "work_asked/attention/question_asked", { response: said("an answer") })
  expect(answered.status, answered.text).toBe(200)

  const declined = await resolve(desk, ada, "work_unwanted/approvals/approval_unwanted", { decision: "decline" })
  expect(declined.status, declined.text).toBe(200)
  const heard = () =>
    sentTo("maker").flatMap((received) => textOf(received).match(/^(?:Your|An) .*(?= is | was).*$/gm) ?? [])
  // Otherwise one message could be about both Works, and would not mention the pause.
  await expect.poll(heard, { timeout: 15_000 }).toContain("An approval of your Work was declined")
  change(own, "paused")
  const pushTexts = () =>
    push.service.received.map(({ path, body }) => {
      const browser = browsers.get(path)
      if (browser === undefined) throw new Error(`nobody has the device ${path}`)
      return decryptPush(body, browser)
    })
  const kinds = () => pushTexts().map((text) => JSON.parse(text).kind)
  await expect.poll(heard, { timeout: 15_000 }).toContain("Your Work is paused")
  // A pause that is over is not told.
  await expect.poll(kinds, { timeout: 15_000 }).toContain("own paused")
  change(own, "done")
  await expect.poll(heard, { timeout: 15_000 }).toContain("Your Work is done")
  for (const kind of ["own done", "approval", "clarification"])
    await expect.poll(kinds, { timeout: 15_000 }).toContain(kind)
  for (const step of ["approved", "declined"])
    await expect.poll(heard, { timeout: 15_000 }).toContain(`An approval of your Work was ${step}`)

  const types = [
    "approval.waiting",
    "clarification.waiting",
    "approval.resolved",
    "clarification.resolved",
    "approval.approved",
    "approval.declined",
    "work.paused",
    "work.done",
  ]
  await expect
    .poll(() => new Set(receiver.received.map(({ event }) => event.type)), { timeout: 15_000 })
    .toEqual(new Set(types))
  expect(headerOf(sentTo("duty")[0], "Subject")).toBe("Waiting for 4 hours: 1 approval")
  expect(textOf(sentTo("ada")[0])).toContain("Data analyst")
  expect(room.received.filter(isEscalation)).toHaveLength(4)
  expect(room.received.length).toBeGreaterThanOrEqual(8)
  expect(desk.logged.length).toBeGreaterThan(5)
  const scraped = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  for (const channel of ["mail", "webhook", "chat", "push"])
    expect(scraped).toContain(`workdesk_notices_total{channel="${channel}",outcome="failed"} 1\n`)
  expect(readingsOf(mail.received.map(({ raw }) => raw).join("\n"))).not.toContain(CANARY)
  expect(readingsOf(JSON.stringify(receiver.received))).not.toContain(CANARY)
  expect(readingsOf(JSON.stringify(room.received))).not.toContain(CANARY)
  const pushed = push.service.received.map(({ path, headers }, index) => [path, headers, pushTexts()[index]])
  expect(readingsOf(JSON.stringify(pushed))).not.toContain(CANARY)
  expect(readingsOf(desk.logged.join("\n"))).not.toContain(CANARY)
  expect(readingsOf(scraped)).not.toContain(CANARY)
}, 120_000)
