import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import {
  approvalWork,
  chatTo,
  deskWithNotices,
  PUBLIC_URL,
  questionWork,
  startReceiver,
} from "../../testing/notices.ts"
import { send } from "../../testing/desk.ts"
import { fakeApproval, type FakeWork } from "../../watcher/testing/simulation.ts"
import { RereadFiles } from "../../../platform/reread-files.ts"
import { folderForTest } from "../../store/testing/stores.ts"
import { chat, createChat } from "./chat.ts"
import { readChatAddresses } from "./chat-configuration.ts"
import { CHAT_FORMATS, linesOfChat, linksOfChat } from "../testing/chat-message.ts"

const link = (path: string) => new URL(path, PUBLIC_URL).href
const analyst = [{ id: "analyst", label: "Data analyst" }]

/** A receiver with an address for each format, and the lines of the messages that each format got. */
async function startChats() {
  const receiver = await startReceiver()
  const addressOf = (format: string) => `format=${format}#${receiver.url}/${format}`
  const messages = (format: (typeof CHAT_FORMATS)[number] = "mattermost") =>
    receiver.received.filter(({ path }) => path.endsWith(format)).map(({ body }) => linesOfChat(format, body))
  return { ...receiver, messages, addressOf, addresses: CHAT_FORMATS.map(addressOf).join(" ") }
}

test("each chat gets one message for what waits, oldest first, with a line and a link for each item", async () => {
  const chats = await startChats()
  const works = [
    questionWork("2", 60),
    approvalWork("1", 301, {}, { json: { priority: "high" } }),
    approvalWork("3", 3),
  ]
  await deskWithNotices(works, [chatTo(chats.addresses)], {}, { colleagues: analyst })
  await expect.poll(() => chats.received.length).toBe(4)
  const lines = [
    ["An approval, Data analyst, high priority, waiting for 5 hours", link("/approvals?item=approval_1")],
    ["A clarification, Data analyst, waiting for 1 hour", link("/needs-you?item=question_2")],
    ["An approval, Data analyst, waiting for 3 minutes", link("/approvals?item=approval_3")],
  ] as const
  const heading = "3 items wait, the oldest for 5 hours"
  for (const format of ["teams", "mattermost", "discord"] as const) {
    expect(chats.messages(format)).toEqual([[heading, ...lines.map(([text, url]) => `${text} [Open](${url})`)]])
  }
  expect(chats.messages("slack")).toEqual([[heading, ...lines.map(([text, url]) => `${text} <${url}|Open>`)]])
})

test("what comes within NOTICE_BATCH is one message, and what was resolved before it leaves is in none", async () => {
  const chats = await startChats()
  const [one, two, three] = [approvalWork("1"), questionWork("2"), approvalWork("3")]
  const works = [one, two]
  const desk = await deskWithNotices(works, [chatTo(chats.addressOf("mattermost"), 4_000)])
  const known = () => desk.database.read("SELECT item_id FROM noticed_item ORDER BY item_id")
  await expect.poll(known).toHaveLength(2)
  works.push(three)
  two.clarifications = []
  delete two.clarificationId
  two.version = 2
  await expect.poll(() => chats.messages().length, { timeout: 10_000 }).toBe(1)
  const [[heading, ...lines] = []] = chats.messages()
  expect(heading).toBe("2 items wait, the oldest for 1 minute")
  expect(linksOfChat(lines)).toEqual([link("/approvals?item=approval_1"), link("/approvals?item=approval_3")])
  // A new version is told again, alone.
  one.approvals = [fakeApproval("approval_1", { work_id: "work_1", version: 2, created_at: new Date().toISOString() })]
  one.version = 2
  await expect.poll(() => chats.messages().length, { timeout: 15_000 }).toBe(2)
  expect(chats.messages()[1]?.[0]).toBe("An approval waits")
  expect(chats.messages()[1]).toHaveLength(2)
}, 30_000)

test("a message that failed says only what still waits when it is tried again, and nothing else is sent for it", async () => {
  const chats = await startChats()
  chats.control.answer = () => 500
  const [one, two] = [approvalWork("1"), questionWork("2", 5)]
  const desk = await deskWithNotices([one, two], [chatTo(chats.addressOf("mattermost"))])
  await expect.poll(() => chats.messages().length).toBe(1)
  one.status = "done"
  one.version = 2
  await expect.poll(() => desk.database.read("SELECT 1 FROM noticed_item")).toHaveLength(1)
  chats.control.answer = () => 200
  await expect.poll(() => chats.messages().length, { timeout: 10_000 }).toBe(2)
  expect(chats.messages()[1]?.[0]).toBe("A clarification waits")
  two.status = "done"
  two.version = 2
  await expect.poll(() => desk.database.read("SELECT 1 FROM noticed_item")).toEqual([])
  const outcomes = () => desk.database.read("SELECT outcome FROM notice_delivery")
  await expect.poll(outcomes).toEqual([{ outcome: "sent" }])
}, 20_000)

