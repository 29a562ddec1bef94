import { ConfigurationError } from "../contract/configuration-error.ts"
import { isIPv4, isIPv6 } from "node:net"
import { fileToken, fixedToken, TokenError, type Token } from "./token.ts"

/** A colleague that New Work offers. */
export type Colleague = { readonly id: string; readonly label: string }

/** The service that the 13 operations are forwarded to. */
export type UpstreamConfiguration = {
  /** The `{base_url}`, without a trailing slash. */
  readonly baseUrl: string
  readonly token: Token
  /** The name in `/desk/session`: `embedded`, or the host's name without its port. */
  readonly name: string
}

export type DashboardConfiguration = {
  readonly host: string
  readonly port: number
  /** Names as a Host header has them, in lower case and without a port. */
  readonly allowedHosts: readonly string[]
  /** Undefined: the embedded service. */
  readonly upstream: UpstreamConfiguration | undefined
  /** Undefined: the embedded ones. */
  readonly colleagues: readonly Colleague[] | undefined
  readonly dataFolder: string
}

const DEFAULT_PORT = 4400
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/

/**
 * Reads the dashboard's environment (docs/operating.md). A variable that is empty counts as not set.
 * @throws ConfigurationError when a value is missing or wrong
 */
export function readConfiguration(env: NodeJS.ProcessEnv): DashboardConfiguration {
  const host = readHost(env["HOST"] || "127.0.0.1")
  return {
    host,
    port: readPort(env["PORT"] || String(DEFAULT_PORT)),
    allowedHosts: readAllowedHosts(env["ALLOWED_HOSTS"], host),
    upstream: readUpstream(env),
    colleagues: readColleagues(env["COLLEAGUES"]),
    dataFolder: env["DATA_DIR"] || ".data",
  }
}

function readHost(value: string): string {
  const host = value.toLowerCase().replace(/^\[(.*)\]$/, "$1")
  if (!isLoopback(host)) {
    throw new ConfigurationError(
      "HOST must be a loopback address such as 127.0.0.1: people cannot sign in yet, so nobody else may come in",
    )
  }
  return host
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (!(port <= 65_535)) throw new ConfigurationError("PORT must be a number from 0 to 65535")
  return port
}

function readAllowedHosts(value: string | undefined, host: string): readonly string[] {
  if (!value) return ["localhost", "127.0.0.1", "[::1]", inBrackets(host)]
  const names = value.split(",").flatMap((name) => {
    const trimmed = name.trim().toLowerCase()
    if (trimmed === "") return []
    return isIPv6(trimmed) ? [`[${trimmed}]`] : [trimmed.replace(/:\d+$/, "")]
  })
  if (names.length === 0 || !names.every((name) => HOST_NAME.test(name))) {
    throw new ConfigurationError(
      "ALLOWED_HOSTS must be host names with commas between them, without scheme, path or wildcard",
    )
  }
  return names
}

const inBrackets = (host: string) => (isIPv6(host) ? `[${host}]` : host)

function readUpstream(env: NodeJS.ProcessEnv): UpstreamConfiguration | undefined {
  const value = env["WORK_API_URL"]
  if (!value) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new ConfigurationError(
      "WORK_API_URL must be an address that begins with https:// (or http:// on this machine)",
    )
  }
  if (url.username !== "" || url.password !== "" || /[?#]/.test(value)) {
    throw new ConfigurationError("WORK_API_URL must have no credentials, query or fragment")
  }
  const bareHost = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (url.protocol === "http:" && !isLoopback(bareHost)) {
    throw new ConfigurationError(
      "WORK_API_URL must be https, for the credential would travel in the clear: plain http is for this machine only",
    )
  }
  return { baseUrl: url.origin + url.pathname.replace(/\/+$/, ""), name: url.hostname, token: readToken(env) }
}

function readToken(env: NodeJS.ProcessEnv): Token {
  const text = env["WORK_API_TOKEN"]
  const file = env["WORK_API_TOKEN_FILE"]
  if (text && file) throw new ConfigurationError("WORK_API_TOKEN and WORK_API_TOKEN_FILE are both set: set one of them")
  if (file) return named("WORK_API_TOKEN_FILE", () => fileToken(file))
  if (text) return named("WORK_API_TOKEN", () => fixedToken(text))
  throw new ConfigurationError("WORK_API_TOKEN or WORK_API_TOKEN_FILE is required with WORK_API_URL")
}

function named(variable: string, read: () => Token): Token {
  try {
    return read()
  } catch (error) {
    if (error instanceof TokenError) throw new ConfigurationError(`${variable} ${error.message}`)
    throw error
  }
}

function readColleagues(value: string | undefined): readonly Colleague[] | undefined {
  if (!value) return undefined
  const colleagues = value
    .split(",")
    .filter((item) => item.trim() !== "")
    .map((item) => {
      const [id = "", ...label] = item.split("=")
      return { id: id.trim(), label: label.join("=").trim() }
    })
  const isWhole = colleagues.every(({ id, label }) => id !== "" && label !== "")
  if (!isWhole || colleagues.length === 0 || new Set(colleagues.map(({ id }) => id)).size < colleagues.length) {
    throw new ConfigurationError("COLLEAGUES must be id=Label pairs with commas between them, each id once")
  }
  return colleagues
}
