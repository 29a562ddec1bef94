/** START HERE for the desk's server: makes its parts and joins them. `router.ts` shows the way of one request. */
import { once } from "node:events"
import type { RequestListener, Server } from "node:http"
import { operations } from "../contract/operations.ts"
import type { Refusal } from "../platform/http/refusals.ts"
import { ownOrigin } from "../platform/http/request-context.ts"
import type { Answer } from "../platform/http/send.ts"
import { newTrace } from "../platform/http/trace.ts"
import type { Log } from "../platform/log.ts"
import type { RereadFiles } from "../platform/reread-files.ts"
import { KnownApprovalStore } from "./insight/known-approval-store.ts"
import type { Access } from "./people/access-file.ts"
import type { People } from "./people/people-interface.ts"
import type { DeskRecord } from "./record/desk-record.ts"
import type { Database } from "./store/database.ts"
import { DeskQueries } from "./insight/desk-queries.ts"
import {
  readLimits,
  type OfferedColleague,
  type DeskConfiguration,
  type Limits,
  type UpstreamConfiguration,
} from "./http/desk-configuration.ts"
import { deskRoutes, type DeskRoutes } from "./http/routes/desk-routes.ts"
import { DesksAlive } from "./desks-alive.ts"
import { Directory } from "./people/directory.ts"
import { SeenWork } from "./insight/seen-work.ts"
import { Forwarder } from "./proxy/forward.ts"
import type { Metrics } from "./http/metrics.ts"
import { RequestLimits } from "./http/request-limits.ts"
import { Router } from "./http/router.ts"
import { createDeskServer } from "./http/http-server.ts"
import { acceptWaiting, close, listen, urlOf } from "../platform/http/listen.ts"
import { SharedHints } from "./watcher/shared-hints.ts"
import type { Channel } from "./notices/channel.ts"
import type { HeadSending } from "./notices/head-sending.ts"
import { Notices } from "./notices/notice-service.ts"
import { Site } from "./http/site.ts"
import { findInsteadOf } from "./record/work-origins.ts"
import { WorkPeople } from "./record/work-people.ts"
import type { Watcher } from "./watcher/watcher.ts"
import { createUpstreamReader } from "./proxy/upstream-reader.ts"
import { ACCEPT_JSON } from "./proxy/upstream-request.ts"
import { openUpstream, TIMEOUTS, type Timeouts } from "./proxy/upstream.ts"

export type DeskServerOptions = {
  readonly configuration: Pick<
    DeskConfiguration,
    "host" | "port" | "allowedHosts" | "trustedProxies" | "knownDestinationsDays"
  >
  /** The address that browsers use, with sign-in. */
  readonly publicUrl?: URL | undefined
  readonly upstream: UpstreamConfiguration
  readonly colleagues: readonly OfferedColleague[]
  readonly version: string
  readonly people: People
  readonly record: DeskRecord
  readonly database: Database
  readonly files: RereadFiles
  /** Left out: no mail and no webhook. */
  readonly notices?: readonly Channel[] | undefined
  /** Sends signed heads of the record, with the name of this process in the lease. Left out if this process sends none. */
  readonly heads?: { readonly holder: string; readonly sending: HeadSending } | undefined
  /** Where `npm run build` puts the app. */
  readonly distFolder: string
  /** Serves the app instead of the built files: Vite, in development. */
  readonly fallback?: RequestListener
  readonly log: Log
  readonly timeouts?: Timeouts
  readonly limits?: Limits
  /** Undefined: the desk has no metrics. */
  readonly metrics?: Metrics | undefined
}

export type RunningDeskServer = {
  readonly url: string
  readonly server: Server
  /** The table of the addresses below `/desk`. */
  readonly routes: DeskRoutes
  /** Lists one Work at the upstream, to check that the upstream accepts this desk's requests. */
  askUpstream(): Promise<Answer | Refusal>
  /** From now on `/desk/ready` is 503, and connections close after their answer. Requests are still served. */
  drain(): void
  /** Takes no new requests, lets requests in progress finish, and ends the streams. Resolves within 10 s. */
  stop(): Promise<void>
}

// The program must end within 10 s. Two seconds are left for what stops after the requests.
const STOP_MS = 8_000

