import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { RereadFiles } from "../../platform/reread-files.ts"
import type { PeopleConfiguration } from "../people/sign-in-configuration.ts"
import { folderForTest } from "../store/testing/stores.ts"
import { readChannels } from "./channels.ts"
import { readChatAddresses } from "./channels/chat-configuration.ts"
import { readMailConfiguration } from "./channels/mail-configuration.ts"
import { readPushConfiguration } from "./channels/push-configuration.ts"
import { readWebhookConfiguration } from "./channels/webhook.ts"

const SIGN_IN: PeopleConfiguration = {
  mode: "sign-in",
  issuer: "https://login.example",
  clientId: "desk",
  clientSecret: undefined,
  secretIn: undefined,
  scopes: "openid",
  groupsClaim: "groups",
  publicUrl: new URL("https://desk.example"),
  accessFile: "access.json",
  idleMs: 1,
  maxMs: 1,
}
const key = (bytes: number) => `whsec_${Buffer.alloc(bytes, 3).toString("base64")}`
const MAIL = { SMTP_URL: "smtp://mail.example", NOTICE_FROM: "desk@example.com" }
const CHAT = { NOTICE_CHAT_URL: "https://hooks.slack.com/services/canary-secret" }
const PUSH = { NOTICE_CONTACT: "https://canary-secret.example/contact" }
const HOOK = { NOTICE_WEBHOOK_URL: "https://hook.example/a?b=c", NOTICE_WEBHOOK_SECRET: key(32) }

test("reads all channels, with the parts of the address decoded", () => {
  const env = {
    ...HOOK,
    NOTICE_CONTACT: "mailto:desk@example.com",
    NOTICE_WEBHOOK_SECRET: `${key(24)} ${key(64)}`,
    SMTP_URL: "smtps://desk%40example.com:p%3A%2Fw@mail.example",
    NOTICE_FROM: "Workdesk, Finance <desk@example.com>",
    NOTICE_BATCH: "0s",
  }
  const files = new RereadFiles()
  const mail = readMailConfiguration(env, SIGN_IN, files)
  const webhook = readWebhookConfiguration(env, files)
  expect(readChannels(env, SIGN_IN).map(({ name }) => name)).toEqual(["mail", "webhook", "push"])
  expect(mail?.server()).toEqual({
    host: "mail.example",
    port: 465,
    isSecure: true,
    isLoopback: false,
    auth: { user: "desk@example.com", pass: "p:/w" },
  })
  expect(mail?.from).toEqual({ name: "Workdesk, Finance", address: "desk@example.com" })
  expect([mail?.batchMs, webhook?.keys().map(({ length }) => length)]).toEqual([0, [24, 64]])
  expect(readMailConfiguration(MAIL, SIGN_IN, files)?.batchMs).toBe(120_000)
  expect(readChannels({}, { mode: "local" })).toEqual([])
  expect(readWebhookConfiguration(HOOK, files)?.url.href).toBe(HOOK.NOTICE_WEBHOOK_URL)
})

