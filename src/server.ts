/**
 * START HERE: environment → upstream or embedded service → proxy → listen.
 * `npm start` serves the built app; with `--dev` (`npm run dev`) Vite serves its sources, with hot reload.
 */
import { ConfigurationError } from "./contract/configuration-error.ts"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import packageFile from "../package.json" with { type: "json" }
import {
  type Colleague,
  type DashboardConfiguration,
  readConfiguration,
  type UpstreamConfiguration,
} from "./proxy/config.ts"
import { startProxy } from "./proxy/proxy.ts"
import { fixedToken } from "./proxy/token.ts"
import { colleagues as embeddedColleagues } from "./colleagues/registry.ts"
import { ConfigurationError as ServiceConfigurationError } from "./service/configuration.ts"
import { type RunningService, startService } from "./service/service.ts"
import { DataFolderError } from "./service/store/open.ts"

const ROOT = join(import.meta.dirname, "..")

type Upstream = {
  readonly upstream: UpstreamConfiguration
  readonly colleagues: readonly Colleague[]
  readonly stop: () => Promise<void>
}

async function startDesk(): Promise<void> {
  const configuration = readConfiguration(process.env)
  const { upstream, colleagues, stop } = await openUpstream(configuration)
  try {
    const vite = process.argv.includes("--dev") ? await startVite() : undefined
    const proxy = await startProxy({
      configuration,
      upstream,
      colleagues,
      version: packageFile.version,
      distFolder: join(ROOT, "dist"),
      ...(vite === undefined ? {} : { fallback: vite.middlewares }),
      log: console.log,
    })
    console.log(`Workdesk is at ${proxy.url}`)
    const end = async () => {
      await Promise.all([proxy.stop(), vite?.close()])
      await stop()
      process.exit(0)
    }
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void end())
  } catch (error) {
    await stop()
    throw error
  }
}

/** The upstream that the environment names, or the embedded service on a loopback port of its own. */
async function openUpstream(configuration: DashboardConfiguration): Promise<Upstream> {
  const { upstream, colleagues = embeddedColleagues.map(({ id, label }) => ({ id, label })) } = configuration
  if (upstream !== undefined) return { upstream, colleagues, stop: () => Promise.resolve() }
  // Made for this run alone: it is kept nowhere, and nothing shows it.
  const credential = randomBytes(32).toString("base64url")
  const service = await startEmbedded(configuration.dataFolder, credential)
  return {
    upstream: { baseUrl: service.url, name: "embedded", token: fixedToken(credential) },
    colleagues,
    stop: () => service.stop(),
  }
}

async function startEmbedded(dataFolder: string, ownCredential: string): Promise<RunningService> {
  const configFile = process.env["SERVICE_CONFIG"]
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
    if (error instanceof ServiceConfigurationError) throw new ConfigurationError(`SERVICE_CONFIG: ${error.message}`)
    const isFileFault = error instanceof Error && "syscall" in error
    if (error instanceof DataFolderError || isFileFault) throw new ConfigurationError(`DATA_DIR: ${error.message}`)
    throw error
  }
}

async function startVite() {
  const { createServer } = await import("vite")
  return createServer({ root: ROOT, server: { middlewareMode: true }, appType: "spa" })
}

await startDesk().catch((error: unknown) => {
  if (!(error instanceof ConfigurationError)) throw error
  console.error(`workdesk: ${error.message}`)
  process.exitCode = 1
})
