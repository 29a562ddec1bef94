/** While this desk holds the lease `notices`: fills the outbox each second, and sends. */
import type { Log } from "../../platform/log.ts"
import { StoreUnavailableError } from "../store/database.ts"
import { releaseLease, acquireLease } from "./lease.ts"
import { LeaseLostError } from "./outbox.ts"
import { OutboxFiller, type OutboxFillerOptions } from "./outbox-filler.ts"
import { type CountNotice, createSending, type Sending } from "./sending.ts"
import { inBackground } from "../../platform/background.ts"

const LOOK_MS = 1_000
/** The lease lasts 30 s, so that several renewals may fail. */
const RENEW_MS = 5_000
const PRUNE_MS = 3_600_000
/** How long the end waits for deliveries that are being sent. The desk ends within ten seconds. */
const STOP_MS = 7_000

export type NoticeLoopOptions = OutboxFillerOptions & {
  /** Names this process in the lease. */
  readonly holder: string
  readonly log: Log
  readonly count: CountNotice
}

export class NoticeLoop {
  readonly #options: NoticeLoopOptions
  readonly #filler: OutboxFiller
  readonly #sendings: readonly Sending[]
  readonly #faults: Faults
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  #isStopped = false
  #hasLease = false
  #renewedAt = Number.NEGATIVE_INFINITY
  /** When old deliveries were last removed. The first time is an hour after the desk began to look. */
  #prunedAt = performance.now()

  constructor(options: NoticeLoopOptions) {
    this.#options = options
    this.#filler = new OutboxFiller(options)
    this.#faults = new Faults(options.log)
    const onWithdrawn = () => this.#filler.forget()
    const onFault = (error: unknown) => this.#note(error)
    this.#sendings = options.channels.map((channel) => createSending(channel, { ...options, onFault, onWithdrawn }))
  }

  /** Looks at what is pending, and again a second after each look. */
  start(): void {
    const startedAt = performance.now()
    this.#looking = this.look().finally(() => {
      if (this.#isStopped) return
      // A look at ten thousand items takes a tenth of a second. After a slower look the pause stays short enough to renew the lease and to keep the
      // watcher from resting. Otherwise slow desks would take the lease from each other, each with a watcher that has just begun.
      const pauseMs = Math.min((performance.now() - startedAt) * 10, RENEW_MS)
      this.#timer = setTimeout(() => this.start(), Math.max(LOOK_MS, pauseMs)).unref()
    })
  }

  /** Waits a moment for what is being sent, and gives the lease back. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#looking
    await Promise.all(this.#sendings.map((sending) => sending.stop(STOP_MS)))
    const { database, holder } = this.#options
    // Without the store, the lease runs out by itself.
    if (this.#hasLease) await releaseLease(database, holder).catch(() => undefined)
  }

  /** Looks once. Never rejects: what fails is noted in the log, and the next look tries again. */
  async look(): Promise<void> {
    try {
      if (performance.now() - this.#renewedAt >= RENEW_MS) await this.#acquireLease()
      if (this.#hasLease) await this.#lookAndSend()
      this.#faults.healed()
    } catch (error) {
      this.#note(error)
    }
  }

  #note(error: unknown): void {
    // The store may have made a change although its answer was lost, so the next look reads the store.
    this.#filler.forget()
    if (error instanceof LeaseLostError) this.#hasLease = false
    else this.#faults.note(error)
  }

  /** Acquires the lease if it is free, or renews it, and renews what this desk is sending. */
  async #acquireLease(): Promise<void> {
    const { database, holder, outbox } = this.#options
    const hadLease = this.#hasLease
    this.#hasLease = await acquireLease(database, holder, Date.now())
    // Another desk may have had the lease and changed the store. Without the lease this does no harm, because nothing is filled.
    if (!hadLease) this.#filler.begin()
    const underWay = this.#sendings.flatMap((sending) => sending.underWay())
    if (this.#hasLease) await outbox.renewLeases(underWay, Date.now())
    this.#renewedAt = performance.now()
  }

  async #lookAndSend(): Promise<void> {
    const { outbox, queries } = this.#options
    // A look that stores very many mails may take longer than the lease lasts. While the store is away, the renewal fails, but so does `fill`.
    const renewing = setInterval(() => inBackground(() => this.#acquireLease()), RENEW_MS)
    const isReady = await this.#filler.fill().finally(() => clearInterval(renewing))
    if (!isReady) return
    for (const sending of this.#sendings) inBackground(sending.begin)
    // A desk that has just begun may not know all pending items yet. If the notice of a pending item were pruned, people would be notified again.
    if (queries.watcher.wake().knownWhole().level !== "whole") return
    if (performance.now() - this.#prunedAt < PRUNE_MS) return
    this.#prunedAt = performance.now()
    await outbox.prune(Date.now())
  }
}

/** Logs when notices can't be sent, and when they can again: once for each outage of the store, and each time for a fault of the desk. */
class Faults {
  readonly #log: Log
  #isAway = false

  constructor(log: Log) {
    this.#log = log
  }

  note(error: unknown): void {
    const fields =
      error instanceof StoreUnavailableError
        ? { cause: error.logCause, failure: error.message }
        : { cause: "fault", failure: error instanceof Error ? error.name : "unknown" }
    const isOwnFault = fields.cause === "fault"
    if (!this.#isAway || isOwnFault) this.#log.error(fields, "notices can't continue")
    this.#isAway = true
  }

  healed(): void {
    if (this.#isAway) this.#log.warn({}, "notices go on")
    this.#isAway = false
  }
}
