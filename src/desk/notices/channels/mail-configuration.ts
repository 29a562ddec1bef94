/** Reads the environment variables of mail: `SMTP_URL`, `NOTICE_FROM`. */
import type { PeopleConfiguration } from "../../people/sign-in-configuration.ts"
import { isLoopback } from "../../../platform/protected-url.ts"
import { demand, type Environment, required } from "../../../platform/environment.ts"
import { FileFault, readSecret, type RereadFiles } from "../../../platform/reread-files.ts"
import { readBatch } from "../leave-times.ts"
import { type From, readFrom } from "./mail-text.ts"

export type MailConfiguration = {
  /** The server of SMTP_URL, or of the last good content of its file. */
  readonly server: () => MailServer
  readonly from: From
  /** How long a first item waits for more before a mail "at once" leaves. */
  readonly batchMs: number
  /** The address that browsers use: an origin. */
  readonly publicUrl: URL
}

export type MailServer = {
  readonly host: string
  readonly port: number
  /** Whether the connection begins with TLS. Otherwise STARTTLS is demanded, except to this machine. */
  readonly isSecure: boolean
  readonly isLoopback: boolean
  readonly auth: { readonly user: string; readonly pass: string } | undefined
}

const DEFAULT_PORTS = { smtp: 587, smtps: 465 }

/** Undefined: the desk sends no mail. @throws ConfigurationError */
export function readMailConfiguration(
  env: Environment,
  people: PeopleConfiguration,
  files: RereadFiles,
): MailConfiguration | undefined {
  const server = readSecret(env, "SMTP_URL", files, readMailServer)
  if (server === undefined) {
    demand(env["NOTICE_FROM"] === undefined, "NOTICE_FROM is set, but SMTP_URL is not")
    return undefined
  }
  demand(people.mode === "sign-in", "SMTP_URL needs sign-in: set OIDC_ISSUER, so that people have addresses")
  const from = readFrom(required(env, "NOTICE_FROM", "SMTP_URL"))
  demand(from !== undefined, "NOTICE_FROM must be an address such as desk@example.com or Workdesk <desk@example.com>")
  return { server, from, batchMs: readBatch(env), publicUrl: people.publicUrl }
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
