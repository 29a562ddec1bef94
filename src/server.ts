/**
 * START HERE: environment → upstream or embedded service → proxy → listen.
 * `npm start` serves the built app; with `--dev` (`npm run dev`) Vite serves its sources, with hot reload.
 */
import { ConfigurationError } from "./contract/configuration-error.ts"
import { randomBytes } from "node:crypto"
import { realpathSync } from "node:fs"
import { join } from "node:path"
import packageFile from "../package.json" with { type: "json" }
import {
  type Colleague,
  type DashboardConfiguration,
  readConfiguration,
  type UpstreamConfiguration,
} from "./proxy/config.ts"
import { localPeople } from "./proxy/local-people.ts"
import { startProxy } from "./proxy/proxy.ts"
import { fixedToken } from "./proxy/token.ts"
import { colleagues as embeddedColleagues } from "./colleagues/registry.ts"
import { type RunningService, startService } from "./service/service.ts"
import { DataFolderError } from "./service/store/open.ts"

const ROOT = join(import.meta.dirname, "..")

type Upstream = {
  readonly upstream: UpstreamConfiguration
  readonly colleagues: readonly Colleague[]
  readonly stop: () => Promise<void>
}

export type RunningDesk = {
  readonly url: string
  /** Lets requests in progress finish and ends the streams; done within 10 s. */
  stop(): Promise<void>
}

export type StartOptions = {
  /** Receives each line that the dashboard logs. */
  readonly log: (line: string) => void
  /** Whether Vite serves the app's sources instead of the built files. */
  readonly dev?: boolean
}

/**
 * Starts the dashboard that `environment` describes.
 * @throws ConfigurationError naming the variable whose value is missing or wrong
 */
export async function startDesk(environment: NodeJS.ProcessEnv, options: StartOptions): Promise<RunningDesk> {
  const configuration = readConfiguration(environment)
  const { upstream, colleagues, stop } = await openUpstream(configuration, environment["SERVICE_CONFIG"])
  try {
    const vite = options.dev === true ? await startVite() : undefined
    const proxy = await startProxy({
      configuration,
      upstream,
      colleagues,
      version: packageFile.version,
      people: localPeople(),
      distFolder: join(ROOT, "dist"),
      ...(vite === undefined ? {} : { fallback: vite.middlewares }),
      log: options.log,
    })
    return {
      url: proxy.url,
      async stop() {
        await Promise.all([proxy.stop(), vite?.close()])
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
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
    const desk = await startDesk(environment, { log: console.log, dev: process.argv.includes("--dev") })
    console.log(`Workdesk is at ${desk.url}`)
    const end = async () => {
      await desk.stop()
      process.exit(0)
    }
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void end())
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(`workdesk: ${error.message}`)
    process.exitCode = 1
  }
}

// `import.meta.main` is missing before Node 24.2.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) await runDesk(process.env)
