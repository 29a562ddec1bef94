/** Reads the variables of the desk: address, allowed hosts, limits and the upstream. */
import { isIPv6 } from "node:net"
import { isLoopback } from "../../platform/protected-url.ts"
import { demand, readNumber, readUrl } from "../../platform/environment.ts"
import { readSecret, RereadFiles } from "../../platform/reread-files.ts"
import { readLogLevel } from "../../platform/log.ts"
import { readChannels } from "../notices/channels.ts"
import { readHeadReceiver } from "../notices/channels/webhook.ts"
import { readPeopleConfiguration, type PeopleConfiguration } from "../people/sign-in-configuration.ts"
import { originOf } from "../record/heads/head-note.ts"
import { readKeyPlace } from "../record/heads/record-key.ts"
import { readDatabaseUrl } from "../store/open-store.ts"
import { readTrustedProxies } from "../../platform/http/client-address.ts"
import { currentToken, parseToken, type Token } from "../proxy/token.ts"

/** A colleague that New Work offers. */
export type OfferedColleague = {
  readonly id: string
  readonly label: string
  /** What the colleague does, in a few words. */
  readonly does?: string
}

/** The service that gets the requests for the 13 operations. */
export type UpstreamConfiguration = {
  /** The base address, without a trailing slash. */
  readonly baseUrl: string
  readonly token: Token
  /** The name in `/desk/session`: `embedded`, or the host's name without its port. */
  readonly name: string
}

export type DeskConfiguration = ReturnType<typeof readConfiguration>

const DEFAULT_PORT = 4400
const PORT_MAX = 65_535
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/

/**
 * Reads the desk's environment (docs/reference.md). An empty variable counts as not set, but an empty TRUSTED_PROXIES and empty variables of
 * sign-in and notices are faults.
 * @throws ConfigurationError when a value is missing or wrong
 */
export function readConfiguration(env: NodeJS.ProcessEnv, files = new RereadFiles()) {
  const people = readPeopleConfiguration(env, files)
  const host = readHost(env["HOST"] || "127.0.0.1", people)
  const dataFolder = env["DATA_DIR"] || ".data"
  const databaseUrl = readDatabaseUrl(env, files)
  return {
    host,
    port: readNumber(env, "PORT", 0, PORT_MAX) ?? DEFAULT_PORT,
    /** Names as a Host header has them, in lower case and without a port. */
    allowedHosts: readAllowedHosts(env["ALLOWED_HOSTS"], host, people),
    /** Undefined: the embedded service. */
    upstream: readUpstream(env, files),
    /** Undefined: those of the embedded service, and none for another upstream. */
    colleagues: readColleagues(env["COLLEAGUES"]),
    dataFolder,
    /** The address of PostgreSQL as it is now. Undefined: SQLite in the data folder. */
    databaseUrl,
    /** The key that signs heads of the record, and what these heads are named after. */
    recordKey: {
      place: readKeyPlace(env, { dataFolder, databaseUrl }),
      origin: originOf(people.mode === "sign-in" ? people.publicUrl : undefined),
    },
    people,
    notices: readChannels(env, people, files),
    /** Where signed heads of the record are posted. Undefined if they aren't posted. */
    headReceiver: readHeadReceiver(env, files),
    logLevel: readLogLevel(env["LOG_LEVEL"]),
    limits: readLimits(env),
    trustedProxies: readTrustedProxies(env["TRUSTED_PROXIES"]),
    /** Destinations that were not seen for so many days are forgotten. Undefined: none. */
    knownDestinationsDays: readNumber(env, "KNOWN_DESTINATIONS_DAYS", 1, 36_500),
    /** How long requests are served after SIGTERM, while `/desk/ready` is 503. */
    drainSeconds: readNumber(env, "DRAIN_SECONDS", 0, 3_600) ?? 0,
    /** The address of `/metrics`. Undefined: it isn't served. */
    metrics: readMetrics(env),
  }
}

/** How many requests a minute and how many streams are allowed. */
export type Limits = ReturnType<typeof readLimits>

/** @throws ConfigurationError */
export function readLimits(env: NodeJS.ProcessEnv) {
  return {
    /** Reads of one person; a fifth as many mutations. Undefined: a quarter of the reads that the upstream allows the desk. Local mode has no limit. */
    personRequestsPerMinute: readNumber(env, "PERSON_REQUESTS_PER_MINUTE", 1, 1_000_000),
    /** Requests of one client without a session. */
    clientRequestsPerMinute: readNumber(env, "CLIENT_REQUESTS_PER_MINUTE", 1, 1_000_000) ?? 300,
    /** Streams that are open to the upstream at the same time, for all desks of the store together. */
    upstreamStreams: readNumber(env, "UPSTREAM_STREAMS", 1, 10_000) ?? 12,
  }
}

