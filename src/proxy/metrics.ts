/** The metrics of `GET /metrics` (`docs/operating.md`, "Health, metrics and logs"). No label holds the id of a person or a Work. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client"
import type { Watcher } from "../waiting/watcher-interface.ts"
import type { RequestContext } from "./request-context.ts"
import type { StreamHub } from "./stream-hub.ts"
import type { Upstream } from "./upstream.ts"

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STORE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

export type MetricsSources = {
  readonly upstream: Upstream
  readonly streams: StreamHub
  readonly watcher: Watcher
}

export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]
  readonly #requests = new Counter({
    name: "workdesk_requests_total",
    help: "Requests for the API's operations.",
    labelNames: ["operation", "status"],
    registers: this.#registers,
  })
  readonly #durations = new Histogram({
    name: "workdesk_request_duration_seconds",
    help: "From a request's arrival to the end of its answer. Streams are left out.",
    labelNames: ["operation", "status"],
    buckets: SECONDS,
    registers: this.#registers,
  })
  readonly #refusals = new Counter({
    name: "workdesk_refusals_total",
    help: "Requests that the desk itself refused, by the Problem's code.",
    labelNames: ["reason"],
    registers: this.#registers,
  })
  readonly #signIns = new Counter({
    name: "workdesk_sign_ins_total",
    help: "Sign-ins that ended, by their result: finished, or why they failed.",
    labelNames: ["result"],
    registers: this.#registers,
  })
  readonly #recordRows = new Counter({
    name: "workdesk_record_rows_total",
    help: "Rows of the record that were stored.",
    registers: this.#registers,
  })
  readonly #recordStore = new Histogram({
    name: "workdesk_record_store_seconds",
    help: "The time until a row of the record is on the disk.",
    buckets: STORE_SECONDS,
    registers: this.#registers,
  })

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: "workdesk_" })
  }

  /** Counts a request that is over. */
  observe({ operation, response, refusalCode }: RequestContext, seconds: number): void {
    if (refusalCode !== undefined) this.#refusals.inc({ reason: refusalCode })
    if (operation === undefined || !response.headersSent) return
    const labels = { operation, status: String(response.statusCode) }
    this.#requests.inc(labels)
    if (operation !== "streamWorkEvents") this.#durations.observe(labels, seconds)
  }

  countSignIn(result: string): void {
    this.#signIns.inc({ result })
  }

  /** Counts rows that were appended to the record in one transaction, which took so many milliseconds. */
  countRecordRows(rows: number, milliseconds: number): void {
    this.#recordRows.inc(rows)
    this.#recordStore.observe(milliseconds / 1_000)
  }

  /** Adds the metrics that are read from the desk's parts at each scrape. */
  collectFrom({ upstream, streams, watcher }: MetricsSources): void {
    const { figures, quotas } = upstream
    const errors = { name: "workdesk_upstream_errors_total", help: "Requests to the service that failed, by cause." }
    const failed: Counter<"cause"> = new Counter({
      ...errors,
      labelNames: ["cause"],
      registers: this.#registers,
      collect() {
        failed.reset()
        for (const [cause, count] of figures.failures) failed.inc({ cause }, count)
      },
    })
    const delivered: Counter = new Counter({
      name: "workdesk_delivered_events_total",
      help: "Events that were sent to viewers.",
      registers: this.#registers,
      collect() {
        delivered.reset()
        delivered.inc(figures.deliveredEvents)
      },
    })
    const open: Gauge<"side"> = new Gauge({
      name: "workdesk_open_streams",
      help: "Event streams that are open, by side: upstream, or viewer.",
      labelNames: ["side"],
      registers: this.#registers,
      collect() {
        const { upstream, viewers } = streams.figures()
        open.set({ side: "upstream" }, upstream)
        open.set({ side: "viewer" }, viewers)
      },
    })
    const quota: Gauge<"quota"> = new Gauge({
      name: "workdesk_quota_remaining",
      help: "What the credential's quotas had left in the service's last answers.",
      labelNames: ["quota"],
      registers: this.#registers,
      collect() {
        for (const [name, left] of quotas.left()) quota.set({ quota: name }, left)
      },
    })
    const openWorks: Gauge = new Gauge({
      name: "workdesk_watcher_open_works",
      help: "Open Works that the watcher knows.",
      registers: this.#registers,
      collect: () => openWorks.set(watcher.figures().openWorks),
    })
    const oldestCheck: Gauge = new Gauge({
      name: "workdesk_watcher_oldest_check_seconds",
      help: "Age of the watcher's oldest check of an open Work.",
      registers: this.#registers,
      collect: () => oldestCheck.set(watcher.figures().oldestCheckSeconds ?? 0),
    })
  }
}
