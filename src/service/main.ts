import { join } from "node:path"
import { ConfigurationError } from "./configuration.ts"
import { startService } from "./service.ts"
import type { RunningService } from "./service.ts"
import { DataFolderError } from "./store/open.ts"

/** A variable with a value that cannot be used; the message names it, in one line. */
class VariableError extends Error {}

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
  const options = { host, port, dataFolder, log: (line: string) => console.error(line) }
  return startService(configFile === undefined ? options : { ...options, configFile })
}

async function stop(service: RunningService): Promise<void> {
  await service.stop()
  process.exit(0)
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new VariableError("SERVICE_PORT must be a port number, 0 to 65535")
  return port
}

/** One line that names the variable, whatever went wrong. */
function explain(error: unknown): string {
  if (error instanceof VariableError) return error.message
  if (error instanceof ConfigurationError) return `SERVICE_CONFIG (${configFile}) cannot be used: ${error.message}`
  if (error instanceof DataFolderError) return `SERVICE_DATA cannot be used: ${error.message}`
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  const call = error instanceof Error && "syscall" in error ? String(error.syscall) : ""
  if (code === "EADDRINUSE" || (code === "EACCES" && call === "listen"))
    return `SERVICE_PORT cannot be listened on: ${code}`
  if (call === "listen" || call === "getaddrinfo") return `SERVICE_HOST cannot be listened on: ${host} (${code})`
  if (code.startsWith("E")) return `SERVICE_DATA cannot be used: ${dataFolder} (${code})`
  return `The service failed to start: ${error instanceof Error ? error.message : String(error)}`
}