test.each<[string, string, Record<string, string>]>([
  ["SMTP_URL", "an empty address", { ...MAIL, SMTP_URL: "" }],
  ["SMTP_URL", "another scheme", { ...MAIL, SMTP_URL: "https://canary-secret@mail.example" }],
  ["SMTP_URL", "a path", { ...MAIL, SMTP_URL: "smtp://mail.example/canary-secret" }],
  ["SMTP_URL", "a query", { ...MAIL, SMTP_URL: "smtp://mail.example?canary-secret" }],
  ["SMTP_URL", "a password alone", { ...MAIL, SMTP_URL: "smtp://:canary-secret@mail.example" }],
  ["SMTP_URL", "a password that is not encoded well", { ...MAIL, SMTP_URL: "smtp://u:canary-secret%zz@mail.example" }],
  ["SMTP_URL", "a line break in the user", { ...MAIL, SMTP_URL: "smtp://u%0d%0acanary-secret:p@mail.example" }],
  ["SMTP_URL", "both forms", { ...MAIL, SMTP_URL_FILE: "/canary-secret" }],
  ["SMTP_URL_FILE", "a file that is not there", { NOTICE_FROM: MAIL.NOTICE_FROM, SMTP_URL_FILE: "/canary-secret" }],
  ["NOTICE_FROM", "no sender", { SMTP_URL: MAIL.SMTP_URL }],
  ["NOTICE_FROM", "two addresses", { ...MAIL, NOTICE_FROM: "canary-secret@example.com, b@example.com" }],
  ["NOTICE_FROM", "a line break", { ...MAIL, NOTICE_FROM: "Desk\r\nBcc: canary-secret <desk@example.com>" }],
  ["NOTICE_FROM", "a line break beside the name", { ...MAIL, NOTICE_FROM: "canary-secret\n <desk@example.com>" }],
  ["NOTICE_FROM", "no channel", { NOTICE_FROM: "canary-secret@example.com" }],
  ["NOTICE_BATCH", "no channel", { NOTICE_BATCH: "1m" }],
  ["NOTICE_BATCH", "no time, and a channel that does not wait", { ...HOOK, NOTICE_BATCH: "canary-secret" }],
  ["NOTICE_BATCH", "too long a time for a chat", { ...CHAT, NOTICE_BATCH: "16m" }],
  ["NOTICE_BATCH", "too long a time", { ...MAIL, NOTICE_BATCH: "16m" }],
  ["NOTICE_BATCH", "no time", { ...MAIL, NOTICE_BATCH: "canary-secret" }],
  ["NOTICE_WEBHOOK_URL", "plain http", { ...HOOK, NOTICE_WEBHOOK_URL: "http://hook.example/canary-secret" }],
  ["NOTICE_WEBHOOK_URL", "a user", { ...HOOK, NOTICE_WEBHOOK_URL: "https://canary-secret@hook.example/" }],
  ["NOTICE_WEBHOOK_URL", "an empty user", { ...HOOK, NOTICE_WEBHOOK_URL: "https://@hook.example/canary-secret" }],
  ["NOTICE_WEBHOOK_URL", "a fragment", { ...HOOK, NOTICE_WEBHOOK_URL: "https://hook.example/#canary-secret" }],
  ["NOTICE_WEBHOOK_URL", "nothing in it", { ...HOOK, NOTICE_WEBHOOK_URL: "" }],
  ["NOTICE_WEBHOOK_SECRET", "no secret", { NOTICE_WEBHOOK_URL: HOOK.NOTICE_WEBHOOK_URL }],
  ["NOTICE_WEBHOOK_SECRET", "no channel", { NOTICE_WEBHOOK_SECRET: key(32) }],
  ["NOTICE_WEBHOOK_SECRET", "too short a secret", { ...HOOK, NOTICE_WEBHOOK_SECRET: key(23) }],
  ["NOTICE_WEBHOOK_SECRET", "three secrets", { ...HOOK, NOTICE_WEBHOOK_SECRET: [key(32), key(32), key(32)].join(" ") }],
  ["NOTICE_CONTACT", "no scheme", { NOTICE_CONTACT: "canary-secret@example.com" }],
  ["NOTICE_CONTACT", "plain http", { NOTICE_CONTACT: "http://canary-secret.example" }],
  ["NOTICE_CONTACT", "two addresses", { NOTICE_CONTACT: "mailto:canary-secret@example.com,b@example.com" }],
  ["NOTICE_CONTACT", "nothing in it", { NOTICE_CONTACT: "" }],
  ["PUSH_HOSTS", "no contact", { PUSH_HOSTS: "canary-secret.example" }],
  ["PUSH_HOSTS", "an address", { ...PUSH, PUSH_HOSTS: "https://canary-secret.example" }],
  ["PUSH_HOSTS", "a port", { ...PUSH, PUSH_HOSTS: "canary-secret.example:8443" }],
  ["PUSH_HOSTS", "a star alone", { ...PUSH, PUSH_HOSTS: "canary-secret.example,*" }],
  ["PUSH_HOSTS", "nothing in it", { ...PUSH, PUSH_HOSTS: "" }],
  ["NOTICE_WEBHOOK_SECRET", "no base64", { ...HOOK, NOTICE_WEBHOOK_SECRET: "whsec_canary-secret" }],
  ...[
    ["nothing in it", ""],
    ["no address", "canary-secret"],
    ["plain http", "http://hooks.slack.com/canary-secret"],
    ["a user", "https://canary-secret@hooks.slack.com/a"],
    ["a fragment", "https://hooks.slack.com/a#canary-secret"],
    ["a format behind the address", "https://hooks.slack.com/canary-secret#format=slack"],
    ["a fragment behind a format", "format=slack#https://hooks.slack.com/a#canary-secret"],
    ["an unknown format", "format=canary-secret#https://hooks.slack.com/a"],
    ["a format named as a part of each object", "format=toString#https://hooks.slack.com/canary-secret"],
    ["no format for an unknown host", "https://canary-secret.example/a"],
    ["a host that only ends like a known one", "https://evilhooks.slack.com.example/canary-secret"],
    ["a known host with one more name", "https://canary-secret.hooks.slack.com/a"],
    ["a second address that is wrong", `${CHAT.NOTICE_CHAT_URL} ftp://canary-secret.example`],
    ["the same address twice", `${CHAT.NOTICE_CHAT_URL} format=discord#${CHAT.NOTICE_CHAT_URL}`],
  ].map(([what, NOTICE_CHAT_URL]): [string, string, Record<string, string>] => [
    "NOTICE_CHAT_URL",
    String(what),
    { NOTICE_CHAT_URL: String(NOTICE_CHAT_URL) },
  ]),
  ["NOTICE_CHAT_URL", "both forms", { ...CHAT, NOTICE_CHAT_URL_FILE: "/canary-secret" }],
  ["NOTICE_CHAT_URL_FILE", "a file that is not there", { NOTICE_CHAT_URL_FILE: "/canary-secret" }],
])("%s with %s ends the start with one line that shows no value", (variable, _, env) => {
  const read = () => readChannels(env, SIGN_IN)
  expect(read).toThrow(ConfigurationError)
  expect(read).toThrow(new RegExp(`^${variable}\\b(?!.*canary-secret).*$`))
})