test("an escalation has a message of its own for each time, once for each version", async () => {
  const chats = await startChats()
  const rules = [
    { destination: "*@bank.example", escalate: { after: "4h", to: ["mailbox:duty@example.com"] } },
    { escalate: { after: "4h", to: ["group:cfo"] } },
    { escalate: { after: "90m", to: ["group:cfo"] } },
  ]
  const access = { roles: { approver: ["anyone"] }, rules }
  const works = [
    approvalWork("1", 300, { destination: "pay@bank.example" }),
    approvalWork("2", 100),
    questionWork("3", 900),
  ]
  const desk = await deskWithNotices(works, [chatTo(chats.addressOf("mattermost"))], { access })
  const headings = () =>
    chats
      .messages()
      .map(([heading]) => String(heading))
      .toSorted()
  await expect
    .poll(headings)
    .toEqual([
      "3 items wait, the oldest for 15 hours",
      "Waiting for 4 hours: 1 approval",
      "Waiting for 90 minutes: 2 approvals",
    ])
  const escalated = chats.messages().find(([heading]) => heading === "Waiting for 4 hours: 1 approval")
  expect(linksOfChat(escalated ?? [])).toEqual([link("/approvals?item=approval_1")])
  const steps = await desk.database.read("SELECT step FROM notice WHERE item_id = 'approval_1'")
  expect(new Set(steps.map(({ step }) => step)).size).toBe(4)
})

test("escalations that come within NOTICE_BATCH are one message, and the file of the addresses is read again", async () => {
  const chats = await startChats()
  const file = join(await folderForTest(), "chats")
  const files = new RereadFiles(20)
  onTestFinished(() => files.stop())
  await writeFile(file, `${chats.addressOf("slack")}\n`)
  const channel = chat.configure({ NOTICE_CHAT_URL_FILE: file, NOTICE_BATCH: "3s" }, { mode: "local" }, files)
  if (channel === undefined) throw new Error("the chat is not configured")
  await writeFile(file, `${chats.addressOf("mattermost")}\n`)
  const access = { roles: {}, rules: [{ escalate: { after: "2s", to: ["group:cfo"] } }] }
  const works = [approvalWork("1")]
  const desk = await deskWithNotices(works, [channel], { access })
  await expect.poll(() => desk.database.read("SELECT 1 FROM noticed_item")).toHaveLength(1)
  works.push(approvalWork("2", 60))
  const headings = () => chats.messages().map(([heading]) => String(heading))
  await expect.poll(() => headings().at(-1), { timeout: 15_000 }).toBe("Waiting for 2 seconds: 2 approvals")
  expect(headings().toSorted()).toEqual(["2 items wait, the oldest for 1 hour", "Waiting for 2 seconds: 2 approvals"])
  expect(chats.messages("slack")).toEqual([])
}, 30_000)

test("after 410 an address gets nothing more, its messages are kept, and the other addresses get theirs", async () => {
  const chats = await startChats()
  chats.control.answer = ({ path }) => (path.endsWith("slack") ? 410 : 204)
  // More than are sent at a time.
  const gone = Array.from({ length: 5 }, (_, index) => `format=slack#${chats.url}/${index}/slack`)
  const works = [approvalWork("1")]
  const desk = await deskWithNotices(works, [chatTo([...gone, chats.addressOf("discord")].join(" "))])
  await expect.poll(() => chats.messages("discord").flatMap(linksOfChat)).toHaveLength(1)
  await expect.poll(() => desk.logged.filter((line) => line.includes("got a 410 response"))).toHaveLength(5)
  works.push(approvalWork("2"))
  await expect.poll(() => chats.messages("discord").flatMap(linksOfChat), { timeout: 10_000 }).toHaveLength(2)
  expect(chats.messages("slack")).toHaveLength(5)
  const unsent = await desk.database.read("SELECT recipient FROM notice_delivery WHERE settled_at IS NULL")
  expect(unsent).toHaveLength(10)
  expect(unsent[0]?.["recipient"]).toMatch(/^127\.0\.0\.1 [\w-]{12}$/)
  // The address is a secret: no line of the log and no row of the outbox has more of it than the host.
  const stored = JSON.stringify(await desk.database.read("SELECT * FROM notice_delivery"))
  for (const text of [...desk.logged, stored]) expect(text).not.toMatch(/hook|slack|discord/)
}, 30_000)

