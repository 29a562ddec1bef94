/** Answers requests to `GET /desk/waiting`: at once, or at the next change of the content. */
import * as v from "valibot"
import { matchesEtag } from "../http/http-fields.ts"
import { readQuery } from "../http/query.ts"
import type { Answer } from "../http/send.ts"
import { apiAnswer } from "../http/security-headers.ts"
import { Entries, writeAnswer, writeSnapshot, type Moments, type Snapshot } from "./snapshot.ts"
import type { ReadPlan } from "./read-plan.ts"
import type { ListedItem } from "./resources.ts"
import type { Audience, Sight, Sights } from "./sights.ts"
import type { Ticks } from "./request-pace.ts"
import type { Change } from "./watch-state.ts"
import { oldestCheckOf, type WatchedWork } from "./watched-work.ts"

const WAIT_MAX_SECONDS = 25
const parameters = v.object({
  wait: v.optional(
    v.pipe(v.string(), v.regex(/^(?:0|[1-9]\d?)$/), v.transform(Number), v.maxValue(WAIT_MAX_SECONDS)),
    "0",
  ),
})

/**
 * How long after the last answers a change is told at the earliest, so that changes at nearly the same moment are told together. A deed is told
 * at once. Presence wakes people less often than anything else.
 */
const INTERVALS_MS: Readonly<Record<Change, number>> = { deed: 0, item: 100, progress: 250, presence: 2_000 }
/** A body is sent again for this time. Then a new one is written, with a newer `oldest_check_at`. */
const BODY_REUSED_MS = 1_000
/** After writing, the next writing waits ten times as long as this one took: writing long lists takes at most a tenth of the time. */
const WRITING_SHARE = 10

/** A request to `GET /desk/waiting`. */
export type WaitingRequest = {
  /** Without the question mark. */
  readonly query: string
  readonly ifNoneMatch?: string | undefined
  /** Whom the answer is for, as it is now. Asked again at each change. */
  readonly audience: () => Audience
}

/** The members that the desk adds to the entries of `GET /desk/waiting`, for each person. */
export type EntryMembers = {
  /** People with one key get the same members, and so share an answer. */
  keyOf(audience: Audience): string
  /** JSON members that each begin with a comma, or an empty text. */
  write(key: string, watched: WatchedWork, item: ListedItem): string
}

export type Reply = (answer: Answer) => void
type LongPoll = Omit<WaitingRequest, "query"> & { readonly reply: Reply; readonly timer: NodeJS.Timeout }

export class LongPolls {
  readonly #plan: ReadPlan
  readonly #sights: Sights
  readonly #members: EntryMembers | undefined
  readonly #now: () => Ticks
  readonly #open = new Set<LongPoll>()
  readonly #entries = new Entries()
  /** The present content, by the key of the sight and of the members. */
  readonly #snapshots = new Map<string, Snapshot>()
  readonly #bodies = new WeakMap<Snapshot, { readonly writtenTicks: Ticks; readonly bytes: Buffer }>()
  /** The most urgent change since the content was last taken. Undefined: nothing has changed. */
  #pending: Change | undefined = "deed"
  /** When the content was last taken. */
  #takenTicks: Ticks = Number.NEGATIVE_INFINITY
  /** How long the writing of the present content took. */
  #writingMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(plan: ReadPlan, sights: Sights, now: () => Ticks, members?: EntryMembers) {
    this.#plan = plan
    this.#sights = sights
    this.#members = members
    this.#now = now
    plan.state.onChange((change) => this.#note(change))
  }

  /** How many requests wait for a change. */
  get size(): number {
    return this.#open.size
  }

  /** Answers a request by calling `reply` once. Gives a function that drops the request without an answer. @throws Refused */
  add({ query, ifNoneMatch, audience }: WaitingRequest, reply: Reply): () => void {
    const { wait: seconds } = readQuery(parameters, query)
    const answer = this.#answerFor({ audience, ifNoneMatch })
    if (seconds === 0 || answer.status !== NOT_MODIFIED) {
      reply(answer)
      return () => undefined
    }
    const timer = setTimeout(() => this.#end(poll, this.#answerFor(poll)), seconds * 1_000)
    const poll: LongPoll = { reply, audience, ifNoneMatch, timer }
    this.#open.add(poll)
    this.#tellLater()
    return () => {
      clearTimeout(timer)
      this.#open.delete(poll)
    }
  }

  #end(poll: LongPoll, answer: Answer): void {
    clearTimeout(poll.timer)
    this.#open.delete(poll)
    poll.reply(answer)
  }

