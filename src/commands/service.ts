/** `npm run service` starts the embedded service alone. docs/embedded-service.md describes its variables. */
import { lookup } from "node:dns/promises"
import { realpathSync } from "node:fs"
import { BlockList } from "node:net"
import { join } from "node:path"
import { ConfigurationError } from "../contract/configuration-error.ts"
import { openLog, readLogLevel } from "../contract/log.ts"
import type { Log } from "../contract/log.ts"
import { readRetentionDays } from "../service/housekeeping.ts"
import { startService } from "../service/service.ts"
import type { RunningService } from "../service/service.ts"
import { DataFolderError } from "../service/store/open.ts"

/**
 * Starts the service with the variables of `environment`.
 * @throws ConfigurationError, DataFolderError or an error of the system; `explain` says each in one line
 */
export async function startWith(environment: NodeJS.ProcessEnv, log: Log): Promise<RunningService> {
  const { host, dataFolder, configFile } = placesOf(environment)
  const port = readPort(environment["SERVICE_PORT"] || "4401")
  await checkHost(host, environment["SERVICE_PUBLIC"] || "0")
  const retentionDays = readRetentionDays(environment["RETENTION_DAYS"])
  return startService({
    host,
    port,
    dataFolder,
    log,
    isBehindProxy: environment["SERVICE_PUBLIC"] === "1",
    onDamage: () => process.exit(1),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    registry: new URL("../colleagues/registry.ts", import.meta.url).href,
    ...(configFile === undefined ? {} : { configFile }),
  })
}

/** Runs the service in this process until SIGTERM or SIGINT. */
async function main(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const { dataFolder, configFile } = placesOf(environment)
    const service = await startWith(environment, openLog(readLogLevel(environment["LOG_LEVEL"])))
    console.log(`The Work Delegation API is served on ${service.url}`)
    if (service.generatedToken !== undefined) {
      console.log(`Its bearer token, shown only now and kept in the data folder: ${service.generatedToken}`)
    } else if (configFile === undefined) {
      console.log(`Its bearer token is in ${join(dataFolder, "token")}`)
    }
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop(service))
  } catch (error) {
    console.error(explain(error, environment))
    process.exitCode = 1
  }
}

const placesOf = (environment: NodeJS.ProcessEnv) => ({
  host: environment["SERVICE_HOST"] || "127.0.0.1",
  dataFolder: environment["SERVICE_DATA"] || join(".data", "service"),
  configFile: environment["SERVICE_CONFIG"] || undefined,
})

async function stop(service: RunningService): Promise<void> {
  await service.stop()
  process.exit(0)
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new ConfigurationError("SERVICE_PORT must be a port number, 0 to 65535")
  return port
}

/**
 * Checks that the host is loopback or SERVICE_PUBLIC is 1. The service uses plain HTTP, so bearer tokens may leave this machine only
 * through a proxy that adds TLS.
 */
async function checkHost(host: string, isPublic: string): Promise<void> {
  if (!["0", "1"].includes(isPublic)) throw new ConfigurationError("SERVICE_PUBLIC must be 1 or 0")
  if (isPublic === "1") return
  const loopback = new BlockList()
  loopback.addSubnet("127.0.0.0", 8, "ipv4")
  loopback.addAddress("::1", "ipv6")
  const addresses = await lookup(host, { all: true })
  if (addresses.every(({ address, family }) => loopback.check(address, family === 6 ? "ipv6" : "ipv4"))) return
  throw new ConfigurationError(
    "SERVICE_HOST is not loopback: set SERVICE_PUBLIC=1 only if a proxy with TLS stands in front of this service",
  )
}

/** Describes an error of the start in one line that names the variable to change. */
export function explain(error: unknown, environment: NodeJS.ProcessEnv): string {
  if (error instanceof ConfigurationError) return error.message
  if (error instanceof DataFolderError) return `SERVICE_DATA cannot be used: ${error.message}`
  if (!(error instanceof Error)) return `The service failed to start: ${String(error)}`
  const code = "code" in error ? String(error.code) : ""
  const call = "syscall" in error ? String(error.syscall) : ""
  if (code === "EADDRINUSE" || (code === "EACCES" && call === "listen"))
    return `SERVICE_PORT cannot be listened on: ${code}`
  if (["listen", "getaddrinfo"].includes(call))
    return `SERVICE_HOST cannot be listened on: ${placesOf(environment).host} (${code})`
  return `The service failed to start: ${error.message.replaceAll(/\s+/g, " ")}`
}

// Node before 24.2 has no `import.meta.main`.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) await main(process.env)
