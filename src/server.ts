/**
 * START HERE: environment → store and people → upstream or embedded service → record → server with the watcher → listen.
 * `npm start` serves the built app. With `--dev` (`npm run dev`) Vite serves the app's sources, with hot reload.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import packageFile from "../package.json" with { type: "json" }
import { isStartedWith, runAsCommand } from "./commands/command.ts"
import { ConfigurationError } from "./platform/configuration-error.ts"
import { RereadFiles } from "./platform/reread-files.ts"
import { openLog } from "./platform/log.ts"
import { openUpstream } from "./open-upstream.ts"
import { addressOf, describeStart, formatDescription, readServiceState } from "./start-description.ts"
import { openDatabase } from "./desk/store/open-store.ts"
import { lockSqlite } from "./desk/store/sqlite-store.ts"
import { unknownVariables } from "./desk/known-variables.ts"
import { readConfiguration } from "./desk/http/desk-configuration.ts"
import { HeadSending } from "./desk/notices/head-sending.ts"
import { Metrics, serveMetrics } from "./desk/http/metrics.ts"
import { startHeads, startPeople, startRecord } from "./desk/start-people.ts"
import { startDeskServer } from "./desk/desk.ts"
import type { Timeouts } from "./desk/proxy/upstream.ts"
import { inBackground, logBackgroundFailures } from "./platform/background.ts"

const ROOT = join(import.meta.dirname, "..")
const { version } = packageFile

/** What stops the desk from closing by then is left open, because the process has to end within 10 s. */
const STOP_MS = 9_500

export type RunningDesk = {
  readonly url: string
  /**
   * Logs the address, and within 5 s, as soon as the service has answered, a description of the desk (at LOG_LEVEL info) and a warning if the
   * service refuses the desk or doesn't answer. On a terminal, address and description are printed together as plain lines.
   */
  announce(): void
  /** Serves requests for DRAIN_SECONDS, then lets requests in progress finish and ends the streams, within 10 s. */
  stop(): Promise<void>
}

export type StartOptions = {
  /** Called with each line of the log. Left out: the log goes to standard output. */
  readonly log?: (line: string) => void
  /** Whether Vite serves the app's sources instead of the built files. */
  readonly dev?: boolean
  /** How long the desk waits for the upstream and for viewers. Left out: the times of desk/proxy/upstream.ts. */
  readonly timeouts?: Timeouts
}

/** Starts the desk with the variables of `environment`. @throws ConfigurationError that names the variable whose value is missing or wrong */
export async function startDesk(environment: NodeJS.ProcessEnv, options: StartOptions = {}): Promise<RunningDesk> {
  const files = new RereadFiles()
  const configuration = readConfiguration(environment, files)
  const log = openLog(configuration.logLevel, options.log && { write: options.log })
  logBackgroundFailures(log)
  // Closes everything that was opened, in reverse order, when the start fails.
  await using opened = new AsyncDisposableStack()
  files.onFault = (sentence) => log.warn({}, sentence)
  opened.defer(() => files.stop())
  const metrics = configuration.metrics && new Metrics()
  for (const sentence of unknownVariables(environment)) log.warn({}, sentence)
  if (configuration.databaseUrl === undefined) opened.use(lockSqlite(configuration.dataFolder))
  const database = await openDatabase(configuration, { onCall: metrics?.countStoreCall })
  opened.defer(() => database.close())
  const people = startPeople(configuration, database, { log, files })
  opened.defer(() => people.stop())
  const { upstream, colleagues, stop } = await openUpstream(configuration, environment, log)
  opened.defer(stop)
  const heads = await startHeads(configuration.recordKey, database, { log, metrics })
  const { headReceiver: receiver } = configuration
  const holder = randomUUID()
  const sending = receiver && new HeadSending({ database, holder, receiver, log })
  // After the record, so that the last head has the last row.
  opened.defer(async () => {
    await heads.stop()
    await sending?.finish()
  })
  const record = startRecord(people, database, { log, metrics }, heads)
  opened.defer(() => record.stop())
  const vite = options.dev === true ? await startVite() : undefined
  opened.defer(() => vite?.close())
  const server = await startDeskServer({
    configuration,
    publicUrl: configuration.people.mode === "sign-in" ? configuration.people.publicUrl : undefined,
    upstream,
    colleagues,
    version,
    people,
    record,
    database,
    files,
    notices: configuration.notices,
    heads: sending && { holder, sending },
    limits: configuration.limits,
    distFolder: join(ROOT, "dist"),
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
    ...(vite === undefined ? {} : { fallback: vite.middlewares }),
    log,
    metrics,
  })
  opened.defer(() => server.stop())
  if (metrics !== undefined && configuration.metrics !== undefined) {
    const served = await serveMetrics(metrics, configuration.metrics)
    opened.defer(() => served.stop())
  }
  // The start has not failed, so from here only `stop` closes what was opened.
  const running = opened.move()
  return {
    url: server.url,
    announce() {
      const listens = `listening on ${server.url}`
      const address = addressOf(configuration, server.url)
      const message = `Workdesk is at ${address.startsWith("https:") ? `${address}, ${listens}` : server.url}`
      const isTerminal = options.log === undefined && process.stdout.isTTY
      const isDescribed = ["debug", "info"].includes(configuration.logLevel)
      if (!isTerminal) log.always({}, message)
      else if (!isDescribed) console.log(message)
      log.flush()
      inBackground(async () => {
        const service =
          configuration.upstream === undefined ? {} : await readServiceState(upstream.name, () => server.askUpstream())
        const description = describeStart({ configuration, people, url: server.url, version, service })
        if (!isTerminal) log.info(description, "started")
        // In one write, so that no line of the log comes between.
        else if (isDescribed) console.log(`${message}\n${formatDescription(description)}`)
        if (service.warning !== undefined) log.warn({}, service.warning)
        log.flush()
      })
    },
    async stop() {
      server.drain()
      await delay(configuration.drainSeconds * 1_000)
      // A store that has vanished would keep its connections open for minutes.
      await Promise.race([running.disposeAsync(), delay(STOP_MS)])
    },
  }
}

