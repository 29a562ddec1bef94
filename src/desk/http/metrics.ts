/** The metrics, and the server of `GET /metrics` (`docs/operating.md`, "Health, metrics and logs"). No label holds the id of a person or a Work. */
import { once } from "node:events"
import { createServer } from "node:http"
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client"
import { operations } from "../../contract/operations.ts"
import { CAUSES } from "../../platform/cause.ts"
import type { RereadFiles } from "../../platform/reread-files.ts"
import type { Database } from "../store/database.ts"
import { OUTCOMES } from "../notices/channel.ts"
import { CHANNELS } from "../notices/channels.ts"
import type { People } from "../people/people-interface.ts"
import { FAILURE_REASONS } from "../people/sign-in-failures.ts"
import { REFUSAL_CODES } from "../../contract/refusal-codes.ts"
import type { HeadFigures, HeadSending } from "../notices/head-sending.ts"
import { NOTHING_UNSENT, type UnsentFigures } from "../notices/unsent.ts"
import type { Watcher } from "../watcher/watcher.ts"
import { listen } from "../../platform/http/listen.ts"
import { type OnStoreCall, STORE_CALL_KINDS } from "../store/database.ts"
import type { RequestContext } from "../../platform/http/request-context.ts"
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
  readonly people: People
  readonly upstream: Upstream
  readonly streams: StreamHub
  readonly watcher: Watcher
  /** The templates of the addresses below `/desk`. */
  readonly routes: readonly string[]
}

const GC_KINDS = ["major", "minor", "incremental", "weakcb"]

const OPERATIONS: readonly string[] = Object.keys(operations)
const SUCCESSES = Object.values(operations).flatMap(({ success }) => Object.keys(success))
const FAILURES = [400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 428, 429, 500, 502, 503, 504]
/** What the desk answers. Another status of the service counts from when it is first seen. */
const STATUSES: readonly string[] = [...new Set([...SUCCESSES, ...FAILURES.map(String)])]

/** The values of each label of a metric. */
type Labels = Readonly<Record<string, readonly string[]>>
type Row = readonly [name: string, help: string, labels: Labels]

const COUNTERS = [
  ["workdesk_requests_total", "Requests for the API's operations.", { operation: OPERATIONS, status: STATUSES }],
  // `collectFrom` adds the routes.
  ["workdesk_desk_requests_total", "Requests to /desk, by route and status.", { route: [], status: STATUSES }],
  ["workdesk_refusals_total", "Requests that the desk refused, by the Problem's code.", { reason: REFUSAL_CODES }],
  ["workdesk_sign_ins_total", "Finished and failed sign-ins, by result.", { result: ["finished", ...FAILURE_REASONS] }],
  ["workdesk_record_rows_total", "Stored rows of the record.", {}],
  ["workdesk_record_heads_total", "Heads of the record that this desk has signed.", {}],
  [
    "workdesk_store_calls_total",
    "Calls to the desk's store, by kind and result.",
    { kind: STORE_CALL_KINDS, result: ["done", "failed"] },
  ],
  [
    "workdesk_notices_total",
    "Notice deliveries and failed attempts, by channel and outcome.",
    { channel: CHANNELS.map(({ name }) => name), outcome: OUTCOMES },
  ],
] as const satisfies readonly Row[]

const HISTOGRAMS = [
  [
    "workdesk_request_duration_seconds",
    "Time from a request's arrival to the end of its response, except for streams.",
    { operation: OPERATIONS.filter((operation) => operation !== "streamWorkEvents"), status: STATUSES },
    SECONDS,
  ],
  ["workdesk_record_store_seconds", "Time until a row of the record is on disk.", {}, STORE_SECONDS],
  [
    "workdesk_store_seconds",
    "Duration of calls to the desk's store, by kind.",
    { kind: STORE_CALL_KINDS },
    STORE_SECONDS,
  ],
] as const satisfies readonly (readonly [...Row, buckets: number[]])[]

/** Every combination of the labels' values. */
function combine(labels: Labels): readonly Readonly<Record<string, string>>[] {
  let combined: readonly Readonly<Record<string, string>>[] = [{}]
  for (const [label, values] of Object.entries(labels)) {
    combined = combined.flatMap((others) => values.map((value) => ({ ...others, [label]: value })))
  }
  return combined
}

/** One number, or a number for each value of the metric's label. */
type Values = number | Iterable<readonly [string, number]>

