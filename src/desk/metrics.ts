/** The metrics, and the server of `GET /metrics` (`docs/operating.md`, "Health, metrics and logs"). No label holds the id of a person or a Work. */
import { once } from "node:events"
import { createServer } from "node:http"
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client"
import { operations } from "../contract/operations.ts"
import { CAUSES } from "../platform/cause.ts"
import type { RereadFiles } from "../platform/reread-files.ts"
import type { Database } from "../store/database.ts"
import { OUTCOMES } from "../notices/channel.ts"
import { CHANNELS } from "../notices/channels.ts"
import { FAILURE_REASONS } from "../people/sign-in-failures.ts"
import { REFUSAL_CODES } from "../http/refusal.ts"
import { NOTHING_UNSENT, type UnsentFigures } from "../notices/unsent.ts"
import type { Watcher } from "../waiting/watcher.ts"
import { listen } from "./http-server.ts"
import { STORE_CALL_KINDS, type StoreCallKind } from "./measured-database.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { StreamHub } from "../proxy/stream-hub.ts"
import type { Upstream } from "../proxy/upstream.ts"

// Without a sample, Node's histogram of the event loop has no mean, and its least value is the largest integer.
const WITHOUT_SAMPLES = / (?:NaN|Nan|9223372036\S*)$/gm

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STORE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

export type MetricsSources = {
  readonly version: string
  readonly database: Database
  readonly files: RereadFiles
  /** How many sessions are open. Zero in local mode. */
  readonly countSessions: () => Promise<number>
  readonly upstream: Upstream
  readonly streams: StreamHub
  readonly watcher: Watcher
}

const GC_KINDS = ["major", "minor", "incremental", "weakcb"]

const OPERATIONS: readonly string[] = Object.keys(operations)
const SUCCESSES = Object.values(operations).flatMap(({ success }) => Object.keys(success))
const FAILURES = [400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 428, 429, 500, 502, 503, 504]
/** What the desk answers. Another status of the service counts from when it is first seen. */
const STATUSES: readonly string[] = [...new Set([...SUCCESSES, ...FAILURES.map(String)])]

/** The values of each label of a metric. */
type LabelValues = Readonly<Record<string, readonly string[]>>

/** Every combination of the labels' values. */
function combine(labels: LabelValues): readonly Readonly<Record<string, string>>[] {
  let combined: readonly Readonly<Record<string, string>>[] = [{}]
  for (const [label, values] of Object.entries(labels)) {
    combined = combined.flatMap((others) => values.map((value) => ({ ...others, [label]: value })))
  }
  return combined
}

/** One number, or a number for each value of the metric's label. */
type Values = number | Iterable<readonly [string, number]>

