/** Answers requests to `GET /desk/waiting`: at once, or holds them until the content changes (long polling). */
import { matchesEtag } from "../contract/http-fields.ts"
import { parseInt64 } from "../contract/int64.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { DeskAnswer, DeskRequest } from "./watcher-interface.ts"
import { writeAnswer, writeSnapshot, type Moments, type Snapshot } from "./snapshot.ts"
import type { ReadPlan } from "./read-plan.ts"

const WAIT_MAX_SECONDS = 25n
/** When only `checked` changes, an answer follows at most once in this time. */
const PROGRESS_INTERVAL_MS = 250
/** When many items change at nearly the same moment, the first is answered at once, and the others together after this time. */
const ITEMS_INTERVAL_MS = 100
/** The same body is sent for this time. Then it is written again with a newer `oldest_check_at`. */
const BODY_REUSED_MS = 1_000
/** Writing a long list takes time. At most a tenth of the time is spent on writing. */
const WRITING_SHARE = 10

const waitInvalid: Refusal = {
  code: "PROXY_WAIT_INVALID",
  status: 400,
  title: "Bad Request",
  detail: "wait must be one whole number of seconds from 0 to 25.",
  retryable: false,
}

type Reply = (answer: DeskAnswer | Refusal) => void
type Waiter = { readonly reply: Reply; readonly timer: NodeJS.Timeout }

export class HeldRequests {
  readonly #plan: ReadPlan
  readonly #now: () => number
  readonly #waiters = new Set<Waiter>()
  #snapshot: Snapshot | undefined
  #takenAt = Number.NEGATIVE_INFINITY
  #writingMs = 0
  #takenItems = 0
  #takenOthers = 0
  #mustTake = false
  #timer: NodeJS.Timeout | undefined
  #body: { readonly of: Snapshot; readonly writtenAt: number; readonly bytes: Buffer } | undefined

  constructor(plan: ReadPlan, now: () => number) {
    this.#plan = plan
    this.#now = now
  }

  /** How many requests are held. */
  get count(): number {
    return this.#waiters.size
  }

  /** Answers a request by calling `reply` once. Gives a function that drops the request without an answer. */
  add({ query, ifNoneMatch }: DeskRequest, reply: Reply): () => void {
    const seconds = readWait(query)
    if (seconds === undefined) {
      reply(waitInvalid)
      return () => undefined
    }
    const snapshot = this.#current()
    const isCurrent = matchesEtag(ifNoneMatch, snapshot.etag)
    if (!isCurrent || seconds === 0) {
      reply(isCurrent ? notModified(snapshot) : this.#answer(snapshot))
      return () => undefined
    }
    const leave = () => {
      clearTimeout(waiter.timer)
      this.#waiters.delete(waiter)
    }
    const giveUp = () => {
      leave()
      reply(notModified(this.#snapshot ?? snapshot))
    }
    const waiter: Waiter = { reply, timer: setTimeout(giveUp, seconds * 1_000) }
    this.#waiters.add(waiter)
    this.changed()
    return leave
  }

  /** Call this when the content may have changed. Answers the held requests as soon as an answer is due. */
  changed(): void {
    const dueAt = this.#dueAt()
    if (this.#waiters.size === 0 || dueAt === Number.POSITIVE_INFINITY) return
    const wait = dueAt - this.#now()
    clearTimeout(this.#timer)
    if (wait <= 0) this.#tell()
    else this.#timer = setTimeout(() => this.#tell(), wait)
  }

  /** Call this when an item was decided. Every later answer is without the item. */
  decided(): void {
    this.#mustTake = true
    this.changed()
  }

  /** Answers every held request. */
  stop(): void {
    clearTimeout(this.#timer)
    const snapshot = this.#current()
    for (const { reply, timer } of this.#waiters) {
      clearTimeout(timer)
      reply(notModified(snapshot))
    }
    this.#waiters.clear()
  }

  #tell(): void {
    const before = this.#snapshot?.etag
    const snapshot = this.#current()
    if (snapshot.etag === before) return this.changed()
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    const answer = this.#answer(snapshot)
    for (const { reply, timer } of waiters) {
      clearTimeout(timer)
      reply(answer)
    }
  }

  /** When the content is to be written again. Infinity when nothing has changed. */
  #dueAt(): number {
    const { itemChanges, otherChanges } = this.#plan.state
    if (this.#mustTake || this.#snapshot === undefined) return 0
    const share = this.#writingMs * WRITING_SHARE
    if (itemChanges !== this.#takenItems) return this.#takenAt + Math.max(ITEMS_INTERVAL_MS, share)
    if (otherChanges !== this.#takenOthers) return this.#takenAt + Math.max(PROGRESS_INTERVAL_MS, share)
    return Number.POSITIVE_INFINITY
  }

  #current(): Snapshot {
    const now = this.#now()
    if (this.#snapshot !== undefined && this.#dueAt() > now) return this.#snapshot
    const { state, isComplete } = this.#plan
    this.#snapshot = writeSnapshot(state, isComplete)
    this.#takenItems = state.itemChanges
    this.#takenOthers = state.otherChanges
    this.#mustTake = false
    this.#takenAt = now
    this.#writingMs = this.#now() - now
    return this.#snapshot
  }

  #answer(snapshot: Snapshot): DeskAnswer {
    const now = this.#now()
    if (this.#body?.of !== snapshot || now - this.#body.writtenAt >= BODY_REUSED_MS) {
      this.#body = { of: snapshot, writtenAt: now, bytes: writeAnswer(snapshot, this.#moments()) }
    }
    const headers = ["Content-Type", "application/json", "ETag", snapshot.etag]
    return { status: 200, headers, body: this.#body.bytes }
  }

  #moments(): Moments {
    const { state, pausedUntil } = this.#plan
    const { oldestCheck } = state
    const pause = pausedUntil - this.#now()
    return {
      oldestCheckAt: oldestCheck === undefined ? null : new Date(oldestCheck).toISOString(),
      retryAt: pause > 0 && state.failure !== undefined ? new Date(Date.now() + pause).toISOString() : undefined,
    }
  }
}

function notModified({ etag }: Snapshot): DeskAnswer {
  return { status: 304, headers: ["ETag", etag], body: Buffer.alloc(0) }
}

/** Reads `wait` of the query in seconds, and 0 without `wait`. Gives undefined unless the value is one whole number from 0 to 25. */
function readWait(query: string): number | undefined {
  const values = new URLSearchParams(query).getAll("wait")
  if (values.length === 0) return 0
  const seconds = values.length === 1 ? parseInt64(values[0] ?? "") : undefined
  return seconds === undefined || seconds > WAIT_MAX_SECONDS ? undefined : Number(seconds)
}
