/** `npm run service` starts the embedded service alone. docs/embedded-service.md describes its variables. */
import { lookup } from "node:dns/promises"
import { BlockList } from "node:net"
import { join } from "node:path"
import { ConfigurationError } from "../contract/configuration.ts"
import { openLog, readLogLevel } from "../contract/log.ts"
import { readRetentionDays } from "../service/housekeeping.ts"
import { startService } from "../service/service.ts"
import type { RunningService } from "../service/service.ts"
import { DataFolderError } from "../service/store/open.ts"

const { env } = process
const host = env["SERVICE_HOST"] || "127.0.0.1"
const dataFolder = env["SERVICE_DATA"] || join(".data", "service")
const configFile = env["SERVICE_CONFIG"] || undefined

try {
  const service = await start()
  console.log(`The Work Delegation API is served on ${service.url}`)
  if (service.generatedToken !== undefined) {
    console.log(`Its bearer token, shown only now and kept in the data folder: ${service.generatedToken}`)
  } else if (configFile === undefined) {
    console.log(`Its bearer token is in ${join(dataFolder, "token")}`)
  }
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop(service))
} catch (error) {
  console.error(explain(error))
  process.exitCode = 1
}

async function start(): Promise<RunningService> {
  const port = readPort(env["SERVICE_PORT"] || "4401")
  await checkHost()
  const retentionDays = readRetentionDays(env["RETENTION_DAYS"])
  return startService({
    host,
    port,
    dataFolder,
    log: openLog(readLogLevel(env["LOG_LEVEL"])),
    onDamage: () => process.exit(1),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    registry: new URL("../colleagues/registry.ts", import.meta.url).href,
    ...(configFile === undefined ? {} : { configFile }),
  })
}

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
async function checkHost(): Promise<void> {
  const isPublic = env["SERVICE_PUBLIC"] || "0"
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
function explain(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message
  if (error instanceof DataFolderError) return `SERVICE_DATA cannot be used: ${error.message}`
  if (!(error instanceof Error)) return `The service failed to start: ${String(error)}`
  const code = "code" in error ? String(error.code) : ""
  const call = "syscall" in error ? String(error.syscall) : ""
  if (code === "EADDRINUSE" || (code === "EACCES" && call === "listen"))
    return `SERVICE_PORT cannot be listened on: ${code}`
  if (["listen", "getaddrinfo"].includes(call)) return `SERVICE_HOST cannot be listened on: ${host} (${code})`
  return `The service failed to start: ${error.message.replaceAll(/\s+/g, " ")}`
}
