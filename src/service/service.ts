import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { IdempotencyRecords } from "./admission/idempotency.ts"
import { RateLimiter } from "./admission/rate.ts"
import { Credentials } from "./admission/who.ts"
import { approvalHandlers } from "./approvals.ts"
import { artifactHandlers } from "./artifacts.ts"
import { attentionHandlers } from "./attention.ts"
import { backdateWork } from "./backdate.ts"
import { Outbox } from "./execution/outbox.ts"
import type { Colleague } from "../colleagues/colleague.ts"
import { colleagues as registered } from "../colleagues/registry.ts"
import { Runtime } from "./execution/runs.ts"
import { ALL_SCOPES, DEMO_ACCOUNT, DEMO_OWNER, LiveConfiguration } from "./configuration.ts"
import type { CredentialEntry } from "./configuration.ts"
import { Cursors } from "./cursor.ts"
import { EventLog } from "./event-log.ts"
import { eventHandlers } from "./events.ts"
import type { House } from "./context.ts"
import type { Handlers } from "./http/handler.ts"
import { serveApi } from "./http/server.ts"
import { Scans } from "./scans.ts"
import { openStore } from "./store/open.ts"
import type { OpenStore } from "./store/open.ts"
import { bytes } from "./store/rows.ts"
import type { Store } from "./store/store.ts"
import { Streams } from "./streams.ts"
import { ownToken } from "./token.ts"
import { uploadHandlers } from "./uploads.ts"
import { WorkState } from "./work-state.ts"
import { workHandlers } from "./work.ts"

export type ServiceOptions = {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** A folder, made if need be; `:memory:` keeps nothing. */
  readonly dataFolder: string
  /** The JSON file of the design's "The embedded service's configuration"; read again when it changes. */
  readonly configFile?: string
  /** A token that is valid, besides the configuration's, for sa_demo with every scope; neither kept nor shown. */
  readonly ownCredential?: string
  readonly log?: (line: string) => void
  /** Who can be given Work; those of the registry, unless a test has its own. */
  readonly colleagues?: readonly Colleague[]
}

export type RunningService = {
  readonly url: string
  /** The token of the service's own credential, when this start made it and the configuration names no other. */
  readonly generatedToken?: string
  readonly colleagues: readonly { readonly id: string; readonly label: string }[]
  /** Makes a Work older; only for the demonstration (see backdate.ts). */
  backdate(workId: string, milliseconds: number): Promise<void>
  /** Ends the streams, finishes the requests in progress and closes the store. */
  stop(): Promise<void>
}

const HOUSEKEEPING_MS = 3_600_000

/**
 * Starts the embedded service.
 * @throws ConfigurationError (the configuration file), DataFolderError (the data folder), or the error of listening
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { dataFolder, ownCredential, log = () => {} } = options
  const configuration = new LiveConfiguration(options.configFile, log)
  let opened: OpenStore | undefined
  try {
    opened = openStore(dataFolder)
    const own = ownCredential === undefined ? ownToken(dataFolder) : undefined
    const credentials = new Credentials(
      configuration,
      ownCredential === undefined ? [] : [demoCredential(ownCredential)],
      own === undefined ? [] : [demoCredential(own.token)],
    )
    const shown = own?.isNew === true && configuration.current.credentials === undefined
    const service = await run(opened, configuration, credentials, { ...options, log })
    // Only now: a start that failed has shown nobody its token.
    own?.keep()
    return shown ? { ...service, generatedToken: own.token } : service
  } catch (error) {
    opened?.close()
    configuration.close()
    throw error
  }
}

async function run(
  opened: OpenStore,
  configuration: LiveConfiguration,
  credentials: Credentials,
  { host, port, dataFolder, log, colleagues = registered }: ServiceOptions & { log: (line: string) => void },
): Promise<RunningService> {
  const { store } = opened
  const events = new EventLog(store)
  const house: House = { store, configuration, events, idempotency: new IdempotencyRecords(store), log }
  const state = new WorkState(store, events)
  const scans = new Scans(store, configuration)
  const streams = new Streams(events, configuration, credentials)
  const outbox = new Outbox(dataFolder === ":memory:" ? undefined : join(dataFolder, "outbox"))
  const runtime = new Runtime(house, state, outbox, colleagues)
  const colleagueIds = new Set(colleagues.map(({ id }) => id))
  const handlers: Handlers = {
    ...uploadHandlers(house, scans),
    ...workHandlers(house, { state, cursors: new Cursors(await cursorKey(store)), colleagueIds }),
    ...eventHandlers(state, streams),
    ...attentionHandlers(house, state),
    ...approvalHandlers(house, state),
    ...artifactHandlers(house, state),
  }
  const rates = new RateLimiter(configuration)
  const server = await serveApi({ handlers, credentials, rates, streams, log }, host, port)
  const forget = () => void house.idempotency.forgetOld().catch(() => log("old idempotency keys could not be removed"))
  forget()
  const housekeeping = setInterval(forget, HOUSEKEEPING_MS)
  scans.resume()
  await state.resume()
  const stop = async () => {
    clearInterval(housekeeping)
    await server.close()
    scans.close()
    await runtime.stop()
    await state.rest().catch(() => log("the execution times could not be kept"))
    configuration.close()
    opened.close()
  }
  let stopped: Promise<void> | undefined
  return {
    url: server.url,
    colleagues: colleagues.map(({ id, label }) => ({ id, label })),
    backdate: (workId, milliseconds) => backdateWork(store, workId, milliseconds),
    stop: () => (stopped ??= stop()),
  }
}

function demoCredential(token: string): CredentialEntry {
  return { token, account: DEMO_ACCOUNT, owner: DEMO_OWNER, scopes: ALL_SCOPES }
}

/** The key that signs cursors, kept with the data so that a page can be turned across a restart. */
async function cursorKey(store: Store): Promise<Uint8Array> {
  const row = await store.effect(() => {
    store.run("INSERT INTO meta (name, value) VALUES ('cursor key', ?) ON CONFLICT DO NOTHING", randomBytes(32))
    return store.get("SELECT value FROM meta WHERE name = 'cursor key'")
  })
  return bytes(row ?? {}, "value")
}
