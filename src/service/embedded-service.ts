/** START HERE for the embedded service: opens its store and starts its parts. */
import type { Log } from "../platform/log.ts"
import { RereadFiles } from "../platform/reread-files.ts"
import { RateLimiter } from "./admission/rate.ts"
import { Credentials, keepToken, newToken, readKeptToken } from "./admission/credentials.ts"
import { approvalHandlers } from "./approvals.ts"
import { artifactHandlers } from "./artifacts.ts"
import { attentionHandlers } from "./attention.ts"
import { LetterOutbox } from "./execution/letter-outbox.ts"
import { COLLEAGUE_LIMITS, type ColleagueLimits } from "./execution/colleague-pool.ts"
import { readRegistry } from "./execution/read-colleagues.ts"
import { Runs } from "./execution/runs.ts"
import { LiveConfiguration } from "./configuration.ts"
import { backdateWork } from "./demonstration.ts"
import { EventLog } from "./event-log.ts"
import type { ServiceContext } from "./context.ts"
import type { Handlers } from "./http/handler.ts"
import { serveApi } from "./http/service-listener.ts"
import { startHousekeeping } from "./housekeeping.ts"
import { Scans } from "./scans.ts"
import { folderFault, openStore, outboxIn } from "./store/open-service-store.ts"
import { isStorageFailure } from "./store/store.ts"
import { streamHandlers, Streams } from "./streams.ts"
import { uploadHandlers } from "./uploads.ts"
import { WorkState } from "./work-state.ts"
import { workHandlers } from "./work.ts"

export type ServiceOptions = {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** The folder of the database and the outbox. It is made if it does not exist. `:memory:` stores nothing. */
  readonly dataFolder: string
  /** The JSON file of SERVICE_CONFIG. It is read again when it changes. */
  readonly configFile?: string
  /** A token of the account sa_demo with every scope. It is valid beside the credentials of the configuration, and is not stored. */
  readonly ownCredential?: string
  readonly log?: Log
  /** Whether a proxy stands in front, whose X-Forwarded-For names the client. Left out: no header is believed. */
  readonly isBehindProxy?: boolean
  /** The URL of the module that exports `colleagues`, the colleagues to which Work can be delegated. */
  readonly registry: string
  /** Work that is done or paused is removed after this number of days. Left out: never. */
  readonly retentionDays?: number
  /** The most processor time and memory of a colleague's worker thread. */
  readonly colleagueLimits?: ColleagueLimits
}

export type RunningService = {
  readonly url: string
  /** The token of the service's own credential, if this start made the token and the configuration names no credentials. */
  readonly generatedToken?: string
  /** Makes a Work older, for the demonstration only (demonstration.ts). */
  backdate(workId: string, milliseconds: number): Promise<void>
  /** Ends the streams, finishes the requests in progress and closes the store. */
  stop(): Promise<void>
}

// A change of the configuration takes effect within a second.
const CONFIG_POLL_MS = 250

const nothing = () => {}
const SILENT: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, always: nothing, flush: nothing }

/** Starts the embedded service. @throws ConfigurationError for the configuration file or the address, DataFolderError */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const closing = new AsyncDisposableStack()
  try {
    return await start(options, closing)
  } catch (error) {
    await closing.disposeAsync()
    throw isFolderFailure(error) ? folderFault(error) : error
  }
}

async function start(options: ServiceOptions, closing: AsyncDisposableStack): Promise<RunningService> {
  const { host, port, dataFolder, log = SILENT, registry, colleagueLimits = COLLEAGUE_LIMITS } = options
  const isInMemory = dataFolder === ":memory:"
  const colleagues = await readRegistry(registry)
  const files = new RereadFiles(CONFIG_POLL_MS)
  closing.defer(() => files.stop())
  files.onFault = (sentence) => log.error({}, sentence)
  const configuration = new LiveConfiguration(options.configFile, files)
  const opened = openStore(dataFolder)
  closing.defer(() => opened.close())
  const { store } = opened
  const knownToken = options.ownCredential ?? (isInMemory ? undefined : readKeptToken(dataFolder))
  const token = knownToken ?? newToken()
  const credentials = new Credentials(configuration, token, options.ownCredential !== undefined)

  const events = new EventLog(store)
  const state = new WorkState(store, events)
  closing.defer(() => state.close().catch(() => log.error({}, "The execution times could not be stored")))
  const context: ServiceContext = { store, configuration, events, state, log }
  const outbox = new LetterOutbox(store, isInMemory ? undefined : outboxIn(dataFolder), log)
  closing.defer(() => outbox.close())
  const runs = new Runs(context, outbox, { address: registry, colleagues }, colleagueLimits)
  closing.defer(() => runs.stop())
  const scans = new Scans(context)
  closing.defer(() => scans.close())
  const streams = new Streams({ events, configuration, credentials })
  const handlers: Handlers = {
    ...uploadHandlers(context, scans),
    ...workHandlers(context, new Set(colleagues.map(({ id }) => id))),
    ...streamHandlers(context, streams),
    ...attentionHandlers(context),
    ...approvalHandlers(context),
    ...artifactHandlers(context),
  }

  const rates = new RateLimiter(configuration)
  const { isBehindProxy = false } = options
  const server = await serveApi({ handlers, credentials, rates, streams, log, isBehindProxy }, host, port)
  closing.defer(() => server.close())
  closing.defer(startHousekeeping(context, outbox, options.retentionDays))
  scans.resume()
  outbox.writeSent()
  await state.resume()
  // The token is stored last, because a start that fails shows no token to anybody.
  if (knownToken === undefined && !isInMemory) keepToken(dataFolder, token)
  const isShown = knownToken === undefined && configuration.current.credentials === undefined
  return {
    url: server.url,
    ...(isShown ? { generatedToken: token } : {}),
    backdate: (workId, milliseconds) => backdateWork(store, workId, milliseconds),
    stop: () => closing.disposeAsync(),
  }
}

/** Whether an error comes from the data folder, for instance because the disk is full or a file belongs to another user. */
function isFolderFailure(error: unknown): error is Error {
  return isStorageFailure(error) || (error instanceof Error && "syscall" in error)
}
