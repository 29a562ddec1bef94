/** Sends the events of the outbox to the webhook. */
import type { Log } from "../contract/log.ts"
import { ChannelQueue, type CountNotice } from "./channel.ts"
import type { WebhookConfiguration } from "./notices-configuration.ts"
import { type Delivery, type Outbox, retryAfter } from "./outbox.ts"
import { postEvent } from "./webhook.ts"

export type WebhookSenderOptions = {
  readonly outbox: Outbox
  readonly configuration: WebhookConfiguration
  readonly log: Log
  readonly count: CountNotice
  readonly onFault: (error: unknown) => void
}

export class WebhookSender {
  readonly #options: WebhookSenderOptions
  readonly #queue: ChannelQueue
  /** The receiver answered 410: nothing is sent until the desk restarts. */
  #isGone = false

  constructor(options: WebhookSenderOptions) {
    this.#options = options
    const { outbox, onFault } = options
    const send = (delivery: Delivery) => this.#send(delivery)
    const limit = () => (this.#isGone ? 0 : Number.POSITIVE_INFINITY)
    this.#queue = new ChannelQueue({ channel: "webhook", outbox, send, limit, onFault })
  }

  /** Begins to send what is due. */
  begin(): Promise<void> {
    return this.#queue.begin()
  }

  stop(waitMs: number): Promise<void> {
    return this.#queue.stop(waitMs)
  }

  async #send(delivery: Delivery): Promise<void> {
    const { outbox, configuration, count, log } = this.#options
    if (await outbox.isReplaced(delivery)) return this.#drop(delivery)
    const { kind, answer } = await postEvent(configuration.url, configuration.keys(), {
      id: delivery.id,
      body: delivery.content ?? "",
    })
    if (kind === "gone" && !this.#isGone) {
      this.#isGone = true
      log.warn({}, "the receiver of the webhook answered 410: nothing is sent to it until the desk restarts")
    }
    await this.#queue.store(async () => {
      if (kind === "accepted") await outbox.settle(delivery, "sent", answer)
      else if (kind === "gone") await outbox.postpone(delivery, Date.now(), delivery.attempts, answer)
      else await this.#retryLater(delivery, answer)
    })
    count("webhook", kind === "accepted" ? "sent" : "failed")
  }

  async #drop(delivery: Delivery): Promise<void> {
    await this.#options.outbox.settle(delivery, "dropped", "")
    this.#options.count("webhook", "dropped")
  }

  async #retryLater(delivery: Delivery, answer: string): Promise<void> {
    const { outbox, log } = this.#options
    // The newer event does not wait for the next attempt.
    if (await outbox.isReplaced(delivery)) return this.#drop(delivery)
    const attempts = delivery.attempts + 1
    const wait = retryAfter(attempts)
    if (wait !== undefined) return outbox.postpone(delivery, Date.now() + wait, attempts, answer)
    await outbox.settle(delivery, "failed", answer)
    log.warn({ answer }, "an event of the webhook was given up")
  }
}
