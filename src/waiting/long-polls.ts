/** Answers requests to `GET /desk/waiting`: at once, or at the next change of the content. */
import { waitInvalid } from "../http/refusals.ts"
import { matchesEtag } from "../http/http-fields.ts"
import { parseInt64 } from "../contract/int64.ts"
import type { Refusal } from "../http/refusal.ts"
import type { DeskAnswer } from "./answers.ts"
import { Entries, writeAnswer, writeSnapshot, type Moments, type Snapshot } from "./snapshot.ts"
import type { ReadPlan } from "./read-plan.ts"
import type { ListedItem } from "./resources.ts"
import type { Audience, View, Views } from "./views.ts"
import { oldestCheckOf, type WatchedWork } from "./watched-work.ts"

const WAIT_MAX_SECONDS = 25n
/** When only `checked` changes, an answer follows at most once in this time. */
const PROGRESS_INTERVAL_MS = 250
/** When many items change at nearly the same moment, the first change is answered at once. The others are answered together after this time. */
const ITEMS_INTERVAL_MS = 100
/** A change of who looks at what wakes people at most once in this time. */
const PRESENCE_INTERVAL_MS = 2_000
/** A body is sent again for this time. Then the body is written anew with a newer `oldest_check_at`. */
const BODY_REUSED_MS = 1_000
/** Writing a long list takes time. The next writing comes after ten times as long, so that writing takes at most a tenth of the time. */
const WRITING_SHARE = 10

/** A request to `GET /desk/waiting`. */
export type WaitingRequest = {
  /** Without the question mark. */
  readonly query: string
  readonly ifNoneMatch?: string | undefined
  /** Whom the answer is for, as it is now. Asked again at each change. */
  readonly audience: () => Audience
}

/** What the desk adds to the entries of `GET /desk/waiting`, for each person. */
export type EntryMembers = {
  /** People with one key get the same members, and so share an answer. */
  keyOf(audience: Audience): string
  /** JSON members that each begin with a comma, or an empty text. */
  write(key: string, watched: WatchedWork, item: ListedItem): string
  /** Each number grows with a change. A change of who looks at what (`presence`) wakes people less often than any other. */
  readonly changes: { readonly item: number; readonly presence: number }
}

export type Reply = (answer: DeskAnswer | Refusal) => void
type LongPoll = Omit<WaitingRequest, "query"> & { readonly reply: Reply; readonly timer: NodeJS.Timeout }