export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]
  readonly #requests = this.#counter("workdesk_requests_total", "Requests for the API's operations.", {
    operation: OPERATIONS,
    status: STATUSES,
  })
  readonly #durations = this.#histogram(
    "workdesk_request_duration_seconds",
    "From a request's arrival to the end of its answer. Streams are left out.",
    SECONDS,
    { operation: OPERATIONS.filter((operation) => operation !== "streamWorkEvents"), status: STATUSES },
  )
  readonly #refusals = this.#counter(
    "workdesk_refusals_total",
    "Requests that the desk itself refused, by the Problem's code.",
    { reason: REFUSAL_CODES },
  )
  readonly signIns = this.#counter(
    "workdesk_sign_ins_total",
    "Sign-ins that ended, by their result: finished, or why they failed.",
    { result: ["finished", ...FAILURE_REASONS] },
  )
  readonly #recordRows = this.#counter("workdesk_record_rows_total", "Rows of the record that were stored.", {})
  readonly #recordStore = this.#histogram(
    "workdesk_record_store_seconds",
    "The time until a row of the record is on the disk.",
    STORE_SECONDS,
    {},
  )
  readonly #deskRequests = this.#counter(
    "workdesk_desk_requests_total",
    "Requests below /desk, by route and status.",
    // `collectRoutes` adds the routes.
    { route: [], status: STATUSES },
  )
  readonly #storeCalls = this.#counter("workdesk_store_calls_total", "Calls of the desk's store, by kind and result.", {
    kind: STORE_CALL_KINDS,
    result: ["done", "failed"],
  })
  readonly #storeSeconds = this.#histogram(
    "workdesk_store_seconds",
    "The time of a call of the desk's store, by kind.",
    STORE_SECONDS,
    { kind: STORE_CALL_KINDS },
  )
  readonly chainFaults = new Gauge({
    name: "workdesk_record_chain_faults",
    help: "Faults that the last check of the record's chain has found.",
    registers: this.#registers,
  })
  readonly notices = this.#counter(
    "workdesk_notices_total",
    "Mails and events of the webhook that were settled, and failed attempts, by channel and outcome.",
    { channel: CHANNELS.map(({ name }) => name), outcome: OUTCOMES },
  )

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: "workdesk_" })
    // No label may appear while the desk runs. So each kind of garbage collection begins at 0 now, and the metrics whose labels are types of
    // resources are removed.
    const collections = this.registry.getSingleMetric("workdesk_nodejs_gc_duration_seconds")
    if (collections instanceof Histogram) for (const kind of GC_KINDS) collections.zero({ kind })
    for (const what of ["resources", "handles", "requests"]) {
      this.registry.removeSingleMetric(`workdesk_nodejs_active_${what}`)
    }
  }

  /** Counts a request that is over. */
  observe({ operation, route, response, refusalCode }: RequestContext, seconds: number): void {
    if (refusalCode !== undefined) this.#refusals.inc({ reason: refusalCode })
    if (!response.headersSent) return
    const status = String(response.statusCode)
    if (route.startsWith("/desk")) this.#deskRequests.inc({ route, status })
    if (operation === undefined) return
    this.#requests.inc({ operation, status })
    if (operation !== "streamWorkEvents") this.#durations.observe({ operation, status }, seconds)
  }

  /** Counts rows that were appended to the record in one transaction, which took so many milliseconds. */
  countRecordRows(rows: number, milliseconds: number): void {
    this.#recordRows.inc(rows)
    this.#recordStore.observe(milliseconds / 1_000)
  }

  /** Counts a call of the store. */
  readonly countStoreCall = (kind: StoreCallKind, seconds: number, isDone: boolean): void => {
    this.#storeCalls.inc({ kind, result: isDone ? "done" : "failed" })
    this.#storeSeconds.observe({ kind }, seconds)
  }

  /** The text for Prometheus. A value that is not known yet is 0. */
  async text(): Promise<string> {
    return (await this.registry.metrics()).replaceAll(WITHOUT_SAMPLES, " 0")
  }

  /** A counter that begins at 0 for each combination of the labels' values. Without that, an alert on `increase()` misses the first of a kind. */
  #counter(name: string, help: string, labels: LabelValues) {
    const counter: Counter<string> = new Counter({
      name,
      help,
      labelNames: Object.keys(labels),
      registers: this.#registers,
    })
    for (const values of combine(labels)) counter.inc(values, 0)
    return counter
  }

  #histogram(name: string, help: string, buckets: number[], labels: LabelValues) {
    const labelNames = Object.keys(labels)
    const histogram: Histogram<string> = new Histogram({ name, help, labelNames, buckets, registers: this.#registers })
    if (labelNames.length > 0) for (const values of combine(labels)) histogram.zero(values)
    return histogram
  }

  /** A counter whose value is read at each scrape. */
  #total(name: string, help: string, read: () => Values, label = ""): void {
    const counter: Counter<string> = new Counter({
      name,
      help,
      labelNames: label === "" ? [] : [label],
      registers: this.#registers,
      collect() {
        counter.reset()
        const found = read()
        if (typeof found === "number") counter.inc(found)
        else for (const [value, count] of found) counter.inc({ [label]: value }, count)
      },
    })
  }

  /** A gauge that is read at each scrape. While it cannot be read, the last values stay. */
  #gauge(name: string, help: string, read: () => Values | Promise<Values>, label = ""): void {
    const gauge: Gauge<string> = new Gauge({
      name,
      help,
      labelNames: label === "" ? [] : [label],
      registers: this.#registers,
      async collect() {
        const found = await Promise.resolve(read()).catch(() => [])
        if (typeof found === "number") gauge.set(found)
        else for (const [value, number] of found) gauge.set({ [label]: value }, number)
      },
    })
  }

  /** Lets the requests below `/desk` begin at 0 for each route. */
  collectRoutes(routes: readonly string[]): void {
    for (const values of combine({ route: routes, status: STATUSES })) this.#deskRequests.inc(values, 0)
  }

  /** Adds the metrics of the outbox. While the store is away, the last figures stay. */
  collectNotices(figures: () => Promise<UnsentFigures>): void {
    let last = NOTHING_UNSENT
    const readEach = (pick: (found: UnsentFigures[string]) => number) => async () => {
      last = await figures().catch(() => last)
      return Object.entries(last).map(([channel, found]) => [channel, pick(found)] as const)
    }
    const age = readEach(({ oldestSeconds }) => oldestSeconds)
    const count = readEach(({ unsent }) => unsent)
    const ageHelp = "Age of the oldest mail or event that is unsent."
    this.#gauge("workdesk_notices_oldest_unsent_seconds", ageHelp, age, "channel")
    this.#gauge("workdesk_notices_unsent", "Mails and events that are unsent.", count, "channel")
  }

  /** Adds the metrics that are read from the desk's parts at each scrape. */
  collectFrom({ upstream, streams, watcher, version, database, files, countSessions }: MetricsSources): void {
    const { figures, quotas } = upstream
    const errorHelp = "Requests to the service that failed, by cause."
    this.#total(
      "workdesk_upstream_errors_total",
      errorHelp,
      () => [...CAUSES.map((cause) => [cause, 0] as const), ...figures.failures],
      "cause",
    )
    this.#total("workdesk_delivered_events_total", "Events that were sent to viewers.", () => figures.deliveredEvents)
    const streamHelp = "Event streams that are open, by side: upstream, or viewer."
    this.#gauge("workdesk_open_streams", streamHelp, () => Object.entries(streams.figures()), "side")
    const quotaHelp = "What the credential's quotas had left in the service's last answers."
    this.#gauge("workdesk_quota_remaining", quotaHelp, () => quotas.left(), "quota")
    this.#gauge("workdesk_watcher_open_works", "Open Works that the watcher knows.", () => watcher.figures().openWorks)
    this.#gauge(
      "workdesk_watcher_oldest_check_seconds",
      "Age of the watcher's oldest check of an open Work.",
      () => watcher.figures().oldestCheckSeconds ?? 0,
    )
    this.#gauge(
      "workdesk_waiting_requests",
      "Requests that wait for a change of what waits.",
      () => watcher.figures().waitingRequests,
    )
    this.#gauge("workdesk_sessions", "Open sessions, of all desks of the store.", countSessions)
    const { connections } = database
    if (connections !== undefined) {
      this.#gauge("workdesk_store_connections", "Connections to PostgreSQL in use.", () => connections().inUse)
      this.#gauge("workdesk_store_waiting", "Calls that wait for a connection.", () => connections().waiting)
    }
    const faultHelp = "Whether the file that a variable names cannot be used now."
    const faults = () => [...files.faults()].map(([variable, isBad]) => [variable, Number(isBad)] as const)
    this.#gauge("workdesk_file_faults", faultHelp, faults, "variable")
    new Gauge({
      name: "workdesk_build_info",
      help: "The version of the desk and of Node.",
      labelNames: ["version", "node"],
      registers: this.#registers,
    }).set({ version, node: process.version }, 1)
  }
}

export type MetricsServer = { readonly port: number; readonly stop: () => Promise<void> }

/**
 * Serves `GET /metrics` at an address of its own (METRICS_HOST, METRICS_PORT) and 404 for everything else.
 * @throws ConfigurationError when the desk cannot listen there
 */
export async function serveMetrics(
  metrics: Metrics,
  address: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const isAsked = request.url === "/metrics" && (request.method === "GET" || request.method === "HEAD")
    if (!isAsked) return void response.writeHead(404, { "Content-Type": "text/plain" }).end("not found\n")
    metrics.text().then(
      (text) => response.writeHead(200, { "Content-Type": metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  const port = await listen(server, address, { host: "METRICS_HOST", port: "METRICS_PORT" })
  return {
    port,
    async stop() {
      const closed = once(server.close(), "close")
      server.closeAllConnections()
      await closed
    },
  }
}
