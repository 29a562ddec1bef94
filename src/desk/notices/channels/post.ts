/** Posts what a channel sends over HTTP: an event of the webhook, a message to a chat, or a push. */
import { type Dispatcher, request } from "undici"
import { causeOf } from "../../../platform/cause.ts"

export const ANSWER_MS = 15_000
/** How much of an answer is read, so that the connection can be used again. Only the status decides. */
const READ_MAX_BYTES = 1_024
const GONE = 410

/** `gone`: the receiver wants no more deliveries. `answer` is a status, or why there is none. */
export type PostResult = { readonly kind: "sent" | "failed" | "gone"; readonly answer: string }

/** Posts once, and follows no redirect. Never rejects for what the receiver does. `dispatcher` makes the connections; left out, undici's own does. */
export async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  content: string | Buffer,
  {
    answerMs = ANSWER_MS,
    dispatcher,
  }: { readonly answerMs?: number; readonly dispatcher?: Dispatcher | undefined } = {},
): Promise<PostResult> {
  const signal = AbortSignal.timeout(answerMs)
  try {
    const { statusCode, body } = await request(url, {
      method: "POST",
      headers: { "user-agent": "Workdesk", ...headers },
      body: content,
      signal,
      ...(dispatcher !== undefined && { dispatcher }),
    })
    await body.dump({ limit: READ_MAX_BYTES, signal }).catch(() => undefined)
    if (statusCode >= 200 && statusCode < 300) return { kind: "sent", answer: String(statusCode) }
    return { kind: statusCode === GONE ? "gone" : "failed", answer: String(statusCode) }
  } catch (error) {
    return { kind: "failed", answer: causeOf(error) }
  }
}

/** Posts JSON, as `post` does. */
export function postJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
  json: string,
  answerMs = ANSWER_MS,
): Promise<PostResult> {
  return post(url, { "content-type": "application/json", ...headers }, json, { answerMs })
}
