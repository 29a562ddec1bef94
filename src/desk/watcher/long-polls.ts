/** Answers requests to `GET /desk/waiting`: at once, or at the next change of the content. */
import * as v from "valibot"
import { WAIT_MAX_SECONDS } from "../../contract/desk-work.ts"
import { matchesEtag } from "../../platform/http/http-fields.ts"
import { readQuery, wholeNumber } from "../../platform/http/query-parameters.ts"
import type { Answer } from "../../platform/http/send.ts"
import { apiAnswer } from "../../platform/http/security-headers.ts"
import { type EntryMembers, PersonalSnapshots, type Shown } from "./personal-snapshots.ts"
import { type Moments, type Snapshot, writeAnswer, writeChange } from "./snapshot.ts"
import { SentAnswers } from "./sent-answers.ts"
import { Turns } from "../../platform/turns.ts"
import type { ReadPlan } from "./read-plan.ts"
import { type Audience, personOf, type VisibleWork, type VisibleWorkCache } from "./visible-work.ts"
import type { MonotonicTime } from "./request-pace.ts"
import type { Change } from "./watch-state.ts"
import { oldestCheckOf } from "./watched-work.ts"
import { inBackground } from "../../platform/background.ts"

const parameters = v.object({
  wait: v.optional(wholeNumber(0, WAIT_MAX_SECONDS), "0"),
  since: v.optional(v.string()),
})

/** How long after the last content a change is sent, so that changes at nearly the same moment are sent together. */
const PAUSES_MS: Readonly<Record<Change, number>> = {
  // The next answer must not have an item that was just decided here.
  action: 0,
  // A desk that has just begun reads many items a second, and each would wake everybody.
  visibility: 250,
  news: 250,
  // Measured with 100 people and 500 items: one person who moves on once in 0.5 s costs 0.1 MB a second to all others, and 1 MB is the limit.
  presence: 2_000,
}
/**
 * For this long, a whole answer is reused for everybody with the same snapshot, so that it is written and compressed once. Measured with 500 items:
 * a hundred people get ten times as many whole answers a second. Changes are small, and are written for each person.
 */
const WHOLE_REUSED_MS = 1_000

/** A request to `GET /desk/waiting`. */
export type WaitingRequest = {
  /** Without the question mark. */
  readonly query: string
  /** Counts only without `since`: the browser or a proxy may add the field, and its ETag may be newer than what `since` names. */
  readonly ifNoneMatch?: string | undefined
  /** Whom the answer is for, as it is now. Asked again at each change. */
  readonly audience: () => Audience
}

export type Reply = (answer: Answer) => void
/** What the client has. With `before`, it gets the change since then, else everything, or a 304 if `ifNoneMatch` names the current content. */
type Asked = Pick<WaitingRequest, "audience" | "ifNoneMatch"> & { readonly before: Snapshot | undefined }
type LongPoll = Asked & { readonly reply: Reply; readonly timer: NodeJS.Timeout }

/**
 * Answers at once or later:
 *
 * | the client has       | `wait` | answer                                                           |
 * | -------------------- | ------ | ---------------------------------------------------------------- |
 * | older content        | any    | at once                                                          |
 * | the current content  | 0      | 304 at once                                                      |
 * | the current content  | more   | at the first change that the person sees, or 304 after that time |
 *
 * A change sets `#notifyAt`, by its kind (`PAUSES_MS`). Then a timer answers all open requests whose content has changed. Between changes,
 * everybody gets the same snapshots.
 */
export class LongPolls {
  readonly #plan: ReadPlan
  readonly #now: () => MonotonicTime
  readonly #snapshots: PersonalSnapshots
  readonly #open = new Set<LongPoll>()
  readonly #sent = new SentAnswers()
  readonly #wholes = new WeakMap<Snapshot, { readonly writtenAt: MonotonicTime; readonly body: Buffer }>()
  /** When the open requests are answered because of a change. Infinity without a change. */
  #notifyAt: MonotonicTime = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(plan: ReadPlan, visibleWork: VisibleWorkCache, now: () => MonotonicTime, members?: EntryMembers) {
    this.#plan = plan
    this.#now = now
    this.#snapshots = new PersonalSnapshots(plan.state, visibleWork, members)
    plan.state.onChange((change) => this.#onChange(change))
  }

  /** How many requests wait for a change. */
  get size(): number {
    return this.#open.size
  }

