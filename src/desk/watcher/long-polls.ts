/** Answers requests to `GET /desk/waiting`: at once, or at the next change of the content. */
import * as v from "valibot"
import { WAIT_MAX_SECONDS } from "../../contract/desk-work.ts"
import { matchesEtag } from "../../platform/http/http-fields.ts"
import { readQuery, wholeNumber } from "../../platform/http/query-parameters.ts"
import type { Answer } from "../../platform/http/send.ts"
import { apiAnswer } from "../../platform/http/security-headers.ts"
import {
  type Content,
  Entries,
  type Moments,
  type PersonalView,
  type Snapshot,
  takeSnapshot,
  writeAnswer,
  writeChange,
  type WriteDeskMembers,
} from "./snapshot.ts"
import { SentAnswers } from "./sent-answers.ts"
import { Turns } from "../../platform/turns.ts"
import type { ReadPlan } from "./read-plan.ts"
import type { ListedItem } from "./read-resources.ts"
import { type Audience, personOf, type VisibleWork, type VisibleWorkCache } from "./visible-work.ts"
import type { MonotonicTime } from "./request-pace.ts"
import type { Change } from "./watch-state.ts"
import { oldestCheckOf, type WatchedWork } from "./watched-work.ts"
import { inBackground } from "../../platform/background.ts"

const parameters = v.object({
  wait: v.optional(wholeNumber(0, WAIT_MAX_SECONDS), "0"),
  since: v.optional(v.string()),
})

