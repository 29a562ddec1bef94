/** Sends one event as Standard Webhooks 1.0 asks (https://www.standardwebhooks.com), and says what the receiver answered. */
import { createHmac } from "node:crypto"
import { request } from "undici"
import { causeOf } from "../contract/cause.ts"

const ANSWER_MS = 15_000
const READ_MAX_BYTES = 1_024
const GONE = 410

/** `gone`: the receiver wants no more events. `answer` is a status, or why there is none. */
export type WebhookAttempt = { readonly kind: "accepted" | "failed" | "gone"; readonly answer: string }

/** Posts an event. Never rejects for what the receiver does. `keys` are the secrets that sign, one or two. */
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
    // The status decides. The rest of a short answer is read, so that the connection can be used again.
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
