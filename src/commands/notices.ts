/**
 * `npm run notices -- test ADDRESS | test-webhook | list`: sends one mail or one event and prints what the other side answered, or prints what is
 * unsent. It reads the desk's environment and can run while the desk runs.
 */
import { randomUUID } from "node:crypto"
import { ConfigurationError } from "../contract/configuration-error.ts"
import { isPlainAddress } from "../contract/plain-address.ts"
import { type NoticesConfiguration, readNoticesConfiguration } from "../notices/notices-configuration.ts"
import { writeTestMail } from "../notices/mail-text.ts"
import { listUnsent } from "../notices/outbox.ts"
import { sendMail } from "../notices/smtp.ts"
import { postEvent } from "../notices/webhook.ts"
import { readPeopleConfiguration } from "../people/sign-in-configuration.ts"
import { openDatabaseForReading } from "../store/open.ts"
import { closing, runAsCommand, storeOf } from "./command.ts"

const USAGE = `Usage:
  npm run notices -- test ADDRESS    sends one mail, and prints what the mail server answered
  npm run notices -- test-webhook    posts one event of type test, and prints what the receiver answered
  npm run notices -- list            prints what is unsent, since when, and the last answer`

const { env } = process

async function run([command, address, ...others]: readonly string[]): Promise<boolean> {
  const hasAddress = address !== undefined
  if (others.length > 0 || (command === "test") !== hasAddress) return usage()
  const configuration = readNoticesConfiguration(env, readPeopleConfiguration(env))
  if (command === "test" && hasAddress) return testMail(configuration, address)
  if (command === "test-webhook") return testWebhook(configuration)
  return command === "list" ? list() : usage()
}

function usage(): boolean {
  console.error(USAGE)
  return false
}

async function testMail({ mail }: NoticesConfiguration, to: string): Promise<boolean> {
  if (mail === undefined) throw new ConfigurationError("SMTP_URL is not set, so the desk sends no mail")
  if (!isPlainAddress(to)) throw new ConfigurationError("ADDRESS must be one address such as ada@example.com")
  const parts = { id: `test-${randomUUID()}`, to, from: mail.from, publicUrl: mail.publicUrl, now: Date.now() }
  const { kind, text } = await sendMail(mail.server(), writeTestMail({ ...parts, labelOf: (id) => id }))
  console.log(`The mail server ${kind === "accepted" ? "took the mail" : "did not take the mail"}: ${text}`)
  return kind === "accepted"
}

async function testWebhook({ webhook }: NoticesConfiguration): Promise<boolean> {
  if (webhook === undefined) throw new ConfigurationError("NOTICE_WEBHOOK_URL is not set, so the desk has no webhook")
  const body = JSON.stringify({ type: "test", timestamp: new Date().toISOString(), data: {} })
  const { kind, answer } = await postEvent(webhook.url, webhook.keys(), { id: `test-${randomUUID()}`, body })
  console.log(`The receiver ${kind === "accepted" ? "took the event" : "did not take the event"}: ${answer}`)
  return kind === "accepted"
}

async function list(): Promise<boolean> {
  await using database = closing(await openDatabaseForReading(storeOf(env)))
  const lines = await listUnsent(database)
  console.log(lines.length === 0 ? "Nothing is unsent." : lines.join("\n"))
  return true
}

await runAsCommand(async () => ((await run(process.argv.slice(2))) ? 0 : 1))