/** How long after the last content a change is sent, so that changes at nearly the same moment are sent together. */
const PAUSES_MS: Readonly<Record<Change, number>> = {
  // The next answer must not have an item that was just decided here.
  action: 0,
  // A desk that gathers reads many items a second, and each would wake everybody.
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

/**
 * The members that the desk adds to the entries of `GET /desk/waiting`.
 *
 * Most people of a kind (the same roles and teams) are shown the same, so they share a snapshot. An entry is a person's own if the person may be shown
 * it differently: because they look at it or have set it aside (`ownItems`), or because they may need to act where their kind doesn't, or the
 * other way round (`exceptionsToKind`). A person with own entries gets a snapshot of their own.
 */
export type EntryMembers = {
  /** For each person, by id: the entries (`entryKey`) that have other members for this person than for everybody else. */
  ownItems(): ReadonlyMap<string, ReadonlySet<string>>
  /** The ids of the people for whom `isNeeded` may differ from the other people of their kind. */
  exceptionsToKind(watched: WatchedWork, item: ListedItem): readonly string[]
  /** The kind of a person, as a text. People of one kind get the same `isNeeded` for every entry that isn't their own. */
  kindOf(audience: Audience): string
  /** Whether the person may answer or approve the item now. `isOwn`: whether the entry is among those of the person's own. */
  isNeeded(audience: Audience, watched: WatchedWork, item: ListedItem, isOwn: boolean): boolean
  /** JSON members that each begin with a comma, or an empty text. Without a person: what everybody else is shown. */
  ofEntry(personId: string | undefined, watched: WatchedWork, item: ListedItem): string
  /** The members of the whole answer, for everybody, written as `ofEntry` does. */
  ofAnswer(): string
}

export type Reply = (answer: Answer) => void
/**
 * What the client has. With `before`, it gets the change since that snapshot. Otherwise it gets everything, or a 304 if `ifNoneMatch` names the
 * current content.
 */
type Asked = Pick<WaitingRequest, "audience" | "ifNoneMatch"> & { readonly before: Snapshot | undefined }
type LongPoll = Asked & { readonly reply: Reply; readonly timer: NodeJS.Timeout }

/** The pending items at one version of the state, and the snapshots of them. A snapshot is shared by people who are shown the same. */
type Current = {
  /** When the content was made. */
  readonly at: MonotonicTime
  /** `version` of the state at that time. */
  readonly version: number
  readonly content: Content
  /** For each person, by id: their own entries (`#ownItems`). */
  readonly ownKeys: ReadonlyMap<string, ReadonlySet<string>>
  /** For each set of visible Work: the snapshots, each for a person with own entries or for a kind of people (`snapshotKey`). */
  readonly snapshots: WeakMap<VisibleWork, Map<string, Snapshot>>
  /** What each person was shown of this content. Another access file or another sign-in makes another `Audience` for the same person. */
  readonly shownTo: Map<Audience, Shown>
}

/**
 * Answers at once or later:
 *
 * | the client has       | `wait` | answer                                                           |
 * | -------------------- | ------ | ---------------------------------------------------------------- |
 * | older content        | any    | at once                                                          |
 * | the current content  | 0      | 304 at once                                                      |
 * | the current content  | more   | at the first change that the person sees, or 304 after that time |
 *
 * A change sets `#notifyAt`, by its kind (`PAUSES_MS`). Then a timer answers all open requests whose content has changed. New content is made
 * only for a request after a change, so between changes everybody gets the same snapshots.
 */
export class LongPolls {
  readonly #plan: ReadPlan
  readonly #visibleWork: VisibleWorkCache
  readonly #members: EntryMembers | undefined
  readonly #now: () => MonotonicTime
  readonly #open = new Set<LongPoll>()
  readonly #entries = new Entries()
  readonly #sent = new SentAnswers()
  #cached: Current | undefined
  readonly #wholes = new WeakMap<Snapshot, { readonly writtenAt: MonotonicTime; readonly body: Buffer }>()
  /** When the open requests are answered because of a change. Infinity without a change. */
  #notifyAt: MonotonicTime = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(plan: ReadPlan, visibleWork: VisibleWorkCache, now: () => MonotonicTime, members?: EntryMembers) {
    this.#plan = plan
    this.#visibleWork = visibleWork
    this.#members = members
    this.#now = now
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

  #end(poll: LongPoll, answer: Answer): void {
    clearTimeout(poll.timer)
    this.#open.delete(poll)
    poll.reply(answer)
  }

  #onChange(change: Change): void {
    const notifyAt = (this.#cached?.at ?? Number.NEGATIVE_INFINITY) + PAUSES_MS[change]
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

  /** Answers every open request with the current content. A 304 before its time would look as if the desk could not hold requests. */
  stop(): void {
    clearTimeout(this.#timer)
    for (const poll of this.#open) this.#end(poll, this.#answer(poll, this.#snapshotFor(poll.audience())))
  }

  /** Call this when people may see other Work. An audience that was shown nothing yet may have other content, so a change is due. */
  checkAudiences(): void {
    if (this.#open.values().some(({ audience }) => this.#cached?.shownTo.has(audience()) !== true))
      this.#onChange("visibility")
  }

  /**
   * Answers the open requests whose content has changed. A change that a person does not see wakes nobody. A hundred people get their answers in
   * several turns of the event loop, so that other requests are answered between them.
   */
  async #notify(): Promise<void> {
    this.#notifyAt = Number.POSITIVE_INFINITY
    const turns = new Turns()
    // Makes the new content, which `#snapshotFor` then shows. Without this, `#snapshotFor` would show the earlier content while no change is due.
    this.#current()
    for (const poll of this.#open) {
      if (turns.isOver()) await turns.next()
      const answer = this.#open.has(poll) ? this.#answerTo(poll) : undefined
      if (answer !== undefined) this.#end(poll, answer)
    }
  }

  /** The answer, unless the client has the current content. */
  #answerTo(asked: Asked): Answer | undefined {
    const shown = this.#snapshotFor(asked.audience())
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
    const { person, snapshot } = this.#snapshotFor(audience())
    this.#sent.add(person, snapshot, this.#now())
    return { status: 304, headers: { ...apiAnswer, ETag: snapshot.etag }, body: Buffer.alloc(0) }
  }

  /** What a person is shown: a snapshot of the current content. While no change is due, the same as last time. */
  #snapshotFor(audience: Audience): Shown {
    const isChangeDue = this.#notifyAt <= this.#now()
    const before = isChangeDue ? undefined : this.#cached?.shownTo.get(audience)
    if (before !== undefined) return before
    const { content, ownKeys, snapshots, shownTo } = this.#current()
    const visible = this.#visibleWork.of(audience)
    const person = personOf(audience)
    const keys = ownKeys.get(person)
    const snapshotKey = keys === undefined ? `kind ${this.#members?.kindOf(audience) ?? ""}` : `person ${person}`
    const ofVisible = snapshots.get(visible) ?? new Map<string, Snapshot>()
    const view = this.#viewOf(audience, keys ?? NO_KEYS)
    const snapshot = ofVisible.get(snapshotKey) ?? takeSnapshot(this.#plan.state, content, visible, view)
    snapshots.set(visible, ofVisible.set(snapshotKey, snapshot))
    const found = { person, visible, snapshot }
    shownTo.set(audience, found)
    return found
  }

  #viewOf(audience: Audience, keys: ReadonlySet<string>): PersonalView | undefined {
    const members = this.#members
    return (
      members && {
        keys,
        writeDeskMembers: this.#writeFor(personOf(audience)),
        isNeeded: (watched, item, isOwn) => members.isNeeded(audience, watched, item, isOwn),
      }
    )
  }

  /** The current content, made anew if something has changed. */
  #current(): Current {
    const { state } = this.#plan
    if (this.#cached?.version === state.version) return this.#cached
    // No request is open that has to be answered with this content, so no change is due any more.
    if (this.#open.size === 0) this.#notifyAt = Number.POSITIVE_INFINITY
    const content = this.#entries.take(state, this.#writeFor(undefined), this.#members?.ofAnswer())
    this.#cached = {
      at: this.#now(),
      version: state.version,
      content,
      ownKeys: this.#ownItems(content),
      snapshots: new WeakMap(),
      shownTo: new Map(),
    }
    return this.#cached
  }

  /** The own entries of each person (see `EntryMembers`). */
  #ownItems({ attention, approvals }: Content): ReadonlyMap<string, ReadonlySet<string>> {
    const members = this.#members
    if (members === undefined) return new Map()
    const own = new Map([...members.ownItems()].map(([personId, keys]) => [personId, new Set(keys)]))
    for (const { serialized } of [...attention, ...approvals]) {
      for (const personId of members.exceptionsToKind(serialized.watched, serialized.item)) {
        own.set(personId, (own.get(personId) ?? new Set()).add(serialized.key))
      }
    }
    return own
  }

  #writeFor(personId: string | undefined): WriteDeskMembers {
    return (watched, item) => this.#members?.ofEntry(personId, watched, item) ?? ""
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

const NO_KEYS: ReadonlySet<string> = new Set()

/** What a person is shown now. */
type Shown = { readonly person: string; readonly visible: VisibleWork; readonly snapshot: Snapshot }
