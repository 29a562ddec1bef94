import { randomBytes } from "node:crypto"
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { IdentityProvider } from "../src/demo/identity-provider.ts"
import { Owner } from "../src/demo/owner.ts"
import { startDemoSignIn } from "../src/demo/demo-sign-in.ts"
import { TIMEOUTS, type Timeouts } from "../src/desk/proxy/upstream.ts"
import { type RunningDesk, startDesk as startServer } from "../src/server.ts"
import { ALL_SCOPES, type Configuration, type Limits } from "../src/service/configuration.ts"
import { type RunningService, startService } from "../src/service/embedded-service.ts"
import { type ArtifactUpstream, startArtifactUpstream } from "./artifact-upstream.ts"
import { type EventUpstream, startEventUpstream } from "./event-upstream.ts"
import { type Relay, startRelay } from "./relay.ts"

/** The embedded service's configuration file (docs/embedded-service.md). Keys that are left out keep their defaults. */
export type ServiceConfiguration = Partial<Omit<Configuration, "limits">> & { readonly limits?: Partial<Limits> }

/**
 * What is behind the desk:
 * - `service`: the embedded service on its own port, behind a relay that fails as a test asks;
 * - `embedded`: the embedded service as `npm start` starts it;
 * - `events`: an upstream of one Work whose event stream the test writes byte by byte;
 * - `artifacts`: an upstream of one finished Work whose results the test makes.
 */
export type UpstreamKind = "service" | "embedded" | "events" | "artifacts"

export type DeskOptions = {
  readonly upstream?: UpstreamKind
  readonly service?: ServiceConfiguration
  /** Sign-in mode, with the demonstration's identity provider: Ada approves, Ben delegates and answers, Cleo reads. */
  readonly people?: boolean
  /** More of the desk's environment. */
  readonly environment?: Readonly<Record<string, string>>
  /** How long the desk waits for the upstream, for tests of these timeouts. */
  readonly timeouts?: Partial<Timeouts>
}

/** A desk with its own upstream, both in this process and on loopback. */
export type Desk = {
  /** The desk's address. */
  readonly url: string
  /** A peer of the service itself, with the desk's own credential; with `embedded`, a client of the desk. */
  readonly owner: Owner
  /** The client of `owner`, for single requests. */
  readonly api: Owner["client"]
  readonly token: string
  /** The folder of the service's data. */
  readonly dataFolder: string
  readonly serviceUrl: string
  readonly relay: Relay | undefined
  readonly events: EventUpstream | undefined
  readonly artifacts: ArtifactUpstream | undefined
  /** With `people`: the file that gives roles to people. */
  readonly accessFile: string
  /** With `people`: where they sign in, and every token that was issued there. */
  readonly identity: (IdentityProvider & { readonly tokens: readonly string[] }) | undefined
  /** Everything that the desk has logged. */
  serverLog(): string
  /** Replaces the service's configuration file. It takes effect within a second. */
  configure(configuration: ServiceConfiguration): Promise<void>
  stopService(): Promise<void>
  /** Starts the stopped service again, on the same port and data. */
  startService(): Promise<void>
  stopServer(): Promise<void>
  /** Starts the stopped desk again, on the same port. */
  startServer(): Promise<void>
  stop(): Promise<void>
}

/** Starts a desk with an empty store. Colleagues make no pauses unless `pace` is set, and the quotas are too high to be reached by chance. */
export async function startDesk(options: DeskOptions = {}): Promise<Desk> {
  const { upstream: kind = "service" } = options
  const folder = await mkdtemp(join(tmpdir(), "workdesk-"))
  const token = `test-${randomBytes(24).toString("base64url")}`
  const configFile = join(folder, "service.json")
  const configure = async (configuration: ServiceConfiguration) => {
    const whole = {
      credentials: [{ token, account: "sa_demo", owner: "owner_demo", scopes: ALL_SCOPES }],
      pace: 0,
      ...configuration,
      limits: {
        readPerMinute: 60_000,
        writePerMinute: 60_000,
        unauthenticatedPerMinute: 60_000,
        ...configuration.limits,
      },
    }
    await writeFile(`${configFile}.new`, JSON.stringify(whole))
    await rename(`${configFile}.new`, configFile)
  }
  await configure(options.service ?? {})

  const dataFolder = kind === "embedded" ? join(folder, "desk", "service") : join(folder, "data")
  const registry = new URL("../src/service/colleagues/registry.ts", import.meta.url).href
  const serve = (port: number) => startService({ host: "127.0.0.1", port, dataFolder, configFile, registry })
  let service: RunningService | undefined = kind === "service" ? await serve(0) : undefined
  const serviceUrl = service?.url ?? ""
  const relay = service === undefined ? undefined : await startRelay(service.url)
  const events = kind === "events" ? await startEventUpstream() : undefined
  const artifacts = kind === "artifacts" ? await startArtifactUpstream() : undefined
  const upstreamUrl = (relay ?? events ?? artifacts)?.url

  const people: NodeJS.ProcessEnv = { PORT: "0" }
  const tokens: string[] = []
  const identity =
    options.people === true ? await startDemoSignIn(people, folder, (token) => tokens.push(token)) : undefined

  let output = ""
  const openServer = (port: string) =>
    startServer(
      {
        DATA_DIR: join(folder, "desk"),
        ...(upstreamUrl === undefined
          ? { SERVICE_CONFIG: configFile }
          : {
              WORK_API_URL: upstreamUrl,
              WORK_API_TOKEN: token,
              COLLEAGUES:
                "analyst=Analyst|Profiles CSV and JSON,editor=Editor|Reviews Markdown and text,metronome=Metronome|Publishes events",
            }),
        ...people,
        PORT: port,
        ...options.environment,
      },
      { log: (line) => (output += `${line}\n`), timeouts: { ...TIMEOUTS, ...options.timeouts } },
    )
  let server: RunningDesk | undefined = await openServer(people["PORT"] ?? "0")
  const { url } = server
  const owner = service === undefined ? new Owner(url) : new Owner(serviceUrl, { authorization: `Bearer ${token}` })

  return {
    url,
    owner,
    api: owner.client,
    token,
    dataFolder,
    serviceUrl,
    relay,
    events,
    artifacts,
    accessFile: join(folder, "access.json"),
    identity: identity === undefined ? undefined : { ...identity, tokens },
    serverLog: () => output,
    configure,
    async stopService() {
      await service?.stop()
      service = undefined
    },
    async startService() {
      service = await serve(Number(new URL(serviceUrl).port))
    },
    async stopServer() {
      await server?.stop()
      server = undefined
    },
    async startServer() {
      server = await openServer(new URL(url).port)
    },
    async stop() {
      identity?.stop()
      await Promise.all([relay?.stop(), events?.stop(), artifacts?.stop()])
      await Promise.all([server?.stop(), service?.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
