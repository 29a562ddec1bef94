/** Reads the environment variables of notices: `SMTP_URL`, `NOTICE_FROM`, `NOTICE_BATCH`, `NOTICE_WEBHOOK_URL`, `NOTICE_WEBHOOK_SECRET`. */
import { ConfigurationError, isLoopback, isProtected, parseDuration } from "../platform/configuration-error.ts"
import { FileFault, readSecret, RereadFiles } from "../platform/reread-files.ts"
import type { PeopleConfiguration } from "../people/sign-in-configuration.ts"
import { readSender, type Sender } from "./mail-text.ts"

export type MailConfiguration = {
  /** The server of SMTP_URL, or of the last good content of its file. */
  readonly server: () => MailServer
  readonly from: Sender
  /** How long a first item waits for more before a mail "at once" leaves. */
  readonly batchMs: number
  /** The address that browsers use: an origin. */
  readonly publicUrl: URL
}

/** `keys` are the secrets that sign. There are two while one replaces the other. */
export type WebhookConfiguration = { readonly url: URL; readonly keys: () => readonly Buffer[] }

/** The channels of notices (`docs/operating.md`). A channel that is undefined is not used. */
export type NoticesConfiguration = {
  readonly mail: MailConfiguration | undefined
  readonly webhook: WebhookConfiguration | undefined
}

/** A mail server of SMTP_URL. */
export type MailServer = {
  readonly host: string
  readonly port: number
  /** Whether the connection begins with TLS. Otherwise STARTTLS is demanded, except to this machine. */
  readonly isSecure: boolean
  readonly isLoopback: boolean
  readonly auth: { readonly user: string; readonly pass: string } | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const BATCH_MAX_MS = 15 * 60_000
const DEFAULT_PORTS = { smtp: 587, smtps: 465 }

/**
 * Reads the channels of notices from the environment. A variable that is set and empty is an error.
 * @throws ConfigurationError in one line that names the variable and repeats no value
 */
export function readNoticesConfiguration(
  env: Environment,
  people: PeopleConfiguration,
  files = new RereadFiles(),
): NoticesConfiguration {
  return { mail: readMail(env, people, files), webhook: readWebhook(env, files) }
}

function readMail(env: Environment, people: PeopleConfiguration, files: RereadFiles): MailConfiguration | undefined {
  const server = readSecret(env, "SMTP_URL", files, readMailServer)
  if (server === undefined) {
    for (const name of ["NOTICE_FROM", "NOTICE_BATCH"]) {
      if (env[name] !== undefined) throw new ConfigurationError(`${name} is set, but SMTP_URL is not`)
    }
    return undefined
  }
  if (people.mode === "local") {
    throw new ConfigurationError("SMTP_URL needs sign-in: set OIDC_ISSUER, so that people have addresses")
  }
  const from = readSender(required(env, "NOTICE_FROM", "SMTP_URL"))
  if (from === undefined) {
    throw new ConfigurationError(
      "NOTICE_FROM must be an address such as desk@example.com or Workdesk <desk@example.com>",
    )
  }
  const batchMs = parseDuration(env["NOTICE_BATCH"] ?? "2m")
  if (batchMs === undefined || batchMs > BATCH_MAX_MS) {
    throw new ConfigurationError("NOTICE_BATCH must be a whole number with s or m, such as 2m: from 0s to 15m")
  }
  return { server, from, batchMs, publicUrl: people.publicUrl }
}

function readWebhook(env: Environment, files: RereadFiles): WebhookConfiguration | undefined {
  const text = env["NOTICE_WEBHOOK_URL"]
  const keys = readSecret(env, "NOTICE_WEBHOOK_SECRET", files, readWebhookKeys)
  if (text === undefined) {
    if (keys !== undefined) {
      throw new ConfigurationError("NOTICE_WEBHOOK_SECRET or its file is set, but NOTICE_WEBHOOK_URL is not")
    }
    return undefined
  }
  const url =
    /^https?:\/\/[^@/?#\\\s]+(?:[/?][^#\\\s]*)?$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !isProtected(url)) {
    throw new ConfigurationError(
      "NOTICE_WEBHOOK_URL must be an address that begins with https:// (or http:// on this machine), without user and fragment",
    )
  }
  if (keys === undefined) throw new ConfigurationError("NOTICE_WEBHOOK_SECRET is required with NOTICE_WEBHOOK_URL")
  return { url, keys }
}

function required(env: Environment, name: string, because: string): string {
  const value = env[name]
  if (value === undefined) throw new ConfigurationError(`${name} is required with ${because}`)
  return value
}

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i

const MAIL_SERVER_EXPECTED =
  "must be an address such as smtps://user:password@mail.example:465 or smtp://mail.example:587, without path and query"

/** Reads the text of SMTP_URL. @throws FileFault */
export function readMailServer(text: string): MailServer {
  const trimmed = text.trim()
  const isAddress = /^smtps?:\/\/[^/?#\\\s]+$/i.test(trimmed) && URL.canParse(trimmed)
  if (!isAddress) throw new FileFault(MAIL_SERVER_EXPECTED)
  const { protocol, hostname, port, username, password } = new URL(trimmed)
  const [user, pass] = [decode(username), decode(password)]
  const isSecure = protocol === "smtps:"
  const isPasswordAlone = user === "" && pass !== ""
  if (!HOST.test(hostname) || port === "0" || user === undefined || pass === undefined || isPasswordAlone) {
    throw new FileFault(MAIL_SERVER_EXPECTED)
  }
  const host = hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase()
  return {
    host,
    port: port === "" ? DEFAULT_PORTS[isSecure ? "smtps" : "smtp"] : Number(port),
    isSecure,
    isLoopback: isLoopback(host),
    auth: user === "" ? undefined : { user, pass },
  }
}

function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text)
    return /\p{Cc}/u.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}

const KEY = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** Reads the text of NOTICE_WEBHOOK_SECRET: one or two keys. @throws FileFault */
export function readWebhookKeys(text: string): readonly Buffer[] {
  const parts = text.trim().split(" ")
  const keys = parts.flatMap((part) => {
    const base64 = KEY.exec(part)?.[1]
    const key = base64 === undefined ? undefined : Buffer.from(base64, "base64")
    return key !== undefined && key.length >= 24 && key.length <= 64 ? [key] : []
  })
  if (keys.length === parts.length && keys.length <= 2) return keys
  throw new FileFault(
    "must be whsec_ and base64 of 24 to 64 bytes; two secrets may stand there with a space between them, while one replaces the other",
  )
}
