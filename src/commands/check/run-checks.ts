/** START HERE for `--check`: reads the configuration as the start does, tries each external system once, and prints a line for each check. */
import { join } from "node:path"
import { readConfiguration, type DeskConfiguration } from "../../desk/http/desk-configuration.ts"
import { parseConfiguration } from "../../service/configuration.ts"
import { readRetentionDays } from "../../service/housekeeping.ts"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { RereadFiles } from "../../platform/reread-files.ts"
import { bad, type CheckLine, good, type Probe } from "./check-line.ts"
import { checkAccess, checkBuild, checkFolder, checkNode, checkTimeZone, checkVariables } from "./machine-checks.ts"
import { noticeProbes } from "./notice-checks.ts"
import { checkProvider } from "./provider-checks.ts"
import { checkAddresses } from "./public-url-checks.ts"
import { checkRecordKey } from "./record-key-check.ts"
import { checkPostgres, checkServiceStore, checkSqlite } from "./store-checks.ts"
import { checkUpstream } from "./upstream-checks.ts"

const ROOT = join(import.meta.dirname, "../../..")

/** Runs all checks. The lines are in a fixed order. Changes nothing and sends no notice. */
export async function runChecks(environment: NodeJS.ProcessEnv): Promise<readonly CheckLine[]> {
  const files = new RereadFiles()
  try {
    const first = [checkNode(), ...checkVariables(environment), checkTimeZone(environment)]
    const read = readAll(environment, files)
    if ("found" in read) return [...first, read]
    const lines = await Promise.all(probesOf(read, environment, files).map(attempt))
    return [...first, ...lines.flat()]
  } finally {
    files.stop()
  }
}

/** The configuration, or the line that says which variable is wrong. */
function readAll(environment: NodeJS.ProcessEnv, files: RereadFiles): DeskConfiguration | CheckLine {
  try {
    const configuration = readConfiguration(environment, files)
    readRetentionDays(environment)
    const serviceFile = environment["SERVICE_CONFIG"]
    if (configuration.upstream === undefined && serviceFile)
      files.follow("SERVICE_CONFIG", serviceFile, parseConfiguration)
    return configuration
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const [variable = "the variable"] = /[A-Z][A-Z_]{3,}/.exec(error.message) ?? []
    return bad("configuration", error.message, `correct ${variable}; the other checks need it`)
  }
}

function probesOf(
  configuration: DeskConfiguration,
  environment: NodeJS.ProcessEnv,
  files: RereadFiles,
): readonly Probe[] {
  const { people, upstream, dataFolder, databaseUrl } = configuration
  const usesFolder = databaseUrl === undefined || upstream === undefined
  return [
    () => [good("configuration", "no variable is missing, wrong or contradictory")],
    () => [checkBuild(join(ROOT, "dist")), checkFolder(dataFolder, usesFolder)],
    () => (databaseUrl === undefined ? checkSqlite(dataFolder) : checkPostgres(databaseUrl)),
    () => checkRecordKey(configuration),
    () => (upstream === undefined ? [checkServiceStore(dataFolder)] : checkUpstream(upstream)),
    () => checkAccess(configuration),
    () => (people.mode === "local" ? [] : checkProvider(people)),
    ...noticeProbes(environment, people, files),
    () => checkAddresses(configuration),
  ]
}

/** Runs a probe. If the probe itself fails, its line leaves out the error's message, which might contain a secret. */
async function attempt(probe: Probe): Promise<readonly CheckLine[]> {
  try {
    return await probe()
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    return [bad("check", `a check failed unexpectedly (${name})`, "report this as a bug in Workdesk")]
  }
}

/** Prints the lines for people, or as one JSON object. @returns the exit status */
export function printChecks(lines: readonly CheckLine[], format: "text" | "json"): number {
  const isGood = lines.every((line) => line.good)
  if (format === "json") console.log(JSON.stringify({ good: isGood, checks: lines }, undefined, 2))
  else for (const line of lines) console.log(formatLine(line))
  return isGood ? 0 : 1
}

function formatLine({ check, good: isGood, found, change }: CheckLine): string {
  const begin = `${isGood ? "good" : "BAD "}  ${check.padEnd(16)}  ${found}`
  return change === undefined ? begin : `${begin}\n${" ".repeat(24)}→ ${change}`
}
