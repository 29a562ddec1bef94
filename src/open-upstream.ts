/** Opens the service that the desk sends its requests to: the upstream of the environment, or the embedded service. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { colleagues as embeddedColleagues } from "./service/colleagues/registry.ts"
import { ConfigurationError } from "./platform/configuration-error.ts"
import type { Log } from "./platform/log.ts"
import type { OfferedColleague, DeskConfiguration, UpstreamConfiguration } from "./desk/http/desk-configuration.ts"
import { fixedToken } from "./desk/proxy/token.ts"
import { newest } from "./service/execution/read-colleagues.ts"
import { readRetentionDays } from "./service/housekeeping.ts"
import { refuseUnfinishedRestore } from "./desk/store/unfinished-restore.ts"
import { startService } from "./service/embedded-service.ts"
import { DataFolderError } from "./service/store/open-service-store.ts"

export type OpenUpstream = {
  readonly upstream: UpstreamConfiguration
  readonly colleagues: readonly OfferedColleague[]
  readonly stop: () => Promise<void>
}

/** Opens the upstream of WORK_API_URL, or else the embedded service. @throws ConfigurationError for RETENTION_DAYS, SERVICE_CONFIG or DATA_DIR */
export async function openUpstream(
  { upstream, colleagues, dataFolder }: DeskConfiguration,
  environment: NodeJS.ProcessEnv,
  log: Log,
): Promise<OpenUpstream> {
  const retentionDays = readRetentionDays(environment)
  if (upstream !== undefined) return { upstream, colleagues: colleagues ?? [], stop: () => Promise.resolve() }
  refuseUnfinishedRestore(dataFolder)
  const configFile = environment["SERVICE_CONFIG"]
  // This credential is valid for this process only. It is neither stored nor shown.
  const ownCredential = randomBytes(32).toString("base64url")
  const service = await startService({
    host: "127.0.0.1",
    port: 0,
    dataFolder: join(dataFolder, "service"),
    ...(configFile ? { configFile } : {}),
    registry: new URL("./service/colleagues/registry.ts", import.meta.url).href,
    ownCredential,
    log,
    ...(retentionDays === undefined ? {} : { retentionDays }),
  }).catch((error: unknown) => {
    throw error instanceof DataFolderError ? new ConfigurationError(`DATA_DIR: ${error.message}`) : error
  })
  return {
    upstream: { baseUrl: service.url, name: "embedded", token: fixedToken(ownCredential) },
    colleagues:
      colleagues ??
      newest(embeddedColleagues).map(({ id, label, does }) => ({
        id,
        label,
        ...(does !== undefined && { does }),
      })),
    stop: () => service.stop(),
  }
}