test("chats that accept and do not answer delay no other chat", async () => {
  const chats = await startChats()
  chats.control.answer = ({ path }) => (path.endsWith("slack") ? "hang" : 204)
  const stalled = ["1", "2"].map((name) => `format=slack#${chats.url}/${name}/slack`)
  const works: FakeWork[] = []
  await deskWithNotices(works, [chatTo([...stalled, chats.addressOf("discord")].join(" "))])
  for (const id of ["1", "2", "3", "4"]) {
    works.push(approvalWork(id))
    const heard = () => chats.messages("discord").flatMap(linksOfChat)
    await expect.poll(heard, { timeout: 40_000 }).toContain(link(`/approvals?item=approval_${id}`))
  }
  // Two to each stalled chat, and no attempt has ended.
  expect(chats.messages("slack")).toHaveLength(4)
}, 180_000)

test("an address that is configured no more gets nothing, and a new one is told all that waits", async () => {
  const chats = await startChats()
  chats.control.answer = ({ path }) => (path.endsWith("slack") ? 500 : 204)
  let text = chats.addressOf("slack")
  const channel = createChat({ addresses: () => readChatAddresses(text), batchMs: 0 })
  const desk = await deskWithNotices([approvalWork("1"), approvalWork("2")], [channel])
  await expect.poll(() => chats.messages("slack").length).toBe(1)
  text = chats.addressOf("discord")
  await expect.poll(() => chats.messages("discord").flatMap(linksOfChat)).toHaveLength(2)
  const outcomes = () => desk.database.read("SELECT outcome FROM notice_delivery ORDER BY sequence")
  await expect.poll(outcomes, { timeout: 10_000 }).toEqual([{ outcome: "dropped" }, { outcome: "sent" }])
  expect(chats.messages("slack")).toHaveLength(1)
}, 20_000)

/** How chats fetch a link for a preview, and how a browser fetches it ahead for a person who has signed in. */
const PREVIEWS = [
  { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", Accept: "*/*", Range: "bytes=0-32768" },
  { "User-Agent": "Slack-ImgProxy (+https://api.slack.com/robots)", Accept: "image/*" },
  { "User-Agent": "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com" },
  { "User-Agent": "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", Accept: "text/html" },
  { "User-Agent": "Mattermost-Bot/1.1", Accept: "text/html,*/*" },
  {
    "User-Agent": "Mozilla/5.0",
    Accept: "text/html",
    "Sec-Purpose": "prefetch;prerender",
    "Sec-Fetch-Mode": "navigate",
  },
]

test("a chat that fetches the links of a message gets no data and changes nothing", async () => {
  const chats = await startChats()
  const distFolder = await folderForTest()
  const page = "<!doctype html><title>Workdesk</title>"
  await writeFile(join(distFolder, "index.html"), page)
  const works = [approvalWork("1", 0, { summary: "in confidence" }), questionWork("2")]
  const desk = await deskWithNotices(works, [chatTo(chats.addresses)], {}, { distFolder })
  const { Cookie } = await desk.signIn("ada", ["finance"])
  await expect.poll(() => chats.received.length).toBe(4)
  await expect.poll(() => desk.database.read("SELECT 1 FROM notice_delivery WHERE settled_at IS NULL")).toEqual([])
  const tables = await desk.database.read(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('lease', 'notice_desk')",
  )
  const stored = () => Promise.all(tables.map(({ name }) => desk.database.read(`SELECT * FROM "${String(name)}"`)))
  const before = await stored()
  const linked = CHAT_FORMATS.flatMap((format) => chats.messages(format).flatMap(linksOfChat))
  const paths = new Set(linked.map((url) => url.slice(PUBLIC_URL.origin.length)))
  expect(paths.size).toBe(2)
  for (const path of paths) {
    for (const preview of PREVIEWS) {
      for (const method of ["GET", "HEAD"]) {
        const headers = { ...preview, ...("Sec-Purpose" in preview && { Cookie }) }
        const { status, headers: answered, text } = await send(desk.url, path, { method, headers })
        const getsPage = preview.Accept?.includes("text/html") === true
        expect([status, getsPage && method === "GET" ? text : page]).toEqual([getsPage ? 200 : 404, page])
        expect(text).not.toContain("in confidence")
        expect(answered["set-cookie"]).toBeUndefined()
      }
    }
  }
  expect(await stored()).toEqual(before)
  expect(desk.upstream.heard.filter(({ method }) => method !== "GET")).toEqual([])
})
