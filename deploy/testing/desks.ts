import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Program, startProgram } from "../../e2e/program.ts"
import { type Relay, startRelay } from "../../e2e/relay.ts"
import { ALL_SCOPES } from "../../src/service/configuration.ts"
import { startIdentityProvider } from "../../src/demo/identity-provider.ts"
import { freePort } from "../../src/desk/store/testing/free-port.ts"
import { PostgresServer } from "../../src/desk/store/testing/postgres.ts"
import { type Balancer, type BalancerOptions, startBalancer } from "./balancer.ts"

const TOKEN = "token-of-the-replica-tests"
const ACCESS = {
  contact: "the finance desk",
  roles: { reader: ["group:staff"], answerer: ["group:ops"], delegator: ["group:ops"], approver: ["group:finance"] },
  rules: [{ preventSelfApproval: true }],
}

/** Two desks as processes behind a balancer. They share one PostgreSQL, one identity provider, and a relay in front of the service. */
export type Desks = {
  readonly balancer: Balancer
  readonly postgres: PostgresServer
  readonly databaseUrl: string
  readonly relay: Relay
  /** The addresses of the two desks themselves, without the balancer. */
  readonly addresses: readonly [string, string]
  /** The addresses of the desks' metrics. */
  readonly metrics: readonly [string, string]
  /** The latest process of each desk. */
  readonly programs: [Program, Program]
  /** Starts desk 0 or 1 of this checkout after its process ended. */
  restart(index: 0 | 1): Promise<void>
  stop(): Promise<void>
}

type DesksOptions = Pick<BalancerOptions, "program" | "roundRobin"> & {
  /** The checkout whose desks start first. Left out: this one. */
  readonly root?: string
}

/** Starts everything that `Desks` has. A start that fails ends all processes and removes the data. */
export async function startDesks(options: DesksOptions): Promise<Desks> {
  const closing = new AsyncDisposableStack()
  try {
    return await start(options, closing)
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/** Registers with `closing` what has to be closed at the end, in the reverse order. */
async function start(options: DesksOptions, closing: AsyncDisposableStack): Promise<Desks> {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-desks-"))
  closing.defer(() => rmSync(folder, { recursive: true, force: true }))
  const accessFile = join(folder, "access.json")
  writeFileSync(accessFile, JSON.stringify(ACCESS))
  const configFile = join(folder, "service.json")
  const plenty = { readPerMinute: 1e6, writePerMinute: 1e6, activeWork: 10_000, streamsPerCredential: 1_000 }
  const credentials = [{ token: TOKEN, account: "sa_demo", owner: "owner_demo", scopes: ALL_SCOPES }]
  writeFileSync(configFile, JSON.stringify({ credentials, pace: 0, heartbeatSeconds: 1, limits: plenty }))

  const postgres = await PostgresServer.start()
  closing.defer(() => postgres.stop())
  const databaseUrl = await postgres.newDatabase()
  const service = await startProgram("src/commands/service.ts", {
    SERVICE_PORT: "0",
    SERVICE_DATA: join(folder, "service"),
    SERVICE_CONFIG: configFile,
  })
  closing.defer(() => service.stop("SIGKILL"))
  const relay = await startRelay(service.url)
  closing.defer(() => relay.stop())
  const port = await freePort()
  const publicUrl = `https://localhost:${port}`
  const provider = await startIdentityProvider({ publicUrl, port: 0 })
  closing.defer(() => provider.stop())
  const ports: [number, number] = [await freePort(), await freePort()]
  const metricsPorts: [number, number] = [await freePort(), await freePort()]
  const startDesk = (index: 0 | 1, root?: string): Promise<Program> => {
    const environment = {
      PORT: String(ports[index]),
      DATA_DIR: join(folder, `desk-${index}`),
      DESK_DATABASE_URL: databaseUrl,
      PUBLIC_URL: publicUrl,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      ACCESS_FILE: accessFile,
      WORK_API_URL: relay.url,
      WORK_API_TOKEN: TOKEN,
      METRICS_PORT: String(metricsPorts[index]),
      DRAIN_SECONDS: "2",
      TRUSTED_PROXIES: "127.0.0.1",
      PERSON_REQUESTS_PER_MINUTE: "1000000",
      CLIENT_REQUESTS_PER_MINUTE: "1000000",
      UPSTREAM_STREAMS: "100",
    }
    const starting = startProgram("src/server.ts", environment, [], root)
    // A test may end while a desk starts.
    closing.defer(() =>
      starting.then(
        (desk) => desk.stop("SIGKILL"),
        () => undefined,
      ),
    )
    return starting
  }
  const programs: [Program, Program] = [await startDesk(0, options.root), await startDesk(1, options.root)]
  const balancer = await startBalancer({ ...options, desks: ports, port })
  closing.defer(() => balancer.stop())
  return {
    balancer,
    postgres,
    databaseUrl,
    relay,
    addresses: [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`],
    metrics: [`http://127.0.0.1:${metricsPorts[0]}/metrics`, `http://127.0.0.1:${metricsPorts[1]}/metrics`],
    programs,
    async restart(index) {
      programs[index] = await startDesk(index)
    },
    stop: () => closing.disposeAsync(),
  }
}