/** A metric that is read at each scrape. A metric without a label has an empty text instead. */
type ScrapedRow = readonly [name: string, help: string, label: string, read: () => Values | Promise<Values>]

/** Every value of every label begins at 0, because otherwise an alert on `increase()` would miss the first of a kind. */
export class Metrics {
  readonly registry = new Registry()
  /** Faults that the last check of the record's chain has found. */
  chainFaults = 0
  readonly #registers = [this.registry]
  readonly #counters = new Map<string, Counter<string>>()
  readonly #histograms = new Map<string, Histogram<string>>()

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: "workdesk_" })
    const collections = this.registry.getSingleMetric("workdesk_nodejs_gc_duration_seconds")
    if (collections instanceof Histogram) for (const kind of GC_KINDS) collections.zero({ kind })
    // The label of these metrics is a type of resource, and a new type may appear while the desk runs.
    for (const what of ["resources", "handles", "requests"]) {
      this.registry.removeSingleMetric(`workdesk_nodejs_active_${what}`)
    }
    const registers = this.#registers
    for (const [name, help, labels] of COUNTERS) {
      this.#counters.set(name, new Counter({ name, help, labelNames: Object.keys(labels), registers }))
      for (const values of combine(labels)) this.count(name, values, 0)
    }
    for (const [name, help, labels, buckets] of HISTOGRAMS) {
      const histogram = new Histogram<string>({ name, help, labelNames: Object.keys(labels), buckets, registers })
      for (const values of combine(labels)) histogram.zero(values)
      this.#histograms.set(name, histogram)
    }
  }

  count(name: (typeof COUNTERS)[number][0], labels: Readonly<Record<string, string>> = {}, by = 1): void {
    this.#counters.get(name)?.inc(labels, by)
  }

  #measure(name: (typeof HISTOGRAMS)[number][0], labels: Readonly<Record<string, string>>, seconds: number): void {
    this.#histograms.get(name)?.observe(labels, seconds)
  }

  /** Counts a request that is over. */
  observe({ operation, route, response, refusalCode }: RequestContext, seconds: number): void {
    if (refusalCode !== undefined) this.count("workdesk_refusals_total", { reason: refusalCode })
    if (!response.headersSent) return
    const status = String(response.statusCode)
    if (route.startsWith("/desk")) this.count("workdesk_desk_requests_total", { route, status })
    if (operation === undefined) return
    this.count("workdesk_requests_total", { operation, status })
    if (operation === "streamWorkEvents") return
    this.#measure("workdesk_request_duration_seconds", { operation, status }, seconds)
  }

  /** Counts rows that were appended to the record in one transaction, which took so many milliseconds. */
  countRecordRows(rows: number, milliseconds: number): void {
    this.count("workdesk_record_rows_total", {}, rows)
    this.#measure("workdesk_record_store_seconds", {}, milliseconds / 1_000)
  }

  readonly countStoreCall: OnStoreCall = (kind, seconds, isDone) => {
    this.count("workdesk_store_calls_total", { kind, result: isDone ? "done" : "failed" })
    this.#measure("workdesk_store_seconds", { kind }, seconds)
  }

  /** The text for Prometheus. A value that is not known yet is 0. */
  async text(): Promise<string> {
    return (await this.registry.metrics()).replaceAll(WITHOUT_SAMPLES, " 0")
  }

  /** Adds metrics that are read at each scrape. While a gauge cannot be read, its last values stay. */
  #collect(rows: readonly ScrapedRow[]): void {
    for (const [name, help, label, read] of rows) {
      const options = { name, help, labelNames: label === "" ? [] : [label], registers: this.#registers }
      const readLabelled = async () => {
        const found = await Promise.resolve(read()).catch(() => [])
        if (typeof found === "number") return [[{}, found]] as const
        return [...found].map(([value, number]) => [{ [label]: value }, number] as const)
      }
      if (name.endsWith("_total")) {
        const counter = new Counter<string>({
          ...options,
          async collect() {
            const found = await readLabelled()
            counter.reset()
            for (const [labels, number] of found) counter.inc(labels, number)
          },
        })
      } else {
        const gauge = new Gauge<string>({
          ...options,
          async collect() {
            for (const [labels, number] of await readLabelled()) gauge.set(labels, number)
          },
        })
      }
    }
  }

  /** Adds the metrics of the outbox. While the store is away, the last figures stay. */
  collectNotices(figures: () => Promise<UnsentFigures>): void {
    let last = NOTHING_UNSENT
    const readEach = (pick: (found: UnsentFigures[string]) => number) => async () => {
      last = await figures().catch(() => last)
      return Object.entries(last).map(([channel, found]) => [channel, pick(found)] as const)
    }
    const readAge = readEach(({ oldestSeconds }) => oldestSeconds)
    this.#collect([
      ["workdesk_notices_oldest_unsent_seconds", "Age of the oldest unsent delivery.", "channel", readAge],
      ["workdesk_notices_unsent", "Unsent notice deliveries.", "channel", readEach(({ unsent }) => unsent)],
    ])
  }

  /** Adds the metrics of signed heads. They stay 0 if heads are sent to nobody. While the store is away, the last figures stay. */
  collectHeads(sending: Pick<HeadSending, "figures"> | undefined): void {
    let last: HeadFigures = { unsent: 0, sentSecondsAgo: 0 }
    const read = (pick: (figures: HeadFigures) => number) => async () => {
      last = (await sending?.figures().catch(() => last)) ?? last
      return pick(last)
    }
    const readAge = read(({ sentSecondsAgo }) => sentSecondsAgo)
    this.#collect([
      [
        "workdesk_record_heads_unsent",
        "Signed heads that RECORD_HEADS_URL hasn't accepted yet.",
        "",
        read(({ unsent }) => unsent),
      ],
      ["workdesk_record_head_sent_age_seconds", "Seconds since RECORD_HEADS_URL last accepted a head.", "", readAge],
    ])
  }

  /** Adds the metrics that are read from the desk's parts at each scrape. */
  collectFrom(sources: MetricsSources): void {
    const { upstream, streams, watcher, version, database, files, people, routes } = sources
    const { figures, quotas } = upstream
    for (const values of combine({ route: routes, status: STATUSES }))
      this.count("workdesk_desk_requests_total", values, 0)
    const readErrors = () => [...CAUSES.map((cause) => [cause, 0] as const), ...figures.failures]
    const readFaults = () => [...files.faults()].map(([variable, isBad]) => [variable, Number(isBad)] as const)
    const readCheck = () => watcher.figures().oldestCheckSeconds ?? 0
    const readWaiting = () => watcher.figures().waitingRequests
    const readQuotas = () => quotas.left()
    const readStreams = () => Object.entries(streams.figures())
    this.#collect([
      ["workdesk_upstream_errors_total", "Requests to the service that failed, by cause.", "cause", readErrors],
      ["workdesk_delivered_events_total", "Events sent to viewers.", "", () => figures.deliveredEvents],
      ["workdesk_open_streams", "Open event streams, by side: upstream or viewer.", "side", readStreams],
      [
        "workdesk_quota_remaining",
        "What was left of the credential's quotas as of the service's last response.",
        "quota",
        readQuotas,
      ],
      ["workdesk_watcher_open_works", "Open Work that the watcher knows of.", "", () => watcher.figures().openWorks],
      [
        "workdesk_watcher_oldest_check_seconds",
        "Seconds since the least recently checked open Work was checked.",
        "",
        readCheck,
      ],
      ["workdesk_waiting_requests", "Requests waiting for the pending items to change.", "", readWaiting],
      ["workdesk_sessions", "Open sessions at all desks that share the store.", "", () => people.countSessions()],
      [
        "workdesk_record_chain_faults",
        "Faults found by the last check of the record's chain.",
        "",
        () => this.chainFaults,
      ],
      ["workdesk_file_faults", "1 if the file named by a variable can't be used, otherwise 0.", "variable", readFaults],
    ])
    const { connections } = database
    if (connections !== undefined) {
      this.#collect([
        ["workdesk_store_connections", "Connections to PostgreSQL in use.", "", () => connections().inUse],
        ["workdesk_store_waiting", "Calls waiting for a connection.", "", () => connections().waiting],
      ])
    }
    const [name, help] = ["workdesk_build_info", "The versions of the desk and of Node."]
    const info = new Gauge({ name, help, labelNames: ["version", "node"], registers: this.#registers })
    info.set({ version, node: process.version }, 1)
  }
}

export type MetricsServer = { readonly port: number; readonly stop: () => Promise<void> }

/** Serves `GET /metrics` at METRICS_HOST and METRICS_PORT. @throws ConfigurationError when the desk cannot listen there */
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
