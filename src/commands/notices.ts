/** `npm run notices` sends one mail or one event, or prints what is unsent. It reads the desk's environment and can run while the desk runs. */
import { randomUUID } from "node:crypto"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { isPlainAddress } from "../people/plain-address.ts"
import { writeTestMail } from "../notices/mail-text.ts"
import { type NoticesConfiguration, readNoticesConfiguration } from "../notices/notices-configuration.ts"
import { sendMail } from "../notices/smtp.ts"
import { listUnsent } from "../notices/unsent.ts"
import { postEvent } from "../notices/webhook.ts"
import { readPeopleConfiguration } from "../people/sign-in-configuration.ts"
import { openStoreForReading, runAsCommand } from "./command.ts"

const USAGE = `Usage:
  npm run notices -- test ADDRESS    sends one mail, and prints what the mail server answered
  npm run notices -- test-webhook    posts one event of type test, and prints what the receiver answered
  npm run notices -- list            prints what is unsent, since when, and the last answer`

async function testMail({ mail }: NoticesConfiguration, to: string): Promise<number> {
  if (mail === undefined) throw new ConfigurationError("SMTP_URL is not set, so the desk sends no mail")
  if (!isPlainAddress(to)) throw new ConfigurationError("ADDRESS must be one address such as ada@example.com")
  const parts = { id: `test-${randomUUID()}`, to, from: mail.from, publicUrl: mail.publicUrl, now: Date.now() }
  const { kind, text } = await sendMail(mail.server(), writeTestMail({ ...parts, labelOf: (id) => id }))
  return tell("The mail server", "the mail", kind, text)
}

async function testWebhook({ webhook }: NoticesConfiguration): Promise<number> {
  if (webhook === undefined) throw new ConfigurationError("NOTICE_WEBHOOK_URL is not set, so the desk has no webhook")
  const body = JSON.stringify({ type: "test", timestamp: new Date().toISOString(), data: {} })
  const { kind, answer } = await postEvent(webhook.url, webhook.keys(), { id: `test-${randomUUID()}`, body })
  return tell("The receiver", "the event", kind, answer)
}

function tell(receiver: string, what: string, kind: string, answer: string | number): number {
  const isTaken = kind === "accepted"
  console.log(`${receiver} ${isTaken ? "took" : "did not take"} ${what}: ${answer}`)
  return isTaken ? 0 : 1
}

async function list(): Promise<number> {
  await using database = await openStoreForReading()
  const lines = await listUnsent(database)
  console.log(lines.length === 0 ? "Nothing is unsent." : lines.join("\n"))
  return 0
}

await runAsCommand({ usage: USAGE, options: {} }, async (_, command, address, ...others) => {
  const needsAddress = command === "test"
  if (others.length > 0 || needsAddress !== (address !== undefined)) return "usage"
  const configuration = readNoticesConfiguration(process.env, readPeopleConfiguration(process.env))
  if (address !== undefined) return testMail(configuration, address)
  if (command === "test-webhook") return testWebhook(configuration)
  return command === "list" ? list() : "usage"
})
