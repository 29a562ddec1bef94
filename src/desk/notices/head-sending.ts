/**
 * Posts signed heads of the record to RECORD_HEADS_URL, one after the other in the order in which they were signed. Of all desks that share a store,
 * the one with the lease `notices` sends. A head is tried again until it is accepted, or until the store removes it after 30 days
 * (`record/heads/head-signing.ts`). Nothing waits for the receiver.
 */
import { hash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import * as v from "valibot"
import type { Log } from "../../platform/log.ts"
import { parseHeadText } from "../record/heads/head-note.ts"
import { parseNote } from "../record/heads/signed-note.ts"
import { type Database, faultFields, StoreUnavailableError } from "../store/database.ts"
import { select } from "../store/tables.ts"
import { ANSWER_MS, type PostResult } from "./channels/post.ts"
import { postEvent, type WebhookConfiguration } from "./channels/webhook.ts"
import { acquireLease, releaseLease } from "./lease.ts"
import { LONGEST_RETRY_MS, retryAfter } from "./outbox.ts"

const LOOK_MS = 1_000
/** The lease lasts 30 s. */
const RENEW_MS = 5_000
/** How long the desk's end waits for a post that is under way, and then for the last head. */
const PAUSE_MS = 2_000
const LAST_ANSWER_MS = 1_500
const STORE_RETRY_MS = 500

export type HeadSendingOptions = {
  readonly database: Database
  /** Names this process in the lease, as its notices do. */
  readonly holder: string
  readonly receiver: WebhookConfiguration
  readonly log: Log
}

/** For the metrics: heads that were not accepted yet, and how long ago the last one was. 0 seconds before the first. */
export type HeadFigures = { readonly unsent: number; readonly sentSecondsAgo: number }

const unsentRow = v.object({
  number: v.number(),
  note: v.string(),
  signedAt: v.number(),
  attempts: v.number(),
  dueAt: v.number(),
})
type UnsentHead = v.InferOutput<typeof unsentRow>

export class HeadSending {
  readonly #options: HeadSendingOptions
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #isPaused = false
  #isEnded = false
  #hasLease = false
  #renewedAt = Number.NEGATIVE_INFINITY
  /** The receiver wants no more heads until the desk restarts. */
  #isGone = false
  #isFailing = false

  constructor(options: HeadSendingOptions) {
    this.#options = options
  }

  /** Begins to send. Call this when the desk listens. */
  start(): void {
    this.#turn = this.#send(ANSWER_MS, () => !this.#isPaused).finally(() => {
      if (!this.#isPaused) this.#timer = setTimeout(() => this.start(), LOOK_MS).unref()
    })
  }

  /** Begins no further post, and waits a moment for the one that is under way. Call this before the lease is given back. */
  async pause(): Promise<void> {
    this.#isPaused = true
    clearTimeout(this.#timer)
    await Promise.race([this.#turn, delay(PAUSE_MS, undefined, { ref: false })])
    this.#renewedAt = Number.NEGATIVE_INFINITY
  }

  /** Sends what is due once more: the head that was signed at the end. Then gives the lease back. Never rejects. */
  async finish(): Promise<void> {
    await this.pause()
    // A post that is still under way keeps its order. Another desk, or this desk after its restart, sends the rest.
    const isIdle = await Promise.race([this.#turn.then(() => true), delay(0, false)])
    const late = performance.now() + LAST_ANSWER_MS
    if (isIdle) await this.#send(LAST_ANSWER_MS, () => performance.now() < late)
    this.#isEnded = true
    const { database, holder } = this.#options
    if (this.#hasLease) await releaseLease(database, holder).catch(() => undefined)
  }

  /** What is unsent. @throws StoreUnavailableError */
  async figures(): Promise<HeadFigures> {
    const [row] = await this.#options.database.read(
      `SELECT COUNT(*) AS heads, COUNT(sent_at) AS sent, COALESCE(MAX(sent_at), 0) AS last FROM record_head`,
    )
    const last = Number(row?.["last"])
    const unsent = Number(row?.["heads"]) - Number(row?.["sent"])
    return { unsent, sentSecondsAgo: last === 0 ? 0 : Math.max(0, (Date.now() - last) / 1_000) }
  }

  /** Sends all that is due, while this desk has the lease. Never rejects. */
  async #send(answerMs: number, mayBegin: () => boolean): Promise<void> {
    try {
      while (mayBegin() && !this.#isGone && (await this.#renewLease()) && (await this.#sendNext(answerMs)));
    } catch (error) {
      // While the store is away, the record reports it.
      if (!(error instanceof StoreUnavailableError))
        this.#options.log.error(faultFields(error), "heads of the record can't be sent")
    }
  }

  async #renewLease(): Promise<boolean> {
    if (performance.now() - this.#renewedAt < RENEW_MS) return this.#hasLease
    const { database, holder } = this.#options
    this.#hasLease = await acquireLease(database, holder, Date.now())
    this.#renewedAt = performance.now()
    return this.#hasLease
  }

  /** Sends the oldest unsent head, if it is due. Returns whether it was accepted. */
  async #sendNext(answerMs: number): Promise<boolean> {
    const { database, receiver } = this.#options
    const sql = `SELECT number, note, signed_at, attempts, due_at FROM record_head WHERE sent_at IS NULL ORDER BY number LIMIT 1`
    const [head] = await select(database, unsentRow, sql)
    const wait = (head?.dueAt ?? 0) - Date.now()
    // A clock that was set back must not stop the heads.
    if (head === undefined || (wait > 0 && wait <= LONGEST_RETRY_MS)) return false
    const result = await postEvent(receiver.url, receiver.keys(), toEvent(head), answerMs)
    this.#report(result)
    await this.#store(head, result)
    return result.kind === "sent"
  }

  /** Stores a result, even if the store comes back only later: what was accepted must not be sent again. */
  async #store({ number, attempts }: UnsentHead, { kind, answer }: PostResult): Promise<void> {
    const { database } = this.#options
    const failed = kind === "sent" ? attempts : attempts + 1
    const dueAt = Date.now() + (retryAfter(failed) ?? LONGEST_RETRY_MS)
    const sql = "UPDATE record_head SET attempts = ?, due_at = ?, answer = ?, sent_at = ? WHERE number = ?"
    for (;;) {
      try {
        await database.write(sql, failed, dueAt, answer, kind === "sent" ? Date.now() : null, number)
        return
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || this.#isEnded) throw error
      }
      await delay(STORE_RETRY_MS)
    }
  }

  /** Logs when the receiver begins to fail, and when it accepts heads again. */
  #report({ kind, answer }: PostResult): void {
    const { log, receiver } = this.#options
    const fields = { host: receiver.url.host, answer }
    if (kind === "gone") {
      this.#isGone = true
      log.warn(fields, "a head of the record got a 410 response: the desk sends no more until its next restart")
    } else if (kind === "failed" && !this.#isFailing) {
      log.warn(fields, "a head of the record couldn't be sent: the desk tries again")
    } else if (kind === "sent" && this.#isFailing) log.warn(fields, "heads of the record are sent again")
    this.#isFailing = kind === "failed"
  }
}

/** The event of a head, the same at each attempt. */
function toEvent({ note, signedAt }: UnsentHead): { readonly id: string; readonly body: string } {
  const parsed = parseNote(note)
  const text = typeof parsed === "string" ? parsed : parseHeadText(parsed.text)
  const head = typeof text === "string" ? {} : text.head
  const body = { type: "record.head", timestamp: new Date(signedAt).toISOString(), data: { ...head, note } }
  return { id: `head-${hash("sha256", note).slice(0, 32)}`, body: JSON.stringify(body) }
}
