import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { chat } from "../desk/notices/channels/chat.ts"
import { readChatAddresses } from "../desk/notices/channels/chat-configuration.ts"
import { writeChatMessage } from "../desk/notices/channels/chat-formats.ts"
import { writeTestMail } from "../desk/notices/channels/mail-text.ts"
import { readMailServer } from "../desk/notices/channels/mail-configuration.ts"
import { postJson } from "../desk/notices/channels/post.ts"
import { sendMail } from "../desk/notices/channels/smtp.ts"
import { RereadFiles } from "../platform/reread-files.ts"
import { parseNote } from "../desk/record/heads/signed-note.ts"
import { folderForTest } from "../desk/store/testing/stores.ts"
import { startNoticeCatcher } from "./notice-catcher.ts"

const startCatcher = async () => {
  const headsFile = join(await folderForTest(), "kept-heads.txt")
  return { headsFile, ...(await startNoticeCatcher("http://localhost:4400", headsFile)) }
}

test("the page shows a mail with its link to the desk", async () => {
  const catcher = await startCatcher()
  onTestFinished(() => catcher.stop())
  const server = readMailServer(catcher.smtpUrl)
  if (server === undefined) throw new Error("the address is not valid")
  expect(await (await fetch(catcher.pageUrl)).text()).toContain("Nothing has arrived yet")
  const parts = { id: "a", to: "ada@example.com", from: { name: "Workdesk", address: "desk@example.com" }, now: 0 }
  const mail = writeTestMail({ ...parts, publicUrl: new URL("http://localhost:4400"), labelOf: (id) => id })
  expect(await sendMail(server, { ...mail, text: `${mail.text}<b>é</b>\n` })).toMatchObject({ kind: "accepted" })
  const page = await (await fetch(catcher.pageUrl)).text()
  expect(page).toContain("To ada@example.com")
  expect(page).toContain('<a href="http://localhost:4400/notices" target="_blank">')
  expect(page).toContain("&lt;b&gt;é&lt;/b&gt;")
})

test("the page shows a message to the chat with its links to the desk, and no other link", async () => {
  const catcher = await startCatcher()
  onTestFinished(() => catcher.stop())
  const files = new RereadFiles()
  const channel = chat.configure({ NOTICE_CHAT_URL: catcher.chatUrl }, { mode: "local" }, files)
  expect(await channel?.test?.("")).toEqual({ isTaken: true, answer: "200 from 127.0.0.1" })
  const [address] = readChatAddresses(catcher.chatUrl)
  if (address === undefined) throw new Error("no address")
  const lines = ["http://localhost:4400/approvals?item=a", "http://evil.example/"].map((url) => ({ text: "<b>", url }))
  expect(await postJson(address.url, {}, writeChatMessage(address.format, "2 items wait", lines))).toMatchObject({
    kind: "sent",
  })
  expect(await postJson(address.url, {}, "{}")).toMatchObject({ answer: "400" })
  const page = await (await fetch(catcher.pageUrl)).text()
  expect(page).toMatch(/<h2>2 items wait<\/h2>[^]*<h2>A test from Workdesk<\/h2>/)
  expect(page).toContain("To the chat")
  expect(page).toContain('<a href="http://localhost:4400/approvals?item=a" target="_blank">')
  expect(page).not.toMatch(/<b>|href="http:\/\/evil/)
  files.stop()
})

test("the notes of signed heads are kept in a file that exists from the start, and nothing else is", async () => {
  const catcher = await startCatcher()
  onTestFinished(() => catcher.stop())
  expect(await readFile(catcher.headsFile, "utf8")).toBe("")
  const note = "workdesk-local\n2\nAAAA\n\n— workdesk-local AAAAAAAA\n"
  const url = new URL(catcher.headsUrl)
  const event = { type: "record.head", data: { note } }
  expect(await postJson(url, {}, JSON.stringify(event))).toEqual({ kind: "sent", answer: "204" })
  expect(await postJson(url, {}, JSON.stringify(event))).toEqual({ kind: "sent", answer: "204" })
  expect(await postJson(url, {}, JSON.stringify({ ...event, type: "test" }))).toMatchObject({ answer: "400" })
  expect(await readFile(catcher.headsFile, "utf8")).toBe(note + note)
  expect(parseNote(note)).toMatchObject({ signatures: [{ name: "workdesk-local" }] })
  expect(await (await fetch(catcher.pageUrl)).text()).toContain("Nothing has arrived yet")
})
