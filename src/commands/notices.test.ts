import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { MailServerForTest } from "../desk/notices/testing/mail-server.ts"
import { KEYS, startReceiver } from "../desk/testing/notices.ts"
import { CHAT_FORMATS, linesOfChat } from "../desk/notices/testing/chat-message.ts"
import { openDatabase } from "../desk/store/open-store.ts"
import { folderForTest } from "../desk/store/testing/stores.ts"
import { runCommand } from "./testing/run-command.ts"

async function environment(more: Readonly<Record<string, string>> = {}) {
  const folder = await folderForTest()
  await writeFile(join(folder, "access.json"), '{"roles":{}}')
  return {
    DATA_DIR: folder,
    OIDC_ISSUER: "https://login.example",
    OIDC_CLIENT_ID: "desk",
    PUBLIC_URL: "https://desk.example",
    ACCESS_FILE: join(folder, "access.json"),
    ...more,
  }
}

test("test sends one mail, and prints what the server answered", async () => {
  const mail = await MailServerForTest.start()
  const env = await environment({ SMTP_URL: mail.url, NOTICE_FROM: "desk@example.com" })
  const sent = await runCommand("notices", env, ["test", "ada@example.com"])
  expect(sent).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The mail server accepted the mail: 250 /),
    stderr: "",
  })
  expect(mail.received.map(({ to }) => to)).toEqual([["ada@example.com"]])
  mail.onAddress = () => ({ code: 550, text: "nobody here" })
  const refused = await runCommand("notices", env, ["test", "ada@example.com"])
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^The mail server did not accept the mail: 550 /),
  })
  expect(await runCommand("notices", env, ["test", "a@b.example\r\nBcc: c@d.example"])).toMatchObject({
    code: 1,
    stdout: "",
  })
  expect(mail.received).toHaveLength(1)
})

test("test-webhook posts one event, and prints the status", async () => {
  const receiver = await startReceiver()
  const env = await environment({ NOTICE_WEBHOOK_URL: receiver.url, NOTICE_WEBHOOK_SECRET: KEYS[0] })
  expect(await runCommand("notices", env, ["test-webhook"])).toMatchObject({
    code: 0,
    stdout: "The receiver accepted the event: 204\n",
  })
  expect(receiver.received.map(({ event }) => event.type)).toEqual(["test"])
  receiver.control.answer = () => 500
  expect(await runCommand("notices", env, ["test-webhook"])).toMatchObject({
    code: 1,
    stdout: "The receiver did not accept the event: 500\n",
  })
})

test("test-chat posts one message to each chat in its format, and prints what each answered without its address", async () => {
  const receiver = await startReceiver()
  const addresses = CHAT_FORMATS.map((format) => `format=${format}#${receiver.url}/${format}`)
  const env = await environment({ NOTICE_CHAT_URL: addresses.join(" ") })
  const answers = (last: number) => `204, 204, 204, ${last}`.replaceAll(/\d+/g, "$& from 127.0.0.1")
  expect(await runCommand("notices", env, ["test-chat"])).toMatchObject({
    code: 0,
    stdout: `The chat accepted the message: ${answers(204)}\n`,
    stderr: "",
  })
  expect(receiver.received).toHaveLength(CHAT_FORMATS.length)
  for (const format of CHAT_FORMATS) {
    const body = receiver.received.find(({ path }) => path.endsWith(format))?.body
    expect(linesOfChat(format, String(body)), format).toEqual(["A test from Workdesk"])
  }
  receiver.control.answer = ({ path }) => (path.endsWith("discord") ? 404 : 204)
  expect(await runCommand("notices", env, ["test-chat"])).toMatchObject({
    code: 1,
    stdout: `The chat did not accept the message: ${answers(404)}\n`,
  })
})

test("list prints what is unsent, since when, and the last answer", async () => {
  const env = await environment()
  const database = await openDatabase({ dataFolder: env.DATA_DIR, databaseUrl: undefined })
  expect(await runCommand("notices", env, ["list"])).toMatchObject({
    code: 0,
    stdout: "There are no unsent notices.\n",
  })
  await database.write(
    `INSERT INTO notice_delivery (sequence, id, channel, recipient, made_at, due_at, attempts, answer)
     VALUES (1, 'a', 'mail', 'person-1', 0, 0, 2, '451'), (2, 'b', 'webhook', 'webhook', 0, 0, 1, NULL),
       (3, 'c', 'chat', 'chat.example abc', 0, 0, 1, '500')`,
  )
  await database.close()
  expect((await runCommand("notices", env, ["list"])).stdout).toBe(
    "mail to person-1, unsent since 1970-01-01T00:00:00.000Z, 2 failed attempts, last answer: 451\n" +
      "webhook, unsent since 1970-01-01T00:00:00.000Z, 1 failed attempt, last answer: none\n" +
      "chat to chat.example abc, unsent since 1970-01-01T00:00:00.000Z, 1 failed attempt, last answer: 500\n",
  )
})

test.each([
  [1, ["test-webhook"]],
  [1, ["test-chat"]],
  [2, ["test"]],
  [2, ["list", "all"]],
  [2, []],
  [2, ["tset", "a@b.example"]],
  [2, ["tset"]],
])("exits %i for %j without a channel, or written wrongly, with plain lines", async (code, args) => {
  const ended = await runCommand("notices", await environment(), args)
  expect([ended.code, ended.stdout]).toEqual([code, ""])
  expect(ended.stderr).not.toContain("    at ")
})