test("reads the addresses of chats, whose formats are known by the host or named", () => {
  const text = `https://hooks.slack.com/services/a https://HOOKS.slack.com/services/b?c=d
    https://acme.webhook.office.com/webhookb2/a https://prod-1.westus.logic.azure.com:443/workflows/a?sig=b
    https://a.b.environment.api.powerplatform.com/a format=mattermost#https://chat.example/hooks/a
    format=discord#https://discord.com/api/webhooks/1/a format=slack#https://mine.example/a format=teams#http://127.0.0.1:1/`
  const addresses = readChatAddresses(text)
  const kinds = ["slack", "slack", "teams", "teams", "teams", "mattermost", "discord", "slack", "teams"]
  expect(addresses.map(({ format }) => format)).toEqual(kinds)
  expect(addresses[1]?.url.href).toBe("https://hooks.slack.com/services/b?c=d")
  expect(new Set(addresses.map(({ recipient }) => recipient)).size).toBe(9)
  expect(addresses[0]?.recipient).toMatch(/^hooks\.slack\.com [\w-]{12}$/)
  for (const people of [SIGN_IN, { mode: "local" }] as const) {
    expect(readChannels({ ...CHAT, NOTICE_BATCH: "0s" }, people).map(({ name }) => name)).toEqual(["chat"])
  }
})

test("push has the services of the great browsers unless PUSH_HOSTS names others, and needs sign-in", () => {
  expect(readPushConfiguration(PUSH, SIGN_IN)?.hosts).toEqual([
    "fcm.googleapis.com",
    "*.push.services.mozilla.com",
    "*.push.apple.com",
    "*.notify.windows.com",
  ])
  const others = { ...PUSH, PUSH_HOSTS: "push.example, *.Other.example" }
  expect(readPushConfiguration(others, SIGN_IN)?.hosts).toEqual(["push.example", "*.other.example"])
  expect(() => readChannels(PUSH, { mode: "local" })).toThrow(/^NOTICE_CONTACT needs sign-in/)
  expect(readChannels({ ...PUSH, NOTICE_BATCH: "1m" }, SIGN_IN).map(({ name }) => name)).toEqual(["push"])
})

test("mail needs sign-in, and a secret's file is read again when it changes", async () => {
  expect(() => readChannels(MAIL, { mode: "local" })).toThrow(/^SMTP_URL needs sign-in/)
  const file = join(await folderForTest(), "smtp")
  writeFileSync(file, "smtp://first.example\n")
  const files = new RereadFiles(20)
  const mail = readMailConfiguration({ NOTICE_FROM: MAIL.NOTICE_FROM, SMTP_URL_FILE: file }, SIGN_IN, files)
  expect(mail?.server().host).toBe("first.example")
  writeFileSync(file, "smtp://second.example\n")
  await expect.poll(() => mail?.server().host).toBe("second.example")
  writeFileSync(file, "no address")
  await expect.poll(() => files.faults().get("SMTP_URL_FILE")).toBe(true)
  expect(mail?.server().host).toBe("second.example")
  files.stop()
})
