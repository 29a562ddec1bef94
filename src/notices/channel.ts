/** What the senders of both channels share: at most four deliveries are under way at a time, and when one ends, the next begins. */
import { setTimeout as delay } from "node:timers/promises"
import type { Log } from "../platform/log.ts"
import { StoreUnavailableError } from "../store/database.ts"
import type { Channel, Delivery, Outbox, Outcome } from "./outbox.ts"

const AT_A_TIME = 4
const STORE_RETRY_MS = 500

/** Counts what became of a delivery or an attempt, for the metrics. */
export type CountNotice = (channel: Channel, outcome: Outcome) => void

export type SenderOptions = {
  readonly outbox: Outbox
  readonly log: Log
  readonly count: CountNotice
  /** Told why a sender or the store rejected. */
  readonly onFault: (error: unknown) => void
}

/** Sends the deliveries of one channel that are due. */
export abstract class ChannelSender {
  readonly #channel: Channel
  readonly #options: Pick<SenderOptions, "outbox" | "onFault">
  readonly #running = new Map<number, Promise<void>>()
  #isStopped = false

  constructor(channel: Channel, options: Pick<SenderOptions, "outbox" | "onFault">) {
    this.#channel = channel
    this.#options = options
  }

  /** Sends one delivery and stores what became of it. */
  protected abstract send(delivery: Delivery): Promise<void>

  /** How many deliveries may be sent at a time now, of at most four. */
  protected abstract maxAtATime(): number

  /** Begins to send what is due. */
  async begin(): Promise<void> {
    const { outbox, onFault } = this.#options
    const free = Math.min(this.maxAtATime(), AT_A_TIME) - this.#running.size
    if (free <= 0 || this.#isStopped) return
    try {
      for (const delivery of await outbox.take(this.#channel, Date.now(), free)) this.#start(delivery)
    } catch (error) {
      onFault(error)
    }
  }

  #start(delivery: Delivery): void {
    // While the store was away, the lease may have run out before the mark was stored.
    if (this.#running.has(delivery.sequence)) return
    const sending = this.send(delivery).catch(this.#options.onFault)
    this.#running.set(delivery.sequence, sending)
    void sending.then(() => {
      this.#running.delete(delivery.sequence)
      return this.begin()
    })
  }

  /** Stores what became of a delivery, also when the store comes back only later: what was sent must not be sent again. */
  protected async untilStored(action: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await action()
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || this.#isStopped) throw error
      }
      await delay(STORE_RETRY_MS)
    }
  }

  /** Begins nothing more, and resolves when nothing is being sent, or after `waitMs`. */
  async stop(waitMs: number): Promise<void> {
    this.#isStopped = true
    await Promise.race([Promise.all(this.#running.values()), delay(waitMs, undefined, { ref: false })])
  }
}
