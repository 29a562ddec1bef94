/** `npm run service` starts the embedded service alone. docs/embedded-service.md describes its variables. */
import { join } from "node:path"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { isLoopback } from "../platform/protected-url.ts"
import { demand, type Environment, readNumber } from "../platform/environment.ts"
import { type Log, openLog, readLogLevel } from "../platform/log.ts"
import { readRetentionDays } from "../service/housekeeping.ts"
import { type RunningService, startService } from "../service/embedded-service.ts"
import { DataFolderError } from "../service/store/open-service-store.ts"
import { isStartedWith, runAsCommand } from "./command.ts"

const USAGE = `Usage:
  npm run service    serves the Work Delegation API on http://127.0.0.1:4401 until SIGTERM or SIGINT

Environment (see docs/embedded-service.md)
  SERVICE_HOST, SERVICE_PORT, SERVICE_PUBLIC, SERVICE_DATA, SERVICE_CONFIG, RETENTION_DAYS, LOG_LEVEL`

/** Starts the service with the variables of `environment`. @throws ConfigurationError that names the variable */
export async function startWith(environment: Environment, log: Log): Promise<RunningService> {
  const host = environment["SERVICE_HOST"] || "127.0.0.1"
  const port = readNumber(environment, "SERVICE_PORT", 0, 65_535) ?? 4401
  const isBehindProxy = readIsPublic(host, environment["SERVICE_PUBLIC"] || "0")
  const retentionDays = readRetentionDays(environment)
  const configFile = environment["SERVICE_CONFIG"]
  try {
    return await startService({
      host,
      port,
      dataFolder: dataFolderOf(environment),
      log,
      isBehindProxy,
      ...(retentionDays === undefined ? {} : { retentionDays }),
      registry: new URL("../service/colleagues/registry.ts", import.meta.url).href,
      ...(configFile ? { configFile } : {}),
    })
  } catch (error) {
    throw error instanceof DataFolderError
      ? new ConfigurationError(`SERVICE_DATA can't be used: ${error.message}`)
      : error
  }
}

const dataFolderOf = (environment: Environment) => environment["SERVICE_DATA"] || join(".data", "service")

/** Without SERVICE_PUBLIC=1 the host must be loopback: bearer tokens may leave this machine only through a proxy that adds TLS. */
function readIsPublic(host: string, value: string): boolean {
  demand(["0", "1"].includes(value), "SERVICE_PUBLIC must be 1 or 0")
  demand(
    value === "1" || isLoopback(host),
    "SERVICE_HOST is not loopback: set SERVICE_PUBLIC=1 only if a proxy with TLS is in front of this service",
  )
  return value === "1"
}

/** Runs the service in this process until SIGTERM or SIGINT. */
async function runService({ env }: NodeJS.Process): Promise<void> {
  const service = await startWith(env, openLog(readLogLevel(env["LOG_LEVEL"])))
  const stop = () => void service.stop().then(() => process.exit(0))
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, stop)
  console.log(`The Work Delegation API is served on ${service.url}`)
  if (service.generatedToken !== undefined) {
    console.log(`Its bearer token, shown only once and stored in the data folder: ${service.generatedToken}`)
  } else if (!env["SERVICE_CONFIG"]) {
    console.log(`Its bearer token is in ${join(dataFolderOf(env), "token")}`)
  }
}

if (isStartedWith(import.meta.filename)) {
  await runAsCommand({ usage: USAGE, options: {} }, async (_, ...others) => {
    if (others.length > 0) return "usage"
    await runService(process)
    return 0
  })
}
