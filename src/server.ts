/**
 * START HERE: environment → upstream or embedded service → people and their store → proxy → listen.
 * `npm start` serves the built app; with `--dev` (`npm run dev`) Vite serves its sources, with hot reload.
 */
import { randomBytes } from "node:crypto"
import { realpathSync } from "node:fs"
import { join } from "node:path"
import packageFile from "../package.json" with { type: "json" }
import { colleagues as embeddedColleagues } from "./colleagues/registry.ts"
import { ConfigurationError } from "./contract/configuration-error.ts"
import { openLog, type Log } from "./contract/log.ts"
import { localPeople, openPeople } from "./people/open-people.ts"
import type { People } from "./people/people.ts"
import type { DeskRecord } from "./people/record/interface.ts"
import { openRecord } from "./people/record/record.ts"
import { type Database, StoreUnavailableError } from "./people/store/database.ts"
import { openDatabase } from "./people/store/open.ts"
import {
  type Colleague,
  type DashboardConfiguration,
  readConfiguration,
  type UpstreamConfiguration,
} from "./proxy/config.ts"
import { startProxy } from "./proxy/proxy.ts"
import { CALLBACK_PATH } from "./proxy/sign-in.ts"
import { fixedToken } from "./proxy/token.ts"
import { type RunningService, startService } from "./service/service.ts"
import { DataFolderError } from "./service/store/open.ts"

const ROOT = join(import.meta.dirname, "..")

export type RunningDesk = {
  readonly url: string
  /** Lets requests in progress finish and ends the streams; done within 10 s. */
  stop(): Promise<void>
}

export type StartOptions = {
  /** Receives each line that the dashboard logs. Left out: standard output. */
  readonly log?: (line: string) => void
  /** Whether Vite serves the app's sources instead of the built files. */
  readonly dev?: boolean
}

/**
 * Starts the dashboard that `environment` describes.
 * @throws ConfigurationError naming the variable whose value is missing or wrong
 */
export async function startDesk(environment: NodeJS.ProcessEnv, options: StartOptions = {}): Promise<RunningDesk> {
  const configuration = readConfiguration(environment)
  const log = openLog(configuration.logLevel, options.log && { write: options.log })
  // Closes what has been opened, the last first: after a start that fails, and at the end.
  await using opened = new AsyncDisposableStack()
  const database = await openDatabase(configuration)
  opened.defer(() => database.close())
  const people = startPeople(configuration, database, log)
  opened.defer(() => people.stop())
  const { upstream, colleagues, stop } = await openUpstream(configuration, environment["SERVICE_CONFIG"])
  opened.defer(stop)
  const record = startRecord(people, database, log)
  opened.defer(() => record.stop())
  const vite = options.dev === true ? await startVite() : undefined
  opened.defer(() => vite?.close())
  const proxy = await startProxy({
    configuration,
    upstream,
    colleagues,
    version: packageFile.version,
    people,
    record,
    database,
    limits: configuration.limits,
    distFolder: join(ROOT, "dist"),
    ...(vite === undefined ? {} : { fallback: vite.middlewares }),
    log,
  })
  opened.defer(() => proxy.stop())
  const message = `Workdesk is at ${proxy.url}`
  if (options.log === undefined && process.stdout.isTTY) console.log(message)
  else log.info({}, message)
  log.flush()
  const running = opened.move()
  return { url: proxy.url, stop: () => running.disposeAsync() }
}

function startPeople({ people }: DashboardConfiguration, database: Database, log: Log): People {
  if (people.mode === "local") return localPeople()
  const warn = (message: string) => log.warn({}, message)
  return openPeople({ configuration: people, database, callbackPath: CALLBACK_PATH, warn })
}

function startRecord(people: People, database: Database, log: Log): DeskRecord {
  return openRecord({
    database,
    mode: people.mode,
    access: () => people.access(),
    stored: () => undefined,
    failed: (error) => log.error({ cause: sayStoreFault(error) }, "the record could not be written or read"),
    anchor: ({ sequence, hash }) => log.info({ sequence, hash }, "the record's last row"),
  })
}

/** Only the store's own errors are known to hold nothing that a log must not have. */
function sayStoreFault(error: unknown): string {
  if (error instanceof StoreUnavailableError) return error.message
  return error instanceof Error ? error.name : "unknown"
}

type Upstream = {
  readonly upstream: UpstreamConfiguration
  readonly colleagues: readonly Colleague[]
  readonly stop: () => Promise<void>
}

/** The upstream that the environment names, or the embedded service on a loopback port of its own. */
async function openUpstream(
  configuration: DashboardConfiguration,
  serviceConfigFile: string | undefined,
): Promise<Upstream> {
  const { upstream, colleagues = embeddedColleagues.map(({ id, label }) => ({ id, label })) } = configuration
  if (upstream !== undefined) return { upstream, colleagues, stop: () => Promise.resolve() }
  // Made for this run alone: it is kept nowhere, and nothing shows it.
  const credential = randomBytes(32).toString("base64url")
  const service = await startEmbedded(configuration.dataFolder, serviceConfigFile, credential)
  return {
    upstream: { baseUrl: service.url, name: "embedded", token: fixedToken(credential) },
    colleagues,
    stop: () => service.stop(),
  }
}

async function startEmbedded(
  dataFolder: string,
  configFile: string | undefined,
  ownCredential: string,
): Promise<RunningService> {
  try {
    return await startService({
      host: "127.0.0.1",
      port: 0,
      dataFolder: join(dataFolder, "service"),
      ...(configFile ? { configFile } : {}),
      ownCredential,
      log: console.error,
    })
  } catch (error) {
    if (error instanceof DataFolderError) throw new ConfigurationError(`DATA_DIR: ${error.message}`)
    throw error
  }
}

async function startVite() {
  const { createServer } = await import("vite")
  return createServer({ root: ROOT, server: { middlewareMode: true }, appType: "spa" })
}

/** Runs the dashboard as this process until SIGTERM or SIGINT: `npm start`, and `npm run demo` with an environment of its own. */
export async function runDesk(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const desk = await startDesk(environment, { dev: process.argv.includes("--dev") })
    const end = async () => {
      await desk.stop()
      process.exit(0)
    }
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void end())
  } catch (error) {
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n", 1)
    console.error(`workdesk: ${error instanceof ConfigurationError ? "" : "the start failed: "}${reason}`)
    process.exit(1)
  }
}

// `import.meta.main` is missing before Node 24.2.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) await runDesk(process.env)