export class LongPolls {
  readonly #plan: ReadPlan
  readonly #views: Views
  readonly #members: EntryMembers | undefined
  readonly #now: () => number
  readonly #open = new Set<LongPoll>()
  readonly #entries = new Entries()
  /** The present content, by the key of the view and of the members. */
  readonly #snapshots = new Map<string, Snapshot>()
  readonly #bodies = new WeakMap<Snapshot, { readonly writtenAt: number; readonly bytes: Buffer }>()
  /** When the content was last taken. Undefined: the next answer takes it again. */
  #takenAt: number | undefined
  /** How long the writing of the present content took. */
  #writingMs = 0
  /** The numbers of `#changes` when the content was last taken. */
  #taken = { items: 0, others: 0, presence: 0 }
  /** When who looks at what last changed in the content. */
  #presenceAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(plan: ReadPlan, views: Views, now: () => number, members?: EntryMembers) {
    this.#plan = plan
    this.#views = views
    this.#members = members
    this.#now = now
  }

  /** How many requests wait for a change. */
  get size(): number {
    return this.#open.size
  }

  /** Answers a request by calling `reply` once. Gives a function that drops the request without an answer. */
  add({ query, ifNoneMatch, audience }: WaitingRequest, reply: Reply): () => void {
    const seconds = readWait(query)
    if (seconds === undefined) {
      reply(waitInvalid)
      return () => undefined
    }
    const answer = this.#answerFor({ audience, ifNoneMatch })
    if (seconds === 0 || answer.status !== NOT_MODIFIED) {
      reply(answer)
      return () => undefined
    }
    const timer = setTimeout(() => this.#end(poll, this.#answerFor(poll)), seconds * 1_000)
    const poll: LongPoll = { reply, audience, ifNoneMatch, timer }
    this.#open.add(poll)
    this.changed()
    return () => {
      clearTimeout(timer)
      this.#open.delete(poll)
    }
  }

  #end(poll: LongPoll, answer: DeskAnswer): void {
    clearTimeout(poll.timer)
    this.#open.delete(poll)
    poll.reply(answer)
  }

  /** Call this when the content may have changed. Answers the open requests as soon as an answer is due. */
  changed(): void {
    const dueAt = this.#dueAt()
    if (this.#open.size === 0 || dueAt === Number.POSITIVE_INFINITY) return
    const wait = dueAt - this.#now()
    clearTimeout(this.#timer)
    if (wait <= 0) this.#tell()
    else this.#timer = setTimeout(() => this.#tell(), wait)
  }

  /** Call this when every later answer must have a change: an item was decided, given to somebody, or set aside. */
  mustChange(): void {
    this.#takenAt = undefined
    this.changed()
  }

  /** Call this when people may see other Works than before. */
  sightChanged(): void {
    if (this.#open.size > 0) this.#tell()
  }

  /** Answers every open request. */
  stop(): void {
    clearTimeout(this.#timer)
    for (const poll of this.#open) this.#end(poll, this.#answerFor(poll))
  }

  /** Answers the open requests whose content has changed. A change that a person does not see wakes nobody. */
  #tell(): void {
    for (const poll of this.#open) {
      const answer = this.#answerFor(poll)
      if (answer.status !== NOT_MODIFIED) this.#end(poll, answer)
    }
    this.changed()
  }

  /** When the content is to be taken again. Infinity when nothing has changed. */
  #dueAt(): number {
    if (this.#takenAt === undefined) return 0
    const rest = this.#writingMs * WRITING_SHARE
    const { items, others, presence } = this.#changes
    const soon = this.#takenAt + Math.max(ITEMS_INTERVAL_MS, rest)
    if (items !== this.#taken.items) return soon
    if (others !== this.#taken.others) return this.#takenAt + Math.max(PROGRESS_INTERVAL_MS, rest)
    if (presence !== this.#taken.presence) return Math.max(this.#presenceAt + PRESENCE_INTERVAL_MS, soon)
    return Number.POSITIVE_INFINITY
  }

  /** Numbers that grow with the changes of the content. */
  get #changes() {
    const { itemChanges, otherChanges } = this.#plan.state
    const { item = 0, presence = 0 } = this.#members?.changes ?? {}
    return { items: itemChanges + item, others: otherChanges, presence }
  }

  #answerFor({ audience, ifNoneMatch }: Pick<LongPoll, "audience" | "ifNoneMatch">): DeskAnswer {
    const present = audience()
    const view = this.#views.of(present)
    const snapshot = this.#current(view, this.#members?.keyOf(present) ?? "")
    if (matchesEtag(ifNoneMatch, snapshot.etag)) return notModified(snapshot)
    const headers = { "Content-Type": "application/json", ETag: snapshot.etag }
    return { status: 200, headers, body: this.#bodyOf(snapshot, view) }
  }

  #current(view: View, membersKey: string): Snapshot {
    const now = this.#now()
    const { state } = this.#plan
    if (this.#dueAt() <= now) {
      const changes = this.#changes
      if (changes.presence !== this.#taken.presence) this.#presenceAt = now
      this.#taken = changes
      this.#takenAt = now
      this.#writingMs = 0
      this.#snapshots.clear()
    }
    const key = `${view.key} ${membersKey}`
    const taken = this.#snapshots.get(key)
    if (taken !== undefined) return taken
    const membersOf = (watched: WatchedWork, item: ListedItem) => this.#members?.write(membersKey, watched, item) ?? ""
    const snapshot = writeSnapshot(state, this.#entries, view, membersOf)
    this.#snapshots.set(key, snapshot)
    this.#writingMs += this.#now() - now
    return snapshot
  }

  #bodyOf(snapshot: Snapshot, view: View): Buffer {
    const now = this.#now()
    const before = this.#bodies.get(snapshot)
    if (before !== undefined && now - before.writtenAt < BODY_REUSED_MS) return before.bytes
    const bytes = writeAnswer(snapshot, this.#momentsOf(snapshot, view))
    this.#bodies.set(snapshot, { writtenAt: now, bytes })
    return bytes
  }

  #momentsOf({ problem }: Snapshot, { works }: View): Moments {
    const oldestCheck = oldestCheckOf(works)
    const pause = this.#plan.pausedUntilTicks - this.#now()
    return {
      oldestCheckAt: oldestCheck === undefined ? null : new Date(oldestCheck).toISOString(),
      retryAt: pause > 0 && problem !== undefined ? new Date(Date.now() + pause).toISOString() : undefined,
    }
  }
}

const NOT_MODIFIED = 304

function notModified({ etag }: Snapshot): DeskAnswer {
  return { status: NOT_MODIFIED, headers: { ETag: etag }, body: Buffer.alloc(0) }
}

/** Reads `wait` of the query in seconds, and 0 without `wait`. Gives undefined unless the value is one whole number from 0 to 25. */
function readWait(query: string): number | undefined {
  const values = new URLSearchParams(query).getAll("wait")
  if (values.length === 0) return 0
  const seconds = values.length === 1 ? parseInt64(values[0] ?? "") : undefined
  return seconds === undefined || seconds > WAIT_MAX_SECONDS ? undefined : Number(seconds)
}
