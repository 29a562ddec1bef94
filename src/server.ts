/**
 * START HERE: environment → store and people → upstream or embedded service → record → proxy with the watcher → listen.
 * `npm start` serves the built app. With `--dev` (`npm run dev`) Vite serves the app's sources, with hot reload.
 */
import { realpathSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import packageFile from "../package.json" with { type: "json" }
import { openUpstream } from "./commands/open-upstream.ts"
import { USAGE } from "./commands/usage.ts"
import { ConfigurationError } from "./contract/configuration-error.ts"
import { WatchedFiles } from "./contract/watched-file.ts"
import { openLog } from "./contract/log.ts"
import { openDatabase } from "./store/open.ts"
import { readConfiguration } from "./proxy/desk-configuration.ts"
import { measureDatabase } from "./proxy/measured-database.ts"
import { serveMetrics } from "./proxy/metrics-server.ts"
import { Metrics } from "./proxy/metrics.ts"
import { startPeople, startRecord } from "./proxy/start-people.ts"
import { startProxy } from "./proxy/proxy.ts"
import type { Timeouts } from "./proxy/upstream.ts"

const ROOT = join(import.meta.dirname, "..")

export type RunningDesk = {
  readonly url: string
  /** Serves requests for DRAIN_SECONDS, then lets requests in progress finish and ends the streams, within 10 s. */
  stop(): Promise<void>
}

export type StartOptions = {
  /** Called with each line of the log. Left out: the log goes to standard output. */
  readonly log?: (line: string) => void
  /** Whether Vite serves the app's sources instead of the built files. */
  readonly dev?: boolean
  /** How long the proxy waits for the upstream and for viewers. Left out: the times of proxy/upstream.ts. */
  readonly timeouts?: Timeouts
}

/**
 * Starts the desk with the variables of `environment` (`docs/operating.md`, "Configure").
 * @throws ConfigurationError that names the variable whose value is missing or wrong
 */
export async function startDesk(environment: NodeJS.ProcessEnv, options: StartOptions = {}): Promise<RunningDesk> {
  const files = new WatchedFiles()
  const configuration = readConfiguration(environment, files)
  const log = openLog(configuration.logLevel, options.log && { write: options.log })
  // Closes everything that was opened, in reverse order: when the start fails, and at the end.
  await using opened = new AsyncDisposableStack()
  files.onFault = (sentence) => log.warn({}, sentence)
  opened.defer(() => files.stop())
  const metrics = configuration.metrics && new Metrics()
  const store = await openDatabase(configuration)
  opened.defer(() => store.close())
  const database = metrics === undefined ? store : measureDatabase(store, metrics.countStoreCall)
  const people = startPeople(configuration, database, { log, files })
  opened.defer(() => people.stop())
  const { upstream, colleagues, stop } = await openUpstream(configuration, environment, log)
  opened.defer(stop)
  const record = startRecord(people, database, { log, metrics })
  opened.defer(() => record.stop())
  const vite = options.dev === true ? await startVite() : undefined
  opened.defer(() => vite?.close())
  const proxy = await startProxy({
    configuration,
    publicUrl: configuration.people.mode === "sign-in" ? configuration.people.publicUrl : undefined,
    upstream,
    colleagues,
    version: packageFile.version,
    people,
    record,
    database,
    files,
    notices: configuration.notices,
    limits: configuration.limits,
    distFolder: join(ROOT, "dist"),
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
    ...(vite === undefined ? {} : { fallback: vite.middlewares }),
    log,
    metrics,
  })
  opened.defer(() => proxy.stop())
  if (metrics !== undefined && configuration.metrics !== undefined) {
    const served = await serveMetrics(metrics, configuration.metrics)
    opened.defer(() => served.stop())
  }
  const message = `Workdesk is at ${proxy.url}`
  if (options.log === undefined && process.stdout.isTTY) console.log(message)
  else {
    log.always({}, message)
    log.flush()
  }
  const running = opened.move()
  return {
    url: proxy.url,
    async stop() {
      proxy.drain()
      await delay(configuration.drainSeconds * 1_000)
      await running.disposeAsync()
    },
  }
}

async function startVite() {
  const { createServer } = await import("vite")
  return createServer({ root: ROOT, server: { middlewareMode: true }, appType: "spa" })
}

/** Runs the desk in this process until SIGTERM or SIGINT. `npm start` uses the process's environment, `npm run demo` its own. */
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

/** Runs the command line. */
async function main(): Promise<void> {
  const unknown = process.argv.slice(2).find((option) => !["--dev", "--version", "--help"].includes(option))
  if (unknown !== undefined) {
    console.error("workdesk: there is no such option; --help names all options")
    process.exitCode = 1
  } else if (process.argv.includes("--help")) {
    console.log(USAGE)
  } else if (process.argv.includes("--version")) {
    console.log(packageFile.version)
  } else {
    await runDesk(process.env)
  }
}

// Node before 24.2 has no `import.meta.main`.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) await main()