/** Starts the server and listens. @throws ConfigurationError when the desk cannot listen at the address */
export async function startDeskServer(options: DeskServerOptions): Promise<RunningDeskServer> {
  const { people, record, database, log, metrics, configuration, colleagues, version, files, fallback } = options
  const { limits = readLimits({}), timeouts = TIMEOUTS, notices: channels = [], publicUrl } = options
  const upstream = openUpstream(options.upstream.baseUrl, options.upstream.token, timeouts)
  const workPeople = people.mode === "local" ? undefined : new WorkPeople(database)
  const directory = new Directory(database, people.issuer)
  const access = () => people.access()
  const queries = new DeskQueries({
    people: workPeople,
    onVisibilityChange: createOverseersLine(people, log),
    readUpstream: createUpstreamReader(upstream, log),
    knownApprovals: new KnownApprovalStore(database),
    knownDestinationsDays: configuration.knownDestinationsDays,
    readDecisions: (after) => record.decisionsAfter(after),
    findInsteadOf: (workId) => findInsteadOf(database, workId),
    directory,
    claims: {
      mode: people.mode,
      database,
      directory,
      record,
      access,
      // `forwarder` is made below, because it needs the watcher.
      audienceOf: (session) => forwarder.visibility.audienceOf(session),
    },
  })
  const { watcher } = queries
  const seenWork = new SeenWork({ database, watcher, done: queries.done, people: workPeople, directory })
  const hints = new SharedHints(database, watcher)
  const desks = new DesksAlive(database)
  const forwarder = new Forwarder({
    upstream,
    people,
    record,
    watcher,
    hints,
    workPeople,
    database,
    maxStreams: () => desks.partOf(limits.upstreamStreams),
  })

  let url: URL | undefined
  const labels = new Map(colleagues.map(({ id, label }) => [id, label]))
  const notices = new Notices({
    channels,
    database,
    holder: options.heads?.holder,
    heads: options.heads?.sending,
    issuer: people.issuer,
    access,
    queries,
    workPeople,
    labelOf: (id) => labels.get(id) ?? id,
    // The address that links begin with. Without sign-in the address is known as soon as the desk listens.
    links: () => publicUrl ?? url ?? new URL("http://localhost"),
    log,
    count: (channel, outcome) => metrics?.count("workdesk_notices_total", { channel, outcome }),
  })
  metrics?.collectNotices(() => notices.figures())
  metrics?.collectHeads(options.heads?.sending)

  let draining = false
  const isDraining = () => draining
  const site = new Site(options.distFolder)
  // Vite serves the sources in development.
  const build = fallback === undefined ? site.build : undefined
  const routes = deskRoutes({
    people,
    record,
    database,
    queries,
    seenWork,
    forwarder,
    stalledMs: timeouts.stalledDownload,
    notices,
    description: {
      upstream: options.upstream.name,
      colleagues,
      version,
      ...(build !== undefined && { build }),
      ...(notices.sendsMail && { sends_mail: true }),
    },
    isDraining,
    lastAnswer: () => upstream.last,
    countSignIn: (result) => metrics?.count("workdesk_sign_ins_total", { result }),
  })
  const sources = { upstream, streams: forwarder.streams, watcher, version, database, files, people }
  metrics?.collectFrom({
    ...sources,
    routes: Object.keys(routes).map((address) => address.slice(address.indexOf("/"))),
  })
  const router = new Router({
    allowedHosts: new Set(configuration.allowedHosts),
    publicUrl,
    site,
    fallback,
    people,
    limits: people.mode === "local" ? undefined : new RequestLimits(limits, () => upstream.quotas.readsPerMinute),
    routes,
    forwarder,
  })
  const { host, trustedProxies } = configuration
  const server = createDeskServer({
    router,
    log,
    metrics,
    isDraining,
    trustedProxies,
    isSignIn: people.mode === "sign-in",
  })
  const port = await listen(server, configuration)
  url = new URL(urlOf(host, port))
  notices.start()
  return {
    url: url.origin,
    server,
    routes,
    askUpstream: () =>
      forwarder.reads.get({
        operation: operations.listWork,
        target: "/api/v1/work?limit=1",
        headers: ACCEPT_JSON,
        origin: ownOrigin(newTrace()),
      }),
    drain() {
      draining = true
    },
    async stop() {
      await acceptWaiting(server)
      const late = AbortSignal.timeout(STOP_MS)
      const closed = close(server, late)
      const noticesStopped = notices.stop()
      const queriesStopped = queries.stop()
      forwarder.streams.stop()
      desks.stop()
      const ended = Promise.all([closed, forwarder.mutations.finished(), queriesStopped, noticesStopped])
      await Promise.race([ended, once(late, "abort")])
      hints.stop()
      await upstream.pool.destroy()
      log.flush()
    },
  }
}

/** Logs, once for each content of the access file, how many open Works the file gives to overseers only. */
function createOverseersLine(people: People, log: Log): (watcher: Watcher) => void {
  let logged: Access | undefined
  return (watcher) => {
    const access = people.access()
    if (access === logged) return
    const works = watcher.visibleWork.countForOverseersOnly(access)
    // Not every Work is known yet.
    if (works === undefined) return
    logged = access
    const hasOverseers = (access.visibility?.overseers ?? []).length > 0
    log.info(
      { works },
      `open Work that ${hasOverseers ? "only overseers see" : "nobody sees"}, apart from pending approvals`,
    )
  }
}