  #note(change: Change): void {
    if (this.#pending !== undefined && INTERVALS_MS[this.#pending] <= INTERVALS_MS[change]) return
    this.#pending = change
    this.#tellLater()
  }

  /** Sets the timer that answers the open requests. A timer, so that a change is never told before it is made. */
  #tellLater(): void {
    clearTimeout(this.#timer)
    const tellTicks = this.#tellTicks()
    if (this.#open.size === 0 || tellTicks === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => this.tell(), Math.max(0, tellTicks - this.#now()))
  }

  /** Answers every open request with the present content. A 304 before its time would look as if the desk could not hold requests. */
  stop(): void {
    clearTimeout(this.#timer)
    for (const poll of this.#open) this.#end(poll, this.#answerFor({ audience: poll.audience, ifNoneMatch: undefined }))
  }

  /** Answers the open requests whose content has changed. A change that a person does not see wakes nobody. Call this when people may see other Works. */
  tell(): void {
    for (const poll of this.#open) {
      const answer = this.#answerFor(poll)
      if (answer.status !== NOT_MODIFIED) this.#end(poll, answer)
    }
    this.#tellLater()
  }

  /** When the pending change is to be told, with content that is taken anew. Infinity when nothing has changed. */
  #tellTicks(): Ticks {
    if (this.#pending === undefined) return Number.POSITIVE_INFINITY
    if (this.#pending === "deed") return 0
    return this.#takenTicks + Math.max(INTERVALS_MS[this.#pending], this.#writingMs * WRITING_SHARE)
  }

  #answerFor({ audience, ifNoneMatch }: Pick<LongPoll, "audience" | "ifNoneMatch">): Answer {
    const present = audience()
    const sight = this.#sights.of(present)
    const snapshot = this.#current(sight, this.#members?.keyOf(present) ?? "")
    if (matchesEtag(ifNoneMatch, snapshot.etag)) return notModified(snapshot)
    const headers = { ...apiAnswer, "Content-Type": "application/json", ETag: snapshot.etag }
    return { status: 200, headers, body: this.#bodyOf(snapshot, sight) }
  }

  #current(sight: Sight, membersKey: string): Snapshot {
    const now = this.#now()
    const { state } = this.#plan
    if (this.#tellTicks() <= now) {
      this.#pending = undefined
      this.#takenTicks = now
      this.#writingMs = 0
      this.#snapshots.clear()
    }
    const key = `${sight.key} ${membersKey}`
    const taken = this.#snapshots.get(key)
    if (taken !== undefined) return taken
    const membersOf = (watched: WatchedWork, item: ListedItem) => this.#members?.write(membersKey, watched, item) ?? ""
    const snapshot = writeSnapshot(state, this.#entries, sight, membersOf)
    this.#snapshots.set(key, snapshot)
    this.#writingMs += this.#now() - now
    return snapshot
  }

  #bodyOf(snapshot: Snapshot, sight: Sight): Buffer {
    const now = this.#now()
    const before = this.#bodies.get(snapshot)
    if (before !== undefined && now - before.writtenTicks < BODY_REUSED_MS) return before.bytes
    const bytes = writeAnswer(snapshot, this.#momentsOf(snapshot, sight))
    this.#bodies.set(snapshot, { writtenTicks: now, bytes })
    return bytes
  }

  #momentsOf({ problem }: Snapshot, { works }: Sight): Moments {
    const oldestCheck = oldestCheckOf(works)
    const pause = this.#plan.pausedUntilTicks - this.#now()
    return {
      oldestCheckAt: oldestCheck === undefined ? null : new Date(oldestCheck).toISOString(),
      retryAt: pause > 0 && problem !== undefined ? new Date(Date.now() + pause).toISOString() : undefined,
    }
  }
}

const NOT_MODIFIED = 304

function notModified({ etag }: Snapshot): Answer {
  return { status: NOT_MODIFIED, headers: { ...apiAnswer, ETag: etag }, body: Buffer.alloc(0) }
}
