/** The webhook: events of the whole desk, as Standard Webhooks 1.0 asks (https://www.standardwebhooks.com). */
import { createHmac, randomUUID } from "node:crypto"
import { demand, type Environment, readUrl } from "../../../platform/environment.ts"
import { FileFault, readSecret, type RereadFiles } from "../../../platform/reread-files.ts"
import { Turns } from "../../../platform/turns.ts"
import type { Channel, ChannelKind, NewDelivery } from "../channel.ts"
import { isNotified, type KnownItem } from "../known-items.ts"
import { linkTo, linkToWork } from "../links.ts"
import { ANSWER_MS, postJson, type PostResult } from "./post.ts"
import type { WaitingItem } from "../waiting-items.ts"
import type { WorkStep } from "../work-steps.ts"

/** `keys` are the secrets that sign. There are two while one replaces the other. */
export type WebhookConfiguration = { readonly url: URL; readonly keys: () => readonly Buffer[] }

/** The name of the channel, and of the one recipient of its events. */
const NAME = "webhook"

export const webhook: ChannelKind = {
  name: NAME,
  test: {
    command: "test-webhook",
    needsAddress: false,
    usage: "posts one event of type test and prints the response",
    words: ["The receiver", "the event"],
    unset: "NOTICE_WEBHOOK_URL is not set, so the desk has no webhook",
  },
  configure: (env, _, files) => {
    const configuration = readWebhookConfiguration(env, files)
    return configuration && createWebhook(configuration)
  },
}

export function createWebhook({ url, keys }: WebhookConfiguration): Channel {
  return {
    name: NAME,
    noun: "a webhook event",
    order: "by-item",
    findDeliveries: async ({ items, ended, now, stepsFor }, { links }) => {
      const base = links()
      const isNew = ({ known }: WaitingItem) =>
        !isNotified(known, NAME, "waiting", NAME) || isNotified(known, NAME, "resolved", NAME)
      const made: NewDelivery[] = []
      const turns = new Turns()
      for (const item of items) {
        if (isNew(item)) made.push(toDelivery("waiting", item.known, base, now))
        if (turns.isOver()) await turns.next()
      }
      const steps = stepsFor(NAME).map((step) => toStepDelivery(step, base, now))
      return [...made, ...ended.map(({ item }) => toDelivery("resolved", item, base, now)), ...steps]
    },
    send: ({ id, content = "" }) => postEvent(url, keys(), { id, body: content }),
    test: async () => {
      const body = JSON.stringify({ type: "test", timestamp: new Date().toISOString(), data: {} })
      const { kind, answer } = await postEvent(url, keys(), { id: `test-${randomUUID()}`, body })
      return { isTaken: kind === "sent", answer }
    },
  }
}

function toDelivery(step: "waiting" | "resolved", item: KnownItem, links: URL, now: number): NewDelivery {
  const { kind, workId, itemId, version, colleague, priority, createdAt } = item
  const content = JSON.stringify({
    type: `${kind}.${step}`,
    timestamp: new Date(now).toISOString(),
    data: {
      work_id: workId,
      item_id: itemId,
      version,
      colleague_id: colleague,
      priority,
      created_at: createdAt,
      url: linkTo(links, item),
    },
  })
  return { recipient: NAME, content, notices: [{ item, step }], ...(step === "waiting" && { endStep: "resolved" }) }
}

/** The event of the result of a Work (`work.done`), or of an approval (`approval.declined`). */
function toStepDelivery(found: WorkStep, links: URL, now: number): NewDelivery {
  const { step, workId, itemId, version, colleague, priority, createdAt } = found
  const isOfWork = itemId === ""
  const content = JSON.stringify({
    type: `${isOfWork ? "work" : "approval"}.${step}`,
    timestamp: new Date(now).toISOString(),
    data: {
      work_id: workId,
      ...(!isOfWork && { item_id: itemId, version }),
      colleague_id: colleague,
      priority,
      created_at: createdAt,
      url: isOfWork ? linkToWork(links, workId) : linkTo(links, { kind: "approval", itemId }),
    },
  })
  // A decision replaces no other event of its approval, and no other event replaces a decision.
  const about = isOfWork ? "" : `decision of ${itemId}`
  return {
    recipient: NAME,
    content,
    notices: [{ item: { workId, itemId: about, version, notified: new Map() }, step }],
  }
}

/** Posts an event, signed with each of `keys`. Never rejects for what the receiver does. */
export function postEvent(
  url: URL,
  keys: readonly Buffer[],
  event: { readonly id: string; readonly body: string },
  answerMs = ANSWER_MS,
): Promise<PostResult> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const headers = {
    "webhook-id": event.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures(keys, event.id, timestamp, event.body),
  }
  return postJson(url, headers, event.body, answerMs)
}

/** The value of `webhook-signature`: a signature for each key, with spaces between them. */
function signatures(keys: readonly Buffer[], id: string, timestamp: string, body: string): string {
  const signed = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`).join(" ")
}

export function readWebhookConfiguration(env: Environment, files: RereadFiles): WebhookConfiguration | undefined {
  return readReceiver(env, files, "NOTICE_WEBHOOK")
}

/** Reads where signed heads of the record are posted, in the same way as events of the webhook. @throws ConfigurationError */
export function readHeadReceiver(env: Environment, files: RereadFiles): WebhookConfiguration | undefined {
  return readReceiver(env, files, "RECORD_HEADS")
}

function readReceiver(
  env: Environment,
  files: RereadFiles,
  prefix: "NOTICE_WEBHOOK" | "RECORD_HEADS",
): WebhookConfiguration | undefined {
  const text = env[`${prefix}_URL`]
  const keys = readSecret(env, `${prefix}_SECRET`, files, readWebhookKeys)
  if (text === undefined) {
    demand(keys === undefined, `${prefix}_SECRET or its file is set, but ${prefix}_URL is not`)
    return undefined
  }
  const url = readUrl(`${prefix}_URL`, text, ["path", "query"])
  demand(keys !== undefined, `${prefix}_SECRET is required with ${prefix}_URL`)
  return { url, keys }
}

const KEY = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** Reads the text of NOTICE_WEBHOOK_SECRET: one or two keys. @throws FileFault */
export function readWebhookKeys(text: string): readonly Buffer[] {
  const parts = text.trim().split(" ")
  const keys = parts.flatMap((part) => {
    const base64 = KEY.exec(part)?.[1]
    const key = base64 === undefined ? undefined : Buffer.from(base64, "base64")
    return key !== undefined && key.length >= 24 && key.length <= 64 ? [key] : []
  })
  if (keys.length === parts.length && keys.length <= 2) return keys
  throw new FileFault(
    "must be whsec_ and base64 of 24 to 64 bytes; two secrets may stand there with a space between them, while one replaces the other",
  )
}
