/** Sends the events of the outbox to the webhook, as Standard Webhooks 1.0 asks (https://www.standardwebhooks.com). */
import { createHmac } from "node:crypto"
import { request } from "undici"
import { causeOf } from "../platform/cause.ts"
import { ChannelSender, type SenderOptions } from "./channel.ts"
import type { WebhookConfiguration } from "./notices-configuration.ts"
import { type Delivery, retryAfter } from "./outbox.ts"

const ANSWER_MS = 15_000
/** How much of an answer is read, so that the connection can be used again. Only the status decides. */
const READ_MAX_BYTES = 1_024
const GONE = 410

/** `gone`: the receiver wants no more events. `answer` is a status, or why there is none. */
export type WebhookAttempt = { readonly kind: "accepted" | "failed" | "gone"; readonly answer: string }

/** Posts an event, signed with each of `keys`. Never rejects for what the receiver does. */
export async function postEvent(
  url: URL,
  keys: readonly Buffer[],
  event: { readonly id: string; readonly body: string },
  answerMs = ANSWER_MS,
): Promise<WebhookAttempt> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signal = AbortSignal.timeout(answerMs)
  try {
    const { statusCode, body } = await request(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "Workdesk",
        "webhook-id": event.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signatures(keys, event.id, timestamp, event.body),
      },
      body: event.body,
      signal,
    })
    await body.dump({ limit: READ_MAX_BYTES, signal }).catch(() => undefined)
    if (statusCode >= 200 && statusCode < 300) return { kind: "accepted", answer: String(statusCode) }
    return { kind: statusCode === GONE ? "gone" : "failed", answer: String(statusCode) }
  } catch (error) {
    return { kind: "failed", answer: causeOf(error) }
  }
}

/** The value of `webhook-signature`: a signature for each key, with spaces between them. */
function signatures(keys: readonly Buffer[], id: string, timestamp: string, body: string): string {
  const signed = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`).join(" ")
}

export class WebhookSender extends ChannelSender {
  readonly #options: SenderOptions & { readonly configuration: WebhookConfiguration }
  /** The receiver answered 410: nothing is sent until the desk restarts. */
  #isGone = false

  constructor(options: SenderOptions & { readonly configuration: WebhookConfiguration }) {
    super("webhook", options)
    this.#options = options
  }

  protected maxAtATime(): number {
    return this.#isGone ? 0 : Number.POSITIVE_INFINITY
  }

  protected async send(delivery: Delivery): Promise<void> {
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
    await this.untilStored(async () => {
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
    // A failed event that a newer event replaces is dropped, so that the newer event need not wait for its retries.
    if (await outbox.isReplaced(delivery)) return this.#drop(delivery)
    const attempts = delivery.attempts + 1
    const wait = retryAfter(attempts)
    if (wait !== undefined) return outbox.postpone(delivery, Date.now() + wait, attempts, answer)
    await outbox.settle(delivery, "failed", answer)
    log.warn({ answer }, "an event of the webhook was given up")
  }
}
