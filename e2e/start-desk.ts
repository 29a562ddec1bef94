import { randomBytes } from "node:crypto"
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import createClient, { type Client } from "openapi-fetch"
import type { paths } from "../src/contract/schema.d.ts"
import { type Program, startProgram } from "./program.ts"

/** Every scope of the API specification ("Authentication"). */
export const SCOPES = [
  "upload:create",
  "work:create",
  "work:read",
  "work:guide",
  "approval:read",
  "approval:resolve",
  "artifact:read",
]

/** The embedded service's configuration file, as design.md describes it; left-out keys keep their defaults. */
export type ServiceConfiguration = {
  readonly credentials?: readonly {
    token: string
    account: string
    owner: string
    scopes: string[]
    colleagues?: string[]
  }[]
  readonly heartbeatSeconds?: number
  readonly pace?: number
  readonly uploadLifetimeSeconds?: number
  readonly limits?: Readonly<Record<string, number>>
}

export type DeskOptions = {
  readonly service?: ServiceConfiguration
  /** More of the dashboard's environment. */
  readonly environment?: Readonly<Record<string, string>>
  /** Where the dashboard finds its upstream instead of the service itself: a relay between the two, given the service's address. */
  readonly upstream?: (serviceUrl: string) => Promise<string>
}

/** A dashboard in front of a service of its own, as two processes on loopback, and a way to each. */
export type Desk = {
  /** The dashboard's address. */
  readonly url: string
  /** A peer of the service itself: the typed client, with the dashboard's own credential. */
  readonly api: Client<paths>
  readonly token: string
  readonly dataFolder: string
  readonly serviceUrl: string
  /** Everything that the dashboard has printed. */
  dashboardOutput(): string
  /** Replaces the service's configuration file: in force within a second. */
  configure(configuration: ServiceConfiguration): Promise<void>
  stopService(signal?: NodeJS.Signals): Promise<void>
  /** Starts the stopped service again, on the same port and data. */
  startService(): Promise<void>
  stopDashboard(): Promise<void>
  /** Starts the stopped dashboard again, on the same port. */
  startDashboard(): Promise<void>
  stop(): Promise<void>
}

/** Starts a desk with an empty store. Colleagues make no pauses unless `pace` says so, and no quota is met by chance. */
export async function startDesk(options: DeskOptions = {}): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), "workdesk-"))
  const token = `test-${randomBytes(24).toString("base64url")}`
  const configurationFile = join(folder, "service.json")
  const configure = async (configuration: ServiceConfiguration) => {
    const whole = {
      credentials: [{ token, account: "sa_demo", owner: "owner_demo", scopes: SCOPES }],
      pace: 0,
      ...configuration,
      limits: {
        readPerMinute: 60_000,
        writePerMinute: 60_000,
        unauthenticatedPerMinute: 60_000,
        ...configuration.limits,
      },
    }
    await writeFile(`${configurationFile}.new`, JSON.stringify(whole))
    await rename(`${configurationFile}.new`, configurationFile)
  }
  await configure(options.service ?? {})

  const serviceEnvironment = {
    SERVICE_PORT: "0",
    SERVICE_DATA: join(folder, "data"),
    SERVICE_CONFIG: configurationFile,
  }
  let service: Program = await startProgram("src/service/main.ts", serviceEnvironment)
  const serviceUrl = service.url
  const upstream = (await options.upstream?.(serviceUrl)) ?? serviceUrl
  const dashboardEnvironment = {
    PORT: "0",
    WORK_API_URL: upstream,
    WORK_API_TOKEN: token,
    COLLEAGUES: "analyst=Analyst,editor=Editor,metronome=Metronome",
    ...options.environment,
  }
  let dashboard: Program = await startProgram("src/server.ts", dashboardEnvironment)
  const url = dashboard.url

  return {
    url,
    api: createClient<paths>({ baseUrl: serviceUrl, headers: { authorization: `Bearer ${token}` } }),
    token,
    dataFolder: join(folder, "data"),
    serviceUrl,
    dashboardOutput: () => dashboard.output(),
    configure,
    stopService: (signal) => service.stop(signal),
    async startService() {
      service = await startProgram("src/service/main.ts", {
        ...serviceEnvironment,
        SERVICE_PORT: new URL(serviceUrl).port,
      })
    },
    stopDashboard: () => dashboard.stop(),
    async startDashboard() {
      dashboard = await startProgram("src/server.ts", { ...dashboardEnvironment, PORT: new URL(url).port })
    },
    async stop() {
      await Promise.all([dashboard.stop("SIGKILL"), service.stop("SIGKILL")])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
