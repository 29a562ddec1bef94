/** Takes the lease `notices`. While this desk holds the lease: each second fills the outbox from what waits, and begins to send. */
import type { Log } from "../platform/log.ts"
import { type Database, StoreUnavailableError } from "../store/database.ts"
import { giveLeaseBack, takeLease } from "./lease.ts"
import type { OutboxFiller } from "./outbox-filler.ts"
import { LeaseLostError, type Outbox } from "./outbox.ts"

const LOOK_MS = 1_000
/** The lease lasts 30 s, so that several renewals may fail. */
const RENEW_MS = 5_000
const PRUNE_MS = 3_600_000
/** How long the end waits for deliveries that are being sent. */
const STOP_MS = 3_000

/** Sends what is due of one channel. */
type Sender = {
  readonly begin: () => Promise<void>
  readonly stop: (waitMs: number) => Promise<void>
}

export type NoticeLoopOptions = {
  readonly database: Database
  readonly holder: string
  readonly outbox: Outbox
  readonly filler: OutboxFiller
  readonly senders: readonly Sender[]
  readonly faults: Faults
}

export class NoticeLoop {
  readonly #options: NoticeLoopOptions
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  #hasLease = false
  #renewedAt = Number.NEGATIVE_INFINITY
  #prunedAt = Number.NEGATIVE_INFINITY
  #isStopped = false

  constructor(options: NoticeLoopOptions) {
    this.#options = options
  }

  /** Looks at what waits, and again a second after each look. */
  start(): void {
    const began = performance.now()
    this.#looking = this.#lookAndNote().finally(() => {
      if (this.#isStopped) return
      // A look at ten thousand items takes a tenth of a second. Looks take at most an eleventh of the time.
      const took = performance.now() - began
      this.#timer = setTimeout(() => this.start(), Math.max(LOOK_MS, took * 10)).unref()
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#looking
    await Promise.all(this.#options.senders.map((sender) => sender.stop(STOP_MS)))
    const { database, holder } = this.#options
    // Without the store, the lease runs out by itself.
    if (this.#hasLease) await giveLeaseBack(database, holder).catch(() => undefined)
  }

  async #lookAndNote(): Promise<void> {
    const { faults, filler } = this.#options
    try {
      await this.#lookOnce()
      faults.healed()
    } catch (error) {
      if (error instanceof LeaseLostError) this.#hasLease = false
      else faults.note(error)
      filler.reload()
    }
  }

  async #lookOnce(): Promise<void> {
    const { outbox, filler, senders } = this.#options
    if (performance.now() - this.#renewedAt >= RENEW_MS) await this.#takeLease()
    if (!this.#hasLease) return
    // A look that stores very many mails may take longer than the lease lasts. When the store is away, the look itself fails.
    const renewing = setInterval(() => void this.#takeLease().catch(() => undefined), RENEW_MS)
    const isReady = await filler.fill().finally(() => clearInterval(renewing))
    if (!isReady) return
    for (const sender of senders) void sender.begin()
    if (performance.now() - this.#prunedAt < PRUNE_MS) return
    this.#prunedAt = performance.now()
    await outbox.prune(Date.now())
  }

  /** Takes the lease when it is free, or renews it, and renews the leases of what this desk is sending. */
  async #takeLease(): Promise<void> {
    const { database, holder, outbox, filler } = this.#options
    const hadLease = this.#hasLease
    this.#hasLease = await takeLease(database, holder, Date.now())
    if (this.#hasLease && !hadLease) filler.reload()
    if (this.#hasLease) await outbox.renew(Date.now())
    this.#renewedAt = performance.now()
  }
}

/** Says in the log when notices cannot go on, and when they go on again: once for each outage of the store, and each time for a fault of the desk. */
export class Faults {
  readonly #log: Log
  #isAway = false

  constructor(log: Log) {
    this.#log = log
  }

  note(error: unknown): void {
    if (error instanceof LeaseLostError) return
    const fields =
      error instanceof StoreUnavailableError
        ? { cause: error.logCause, failure: error.message }
        : { cause: "fault", failure: error instanceof Error ? error.name : "unknown" }
    const isOwnFault = fields.cause === "fault"
    if (!this.#isAway || isOwnFault) this.#log.error(fields, "notices cannot go on")
    this.#isAway = true
  }

  healed(): void {
    if (this.#isAway) this.#log.warn({}, "notices go on")
    this.#isAway = false
  }
}