function readHost(value: string, people: PeopleConfiguration): string {
  const host = withoutBrackets(value.toLowerCase())
  demand(
    people.mode === "sign-in" || isLoopback(host),
    "HOST must be a loopback address such as 127.0.0.1, unless OIDC_ISSUER is set",
  )
  return host
}

function readMetrics(env: NodeJS.ProcessEnv): { host: string; port: number } | undefined {
  const port = readNumber(env, "METRICS_PORT", 0, PORT_MAX)
  if (port !== undefined) return { host: withoutBrackets(env["METRICS_HOST"] || "127.0.0.1"), port }
  demand(!env["METRICS_HOST"], "METRICS_HOST is set, but METRICS_PORT is not")
  return undefined
}

function readAllowedHosts(value: string | undefined, host: string, people: PeopleConfiguration): readonly string[] {
  if (!value) {
    return people.mode === "local" ? ["localhost", "127.0.0.1", "[::1]", inBrackets(host)] : [people.publicUrl.hostname]
  }
  const names = value.split(",").flatMap((name) => {
    const trimmed = name.trim().toLowerCase()
    if (trimmed === "") return []
    return isIPv6(trimmed) ? [`[${trimmed}]`] : [trimmed.replace(/:\d+$/, "")]
  })
  demand(
    names.length > 0 && names.every((name) => HOST_NAME.test(name)),
    "ALLOWED_HOSTS must be host names separated by commas, without scheme, path or wildcard",
  )
  demand(
    people.mode === "local" || names.includes(people.publicUrl.hostname),
    "ALLOWED_HOSTS must include the host of PUBLIC_URL, or nobody can reach the desk",
  )
  return names
}

const inBrackets = (host: string) => (isIPv6(host) ? `[${host}]` : host)

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, "$1")

function readUpstream(env: NodeJS.ProcessEnv, files: RereadFiles): UpstreamConfiguration | undefined {
  const value = env["WORK_API_URL"]
  if (!value) {
    // Without this check a missing address would start the embedded service.
    const token = ["WORK_API_TOKEN", "WORK_API_TOKEN_FILE"].find((name) => env[name])
    demand(token === undefined, `${token} is set, but WORK_API_URL is not`)
    return undefined
  }
  const url = readUrl("WORK_API_URL", value, ["path"])
  return { baseUrl: url.origin + url.pathname.replace(/\/+$/, ""), name: url.hostname, token: readToken(env, files) }
}

function readToken(env: NodeJS.ProcessEnv, files: RereadFiles): Token {
  const nonEmpty = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""))
  const read = readSecret(nonEmpty, "WORK_API_TOKEN", files, parseToken)
  demand(read !== undefined, "WORK_API_TOKEN or WORK_API_TOKEN_FILE is required with WORK_API_URL")
  return currentToken(read)
}

/** Reads `id=Label|what it does` with commas between the colleagues. `\,` and `\|` are literal. */
function readColleagues(value: string | undefined): readonly OfferedColleague[] | undefined {
  if (!value) return undefined
  const colleagues = splitAt(",", value)
    .filter((item) => item.trim() !== "")
    .map((item) => {
      const [named = "", ...does] = splitAt("|", item)
      const [id = "", ...label] = named.split("=")
      const colleague = { id: unescaped(id), label: unescaped(label.join("=")) }
      return does.length === 0 ? colleague : { ...colleague, does: unescaped(does.join("|")) }
    })
  const areComplete = colleagues.every((each) => Object.values(each).every((text) => text !== ""))
  const areDistinct = new Set(colleagues.map(({ id }) => id)).size === colleagues.length
  demand(
    areComplete && areDistinct && colleagues.length > 0,
    "COLLEAGUES must be id=Label or id=Label|what it does, separated by commas, each id once",
  )
  return colleagues
}

/** Splits a text at a separator that has no backslash before it. */
const splitAt = (separator: "," | "|", text: string) => text.split(new RegExp(`(?<!\\\\)\\${separator}`))

const unescaped = (text: string) => text.replaceAll(/\\([,|])/g, "$1").trim()
