/** Checks each configured channel of notices by connecting to it. Sends nothing. */
import { connect as connectTcp } from "node:net"
import { connect as connectTls } from "node:tls"
import { once } from "node:events"
import { readChatAddresses } from "../../desk/notices/channels/chat-configuration.ts"
import { readMailConfiguration } from "../../desk/notices/channels/mail-configuration.ts"
import { readPushConfiguration } from "../../desk/notices/channels/push-configuration.ts"
import { checkMailServer } from "../../desk/notices/channels/smtp.ts"
import { readHeadReceiver, readWebhookConfiguration } from "../../desk/notices/channels/webhook.ts"
import type { PeopleConfiguration } from "../../desk/people/sign-in-configuration.ts"
import type { Environment } from "../../platform/environment.ts"
import { readSecret, type RereadFiles } from "../../platform/reread-files.ts"
import { ANSWER_MS, bad, type CheckLine, describeFailure, good, type Probe } from "./check-line.ts"

/** The probes of the channels that are configured. */
export function noticeProbes(env: Environment, people: PeopleConfiguration, files: RereadFiles): readonly Probe[] {
  const mail = readMailConfiguration(env, people, files)
  const webhook = readWebhookConfiguration(env, files)
  const heads = readHeadReceiver(env, files)
  const chats = readSecret(env, "NOTICE_CHAT_URL", files, readChatAddresses)?.() ?? []
  const push = readPushConfiguration(env, people)
  return [
    ...(mail === undefined ? [] : [() => checkMail(mail)]),
    ...(webhook === undefined ? [] : [() => checkConnection("webhook", webhook.url, "NOTICE_WEBHOOK_URL")]),
    ...(heads === undefined ? [] : [() => checkConnection("record heads", heads.url, "RECORD_HEADS_URL")]),
    ...chats.map(
      ({ url }) =>
        () =>
          checkConnection("chat", url, "NOTICE_CHAT_URL or its file"),
    ),
    ...(push === undefined ? [] : [() => checkPush(push.hosts)]),
  ]
}

async function checkMail({
  server,
  from,
}: NonNullable<ReturnType<typeof readMailConfiguration>>): Promise<CheckLine[]> {
  const { host, port, isSecure } = server()
  const { failed, isEncrypted, answer, error } = await checkMailServer(server(), from.address, {
    connectMs: ANSWER_MS,
    answerMs: ANSWER_MS,
  })
  const place = `${host}, port ${port}`
  if (failed === undefined) {
    const tls = isEncrypted ? "with TLS" : "without TLS (on this machine)"
    return [good("mail", `${place} answers ${tls} and accepts the login`)]
  }
  if (failed === "login") {
    return [bad("mail", `${place} refuses the login (${answer})`, "correct user and password in SMTP_URL or its file")]
  }
  const { found, change } = describeFailure(error, "correct host and port in SMTP_URL or its file")
  const isTls = /TLS|SSL/i.test(answer)
  const scheme = isSecure ? "smtp:// with port 587" : "smtps:// with port 465"
  if (isTls) return [bad("mail", `${place} doesn't offer the required TLS (${answer})`, `try ${scheme} in SMTP_URL`)]
  return [bad("mail", `${place}: ${/^\d/.test(answer) ? `it refuses the desk (${answer})` : found}`, change)]
}

/** A real push host for each wildcard in the default PUSH_HOSTS. */
const EXAMPLES: Readonly<Record<string, string>> = {
  "*.push.services.mozilla.com": "updates.push.services.mozilla.com",
  "*.push.apple.com": "web.push.apple.com",
}

async function checkPush(hosts: readonly string[]): Promise<readonly CheckLine[]> {
  const lines = hosts.map(async (name): Promise<readonly CheckLine[]> => {
    const host = EXAMPLES[name] ?? name
    if (host.startsWith("*.")) return [good("push", `${name} matches many hosts, so none was checked`)]
    return checkConnection("push", new URL(`https://${host}/`), "the firewall, or PUSH_HOSTS")
  })
  return (await Promise.all(lines)).flat()
}

/** Resolves the name and connects, for https with the TLS handshake. */
async function checkConnection(check: string, url: URL, place: string): Promise<readonly CheckLine[]> {
  const isTls = url.protocol === "https:"
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const port = Number(url.port || (isTls ? 443 : 80))
  const socket = isTls ? connectTls({ host, port, servername: host }) : connectTcp({ host, port })
  const signal = AbortSignal.timeout(ANSWER_MS)
  // `once` rejects with the abort, whose cause is the time-out.
  socket.on("error", () => undefined)
  try {
    await once(socket, isTls ? "secureConnect" : "connect", { signal })
    return [good(check, `${host} can be reached; nothing was sent`)]
  } catch (error) {
    const { found, change } = describeFailure(error, `correct ${place}, or let this machine reach ${host}`)
    return [bad(check, `${host}: ${found}`, change)]
  } finally {
    socket.destroy()
  }
}