  /** Answers a request by calling `reply` once. Returns a function that drops the request without an answer. @throws Refused */
  add({ query, ifNoneMatch, audience }: WaitingRequest, reply: Reply): () => void {
    const { wait: seconds, since } = readQuery(parameters, query)
    const before = since === undefined ? undefined : this.#sent.find(personOf(audience()), since, this.#now())
    const asked = { audience, before, ifNoneMatch: since === undefined ? ifNoneMatch : undefined }
    const answer = this.#answerTo(asked)
    if (answer !== undefined || seconds === 0) {
      reply(answer ?? this.#notModified(asked))
      return () => undefined
    }
    const timer = setTimeout(() => this.#end(poll, this.#answerTo(poll) ?? this.#notModified(poll)), seconds * 1_000)
    const poll: LongPoll = { ...asked, reply, timer }
    this.#open.add(poll)
    this.#setTimer()
    return () => {
      clearTimeout(timer)
      this.#open.delete(poll)
    }
  }

  /** Call this when people may see other Work. An audience that was shown nothing yet may have other content, so a change is due. */
  checkAudiences(): void {
    if (this.#open.values().some(({ audience }) => this.#snapshots.lastShownTo(audience()) === undefined))
      this.#onChange("visibility")
  }

  /** Answers every open request with the current content. A 304 before its time would look as if the desk could not hold requests. */
  stop(): void {
    clearTimeout(this.#timer)
    for (const poll of this.#open) this.#end(poll, this.#answer(poll, this.#show(poll.audience())))
  }

  #onChange(change: Change): void {
    const notifyAt = this.#snapshots.madeAt + PAUSES_MS[change]
    if (notifyAt >= this.#notifyAt) return
    this.#notifyAt = notifyAt
    this.#setTimer()
  }

  /** Sets the timer that answers the open requests. A timer, so that no answer is made before the change itself. */
  #setTimer(): void {
    clearTimeout(this.#timer)
    if (this.#open.size === 0 || this.#notifyAt === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => inBackground(() => this.#notify()), Math.max(0, this.#notifyAt - this.#now()))
  }

  /** Answers the open requests whose content has changed, in several turns of the event loop, so that other requests run between them. */
  async #notify(): Promise<void> {
    this.#notifyAt = Number.POSITIVE_INFINITY
    const turns = new Turns()
    // While no change is due, `#show` shows what was shown before, so the content is made here.
    this.#renewContent()
    for (const poll of this.#open) {
      if (turns.isOver()) await turns.next()
      const answer = this.#open.has(poll) ? this.#answerTo(poll) : undefined
      if (answer !== undefined) this.#end(poll, answer)
    }
  }

  #end(poll: LongPoll, answer: Answer): void {
    clearTimeout(poll.timer)
    this.#open.delete(poll)
    poll.reply(answer)
  }

  /** The answer, unless the client has the current content. */
  #answerTo(asked: Asked): Answer | undefined {
    const shown = this.#show(asked.audience())
    const { etag } = shown.snapshot
    const isUpToDate = asked.before === undefined ? matchesEtag(asked.ifNoneMatch, etag) : asked.before.etag === etag
    return isUpToDate ? undefined : this.#answer(asked, shown)
  }

  #answer({ before }: Asked, shown: Shown): Answer {
    const { person, snapshot } = shown
    this.#sent.add(person, snapshot, this.#now())
    const headers = { ...apiAnswer, "Content-Type": "application/json", ETag: snapshot.etag }
    return { status: 200, headers, body: this.#bodyOf(shown, before) }
  }

  /** The answer to a client that has the current content. */
  #notModified({ audience }: Asked): Answer {
    const { person, snapshot } = this.#show(audience())
    this.#sent.add(person, snapshot, this.#now())
    return { status: 304, headers: { ...apiAnswer, ETag: snapshot.etag }, body: Buffer.alloc(0) }
  }

  /** What a person is shown: while no change is due, the same as last time. */
  #show(audience: Audience): Shown {
    const isChangeDue = this.#notifyAt <= this.#now()
    const before = isChangeDue ? undefined : this.#snapshots.lastShownTo(audience)
    if (before !== undefined) return before
    this.#renewContent()
    return this.#snapshots.showTo(audience, this.#now())
  }

  /** Makes new content if anything has changed. */
  #renewContent(): void {
    if (this.#snapshots.isCurrent) return
    // Nobody waits for this change, so it is no longer due.
    if (this.#open.size === 0) this.#notifyAt = Number.POSITIVE_INFINITY
    this.#snapshots.renew(this.#now())
  }

  #bodyOf({ snapshot, visible }: Shown, before: Snapshot | undefined): Buffer {
    if (before !== undefined) return writeChange(before, snapshot, this.#momentsOf(snapshot, visible))
    const now = this.#now()
    const whole = this.#wholes.get(snapshot)
    if (whole !== undefined && now - whole.writtenAt < WHOLE_REUSED_MS) return whole.body
    const body = writeAnswer(snapshot, this.#momentsOf(snapshot, visible))
    this.#wholes.set(snapshot, { writtenAt: now, body })
    return body
  }

  #momentsOf({ problem }: Snapshot, { works }: VisibleWork): Moments {
    const oldestCheck = oldestCheckOf(works)
    const pause = this.#plan.pausedUntil - this.#now()
    return {
      oldestCheckAt: oldestCheck === undefined ? null : new Date(oldestCheck).toISOString(),
      retryAt: pause > 0 && problem !== undefined ? new Date(Date.now() + pause).toISOString() : undefined,
    }
  }
}
