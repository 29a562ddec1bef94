/** Answers the requests of `GET /desk/waiting`: at once, or when the content changes. */
import { parseInt64 } from "../contract/int64.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { DeskAnswer, DeskRequest } from "./interface.ts"
import { takeSnapshot, writeAnswer, type Moments, type Snapshot } from "./snapshot.ts"
import type { Plan } from "./plan.ts"

const WAIT_MAX_SECONDS = 25n
/** `checked` alone is told at most once in this time. */
const TELL_PROGRESS_MS = 250
/** Many items may come at nearly the same moment: the first one is told at once, the others together. */
const TELL_ITEMS_MS = 100
/** An answer is written again for a newer `oldest_check_at` after this time, and is the same buffer before. */
const MOMENTS_MS = 1_000
/** Writing a long list takes time. The watcher spends at most a tenth of its time on that. */
const WRITING_SHARE = 10

const WAIT_INVALID: Refusal = {
  code: "PROXY_WAIT_INVALID",
  status: 400,
  title: "Bad Request",
  detail: "wait must be one whole number of seconds from 0 to 25.",
  retryable: false,
}

type Reply = (answer: DeskAnswer | Refusal) => void
type Waiter = { readonly reply: Reply; readonly timer: NodeJS.Timeout }

export class WaitingRequests {
  readonly #plan: Plan
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

  constructor(plan: Plan, now: () => number) {
    this.#plan = plan
    this.#now = now
  }

  get count(): number {
    return this.#waiters.size
  }

  /** Answers one request; gives a function that leaves without an answer. */
  add({ query, ifNoneMatch }: DeskRequest, reply: Reply): () => void {
    const seconds = readWait(query)
    if (seconds === undefined) {
      reply(WAIT_INVALID)
      return () => undefined
    }
    const snapshot = this.#current()
    const isKnown = ifNoneMatch !== undefined && matches(ifNoneMatch, snapshot.etag)
    if (!isKnown || seconds === 0) {
      reply(isKnown ? notModified(snapshot) : this.#answer(snapshot))
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

  /** Something may have changed. Answers the waiting requests when that is due. */
  changed(): void {
    const dueAt = this.#dueAt()
    if (this.#waiters.size === 0 || dueAt === Number.POSITIVE_INFINITY) return
    const wait = dueAt - this.#now()
    clearTimeout(this.#timer)
    if (wait <= 0) this.#tell()
    else this.#timer = setTimeout(() => this.#tell(), wait)
  }

  /** An item was decided: the next answer lacks the item. */
  decided(): void {
    this.#mustTake = true
    this.changed()
  }

  /** Answers every waiting request. */
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

  /** When the content may be written again; Infinity where nothing changed. */
  #dueAt(): number {
    const { itemChanges, otherChanges } = this.#plan.known
    if (this.#mustTake || this.#snapshot === undefined) return 0
    const share = this.#writingMs * WRITING_SHARE
    if (itemChanges !== this.#takenItems) return this.#takenAt + Math.max(TELL_ITEMS_MS, share)
    if (otherChanges !== this.#takenOthers) return this.#takenAt + Math.max(TELL_PROGRESS_MS, share)
    return Number.POSITIVE_INFINITY
  }

  #current(): Snapshot {
    const now = this.#now()
    if (this.#snapshot !== undefined && this.#dueAt() > now) return this.#snapshot
    const { known, isComplete } = this.#plan
    this.#snapshot = takeSnapshot(known, isComplete)
    this.#takenItems = known.itemChanges
    this.#takenOthers = known.otherChanges
    this.#mustTake = false
    this.#takenAt = now
    this.#writingMs = this.#now() - now
    return this.#snapshot
  }

  #answer(snapshot: Snapshot): DeskAnswer {
    const now = this.#now()
    if (this.#body?.of !== snapshot || now - this.#body.writtenAt >= MOMENTS_MS) {
      this.#body = { of: snapshot, writtenAt: now, bytes: writeAnswer(snapshot, this.#moments()) }
    }
    const headers = ["Content-Type", "application/json", "ETag", snapshot.etag]
    return { status: 200, headers, body: this.#body.bytes }
  }

  #moments(): Moments {
    const { known, pausedUntil } = this.#plan
    const { oldestCheck } = known
    const pause = pausedUntil - this.#now()
    return {
      oldestCheckAt: oldestCheck === undefined ? null : new Date(oldestCheck).toISOString(),
      retryAt: pause > 0 && known.problem !== undefined ? new Date(Date.now() + pause).toISOString() : undefined,
    }
  }
}

function notModified({ etag }: Snapshot): DeskAnswer {
  return { status: 304, headers: ["ETag", etag], body: Buffer.alloc(0) }
}

/** The query's `wait` in seconds, 0 where there is none; undefined where it is no whole number from 0 to 25, or there are two. */
function readWait(query: string): number | undefined {
  const values = new URLSearchParams(query).getAll("wait")
  if (values.length === 0) return 0
  const seconds = values.length === 1 ? parseInt64(values[0] ?? "") : undefined
  return seconds === undefined || seconds > WAIT_MAX_SECONDS ? undefined : Number(seconds)
}

/** RFC 9110, 13.1.2: If-None-Match compares weakly, and may list several tags. */
function matches(ifNoneMatch: string, etag: string): boolean {
  const opaque = etag.slice("W/".length)
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === opaque)
}
