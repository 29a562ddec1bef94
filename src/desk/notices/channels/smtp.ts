/** Hands one mail to the mail server, and says what the server answered. */
import { domainToASCII } from "node:url"
import MailComposer from "nodemailer/lib/mail-composer"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import type { MailServer } from "./mail-configuration.ts"
import type { Mail } from "./mail-text.ts"

/** What the mail server did with a mail. `answer` is a code such as 250, 550 or ECONNREFUSED: a server's text may hold an address. */
export type SmtpResult = {
  /**
   * `accepted`: the server took the mail. `refused`: it refused the address for good. `deferred`: it did not take this mail now, or the
   * connection broke off, so that the mail may have arrived. `unavailable`: the server takes no mail at all.
   */
  readonly kind: "accepted" | "refused" | "deferred" | "unavailable"
  readonly answer: string
  /** The server's own words, for the person who runs a command. Not for a log. */
  readonly text: string
}

export type SmtpTimes = { readonly connectMs: number; readonly answerMs: number }

const TIMES: SmtpTimes = { connectMs: 30_000, answerMs: 60_000 }

type Connected = {
  readonly connection: SMTPConnection
  /** Resolves with what the server answered to a command, and rejects when the connection breaks. */
  readonly until: <Result>(
    begin: (done: (error?: Error | null, result?: Result) => void) => void,
  ) => Promise<Result | undefined>
}

/** Prepares a connection without connecting. The desk greets with the domain of `from`. */
function prepareConnection(server: MailServer, from: string, times: SmtpTimes): Connected {
  const connection = new SMTPConnection({
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    requireTLS: !server.isSecure && !server.isLoopback,
    // A mail to a server on this machine does not leave the machine, so the server's certificate needs no authority.
    ...(server.isLoopback && !server.isSecure ? { opportunisticTLS: true, tls: { rejectUnauthorized: false } } : {}),
    connectionTimeout: times.connectMs,
    dnsTimeout: times.connectMs,
    greetingTimeout: times.answerMs,
    socketTimeout: times.answerMs,
    name: from.slice(from.lastIndexOf("@") + 1),
  })
  const broken = Promise.withResolvers<never>()
  connection.on("error", broken.reject)
  // The error may come when nothing waits for it. Without this, Node would end the process.
  broken.promise.catch(() => undefined)
  return {
    connection,
    until<Result>(begin: (done: (error?: Error | null, result?: Result) => void) => void) {
      const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>()
      begin((error, result) => (error === undefined || error === null ? resolve(result) : reject(error)))
      return Promise.race([promise, broken.promise])
    },
  }
}

export type MailServerCheck = {
  /** The step that failed. Undefined: the server accepts this desk. */
  readonly failed: "connect" | "login" | undefined
  readonly isEncrypted: boolean
  /** A code such as 535 or ETLS. */
  readonly answer: string
  readonly error?: unknown
}

/** Connects to the mail server and logs in as `sendMail` does, but sends nothing. Never rejects for what the server does. */
export async function checkMailServer(server: MailServer, from: string, times: SmtpTimes): Promise<MailServerCheck> {
  const { connection, until } = prepareConnection(server, toEnvelope(from), times)
  const { auth } = server
  let step: "connect" | "login" = "connect"
  try {
    await until((done) => connection.connect(done))
    step = "login"
    if (auth !== undefined) await until((done) => connection.login(auth, done))
    connection.quit()
    return { failed: undefined, isEncrypted: connection.secure, answer: "250" }
  } catch (error) {
    return { failed: step, isEncrypted: connection.secure, answer: describe(error).answer, error }
  } finally {
    setTimeout(() => connection.close(), 1_000).unref()
  }
}

/** Sends a mail on a new connection. Never rejects for what the server does. */
export async function sendMail(server: MailServer, mail: Mail, times: SmtpTimes = TIMES): Promise<SmtpResult> {
  const message = await writeMessage(mail)
  const [from, to] = [toEnvelope(mail.from.address), toEnvelope(mail.to)]
  const { connection, until } = prepareConnection(server, from, times)
  try {
    const { auth } = server
    let takesUnicode = false
    try {
      await until((done) => connection.connect(done))
      takesUnicode = /[ -]SMTPUTF8\b/i.test(String(connection.lastServerResponse))
      if (auth !== undefined) await until((done) => connection.login(auth, done))
    } catch (error) {
      return { kind: "unavailable", ...describe(error) }
    }
    // Without SMTPUTF8 (RFC 6531) a server may drop the mail, or send it to somebody else, although it accepts the command.
    if (!takesUnicode && !(isAscii(from) && isAscii(to))) {
      connection.quit()
      return { kind: isAscii(from) ? "refused" : "unavailable", answer: NO_UNICODE, text: NO_UNICODE }
    }
    const envelope = { from, to: [to], size: message.length }
    const info = await until<{ readonly response: string }>((done) => connection.send(envelope, message, done))
    connection.quit()
    return { kind: "accepted", answer: codeIn(info?.response) ?? "250", text: info?.response ?? "" }
  } catch (error) {
    return { kind: kindOf(error), ...describe(error) }
  } finally {
    // After `quit` the connection closes by itself. After a failure it may stay open.
    setTimeout(() => connection.close(), 1_000).unref()
  }
}

const NO_UNICODE = "no SMTPUTF8"

const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

/** An address as the commands to the server have it: the domain in punycode, unless the part before it needs SMTPUTF8 anyway. */
function toEnvelope(address: string): string {
  const at = address.lastIndexOf("@")
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  return isAscii(local) ? `${local}@${domainToASCII(domain) || domain}` : address
}

async function writeMessage({ messageId, from, to, subject, text, unsubscribe }: Mail): Promise<Buffer> {
  const composed = new MailComposer({
    from,
    to: { name: "", address: to },
    subject,
    messageId: `<${messageId}>`,
    text,
    headers: {
      "Auto-Submitted": "auto-generated",
      ...(unsubscribe !== undefined && {
        "List-Unsubscribe": { prepared: true, value: `<${unsubscribe}>` },
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composed.compile().build()
}

/** The server shuts down, whatever the mail (RFC 5321). */
const SERVICE_CLOSES = 421

/** What a failure means, once the desk has signed in to the server. */
function kindOf(error: unknown): SmtpResult["kind"] {
  const code = numberIn(error, "responseCode")
  if (code === SERVICE_CLOSES) return "unavailable"
  const [rejected] =
    error instanceof Error && "rejectedErrors" in error && Array.isArray(error.rejectedErrors)
      ? error.rejectedErrors
      : []
  if (rejected !== undefined) return (numberIn(rejected, "responseCode") ?? 0) >= 500 ? "refused" : "deferred"
  // A server that refuses the sender refuses every mail.
  return textIn(error, "command") === "MAIL FROM" && code !== undefined ? "unavailable" : "deferred"
}

function describe(error: unknown): Pick<SmtpResult, "answer" | "text"> {
  const code = numberIn(error, "responseCode")
  const answer =
    code === undefined ? (textIn(error, "originalCode") ?? textIn(error, "code") ?? "failed") : String(code)
  return { answer, text: textIn(error, "response") ?? answer }
}

function codeIn(response: string | undefined): string | undefined {
  return /^\d{3}/.exec(response ?? "")?.[0]
}

function numberIn(error: unknown, name: string): number | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined
  return typeof value === "number" ? value : undefined
}

function textIn(error: unknown, name: string): string | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined
  return typeof value === "string" && value !== "" ? value : undefined
}