async function startVite() {
  const { createServer } = await import("vite")
  return createServer({ root: ROOT, server: { middlewareMode: true }, appType: "spa" })
}

/** Runs the desk in this process until SIGTERM or SIGINT. `npm start` gives the process's environment, `npm run demo` another. */
export async function runDesk(environment: NodeJS.ProcessEnv, options: StartOptions = {}): Promise<void> {
  try {
    const desk = await startDesk(environment, options)
    const end = async () => {
      await desk.stop()
      process.exit(0)
    }
    let ending: Promise<void> | undefined
    // A second signal does not cut the requests that the first one lets finish.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void (ending ??= end()))
    // Announced last, because whoever reads the address may send a signal at once.
    desk.announce()
  } catch (error) {
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n", 1)
    console.error(`workdesk: ${error instanceof ConfigurationError ? "" : "the start failed: "}${reason}`)
    process.exit(1)
  }
}

const USAGE = `Workdesk: the desk where people look after Work delegated to automated colleagues.

  npm start                 serve the desk on http://127.0.0.1:4400
  node src/server.ts        the same, once the app is built

Options
  --check                   check everything needed to start, and change nothing; --json prints JSON
  --dev                     serve the sources of the app, with hot reload
  --version                 print the version
  --help                    print this text

Environment (details in docs/reference.md)
  HOST, PORT                where to listen; unset: 127.0.0.1, 4400
  WORK_API_URL              the address of the Work Delegation API; unset: the embedded service
  WORK_API_TOKEN(_FILE)     the bearer token for WORK_API_URL, or the file that holds it
  DATA_DIR                  the data folder; unset: .data
  DESK_DATABASE_URL(_FILE)  a PostgreSQL database for several desks; unset: SQLite in DATA_DIR
  RECORD_HEADS_URL, RECORD_HEADS_SECRET(_FILE)
                            where signed heads of the record are posted
  RECORD_KEY_FILE           the key that signs heads of the record; unset: made in DATA_DIR or the database
  OIDC_ISSUER               the identity provider; unset: one person without sign-in, on this machine
  OIDC_CLIENT_ID, OIDC_CLIENT_SECRET(_FILE), OIDC_CLIENT_SECRET_IN, OIDC_SCOPES, OIDC_GROUPS_CLAIM,
  PUBLIC_URL, ACCESS_FILE, SESSION_IDLE, SESSION_MAX
                            sign-in, roles and sessions
  SMTP_URL(_FILE), NOTICE_FROM, NOTICE_BATCH
                            mail to people about pending items and their own Work
  NOTICE_WEBHOOK_URL, NOTICE_WEBHOOK_SECRET(_FILE)
                            a signed webhook for the whole desk
  NOTICE_CHAT_URL(_FILE)    messages to chats
  NOTICE_CONTACT, PUSH_HOSTS
                            push to people's devices
  ALLOWED_HOSTS, COLLEAGUES, LOG_LEVEL, DRAIN_SECONDS, METRICS_PORT, METRICS_HOST,
  PERSON_REQUESTS_PER_MINUTE, CLIENT_REQUESTS_PER_MINUTE, UPSTREAM_STREAMS,
  TRUSTED_PROXIES, KNOWN_DESTINATIONS_DAYS, SERVICE_CONFIG, RETENTION_DAYS`

if (isStartedWith(import.meta.filename)) {
  const options = {
    check: { type: "boolean" },
    json: { type: "boolean" },
    dev: { type: "boolean" },
    version: { type: "boolean" },
  } as const
  await runAsCommand({ usage: USAGE, options }, async (values, ...others) => {
    const { check, json, dev = false } = values
    if (others.length > 0 || (json === true && check !== true)) return "usage"
    if (values.version === true) console.log(version)
    else if (check === true) {
      const { runChecks, printChecks } = await import("./commands/check/run-checks.ts")
      return printChecks(await runChecks(process.env), json === true ? "json" : "text")
    } else await runDesk(process.env, { dev })
    return 0
  })
}
