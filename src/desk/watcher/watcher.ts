/**
 * START HERE for the watcher: reads all open Work and its waiting items, once for everybody. `read-plan.ts` decides what to read next, and
 * this file reads. The watcher begins to read with the first use and rests 60 s after the last use (`#restAt`).
 */
import type { WorkPeople } from "../record/work-people.ts"
import { LongPolls, type Reply, type WaitingRequest } from "./long-polls.ts"
import type { EntryMembers } from "./personal-snapshots.ts"
import type { ReadListeners } from "./check-steps.ts"
import { type Read, ReadPlan, type ReadUpstream } from "./read-plan.ts"
import type { MonotonicTime } from "./request-pace.ts"
import { type Audience, VisibleWorkCache } from "./visible-work.ts"
import type { Change, WatchState } from "./watch-state.ts"
import { itemsOf, oldestCheckOf, type WatchedWork, wasCheckedSince, wasTried } from "./watched-work.ts"
import { inBackground } from "../../platform/background.ts"

const REST_AFTER_MS = 60_000
/** How long `readList` waits for the first round of the list. */
const FIRST_LIST_MS = 5_000
/** How long `readList` waits for a newer round, when there is an older list to answer with. */
const NEWER_LIST_MS = 1_500
/** The longest timer until the plan is asked again. The wait may be infinite, and Node fires a timer of more than 2^31 ms at once. */
const LONGEST_TIMER_MS = 60_000
/** How often the watcher reads from the store who created and decided what, because that decides who sees a Work. */
const VISIBILITY_EVERY_MS = 1_000

export type WatcherOptions = ReadListeners & {
  readonly readUpstream: ReadUpstream
  /** Called when the watcher begins to read. */
  readonly onBegin?: () => void
  /** Left out: everybody sees everything. */
  readonly people?: WorkPeople | undefined
  /** Left out: entries have no members of the desk. */
  readonly members?: EntryMembers | undefined
  /** Called when the Works that people see may have changed. */
  readonly onVisibilityChange?: () => void
  /** A monotonic clock, in milliseconds. */
  readonly now?: (() => MonotonicTime) | undefined
}

/** An item that was decided or answered through this desk. */
export type Decided = {
  readonly kind: "clarification" | "approval"
  /** Decoded, as the Work's `id` is. */
  readonly workId: string
  readonly itemId: string
}

export class Watcher {
  /** What each person sees of the Work that was read. */
  readonly visibleWork: VisibleWorkCache
  readonly #options: WatcherOptions
  readonly #now: () => MonotonicTime
  readonly #plan: ReadPlan
  readonly #longPolls: LongPolls
  /** Called after each answer of the upstream. */
  readonly #answerListeners = new Set<() => void>()
  /** Aborts all reads. Undefined while the watcher rests. */
  #reading: AbortController | undefined
  #lastUseAt: MonotonicTime = 0
  #timer: NodeJS.Timeout | undefined
  #visibilityTimer: NodeJS.Timeout | undefined
  #isStopped = false
  #addedWorks = 0

  constructor(options: WatcherOptions) {
    const { now = () => performance.now(), done, people, members } = options
    this.#options = options
    this.#now = now
    this.#plan = new ReadPlan(options)
    this.visibleWork = new VisibleWorkCache({ state: this.#plan.state, done, people })
    this.#longPolls = new LongPolls(this.#plan, this.visibleWork, now, members)
  }

  /** Answers `GET /desk/waiting` by calling `reply` once. Returns a function that drops the request, when the client has left. */
  waiting(request: WaitingRequest, reply: Reply): () => void {
    this.#noteUse()
    // A request may wait for 25 s, and its end counts as a use, too.
    const noteEnd = () => {
      this.#lastUseAt = this.#now()
    }
    const drop = this.#longPolls.add(request, (answer) => {
      noteEnd()
      reply(answer)
    })
    // A stopped watcher answers at once.
    if (this.#isStopped) this.#longPolls.stop()
    return () => {
      noteEnd()
      drop()
    }
  }

  /** Begins reading, if the watcher rests. Returns what was read so far. */
  wake(): WatchState {
    this.#noteUse()
    return this.#plan.state
  }

  /**
   * As `wake`, but waits until the list was read once, or with `isFresh` until it was read in a round that began after this call. Waits 5 s at most,
   * and not while the list fails. `pauseMs` is what is left of the pause after a failure; 0 or less without a pause.
   */
  async readList({
    isFresh,
  }: {
    readonly isFresh: boolean
  }): Promise<{ readonly state: WatchState; readonly pauseMs: number }> {
    this.#noteUse()
    const plan = this.#plan
    // Only a round that began after this request is enough; 0: any round. Taken before the hint, because the hint may begin a request.
    const enoughSince = isFresh ? plan.lastNumber : 0
    if (isFresh) this.hintList()
    const isReady = () => plan.state.knownWhole(enoughSince).level === "whole" || plan.state.listFailure !== undefined
    // With or without `isFresh`.
    const hasOlderList = plan.state.knownWhole().level !== "unknown"
    await this.#waitUntil(isReady, hasOlderList ? NEWER_LIST_MS : FIRST_LIST_MS)
    // A person who has just created a Work must find it in the list. The store says who created it.
    await this.visibleWork.readPeople(plan.state.works.keys())
    return { state: plan.state, pauseMs: plan.pausedUntil - this.#now() }
  }

  /** An open Work that the upstream showed at most `withinMs` ago. Undefined when the watcher rests or does not know the Work. Begins nothing. */
  known(workId: string, withinMs: number): WatchedWork | undefined {
    const watched = this.#reading === undefined ? undefined : this.#plan.state.works.get(workId)
    return watched !== undefined && this.#now() - watched.seenAt <= withinMs ? watched : undefined
  }

  /** Whether all open and done Work was listed, and the last whole round of open Work ended at most `withinMs` ago. */
  knowsEveryWork(withinMs: number): boolean {
    const { state } = this.#plan
    const known = state.knownWhole()
    if (this.#reading === undefined || known.level !== "whole" || this.#now() - known.endedAt > withinMs) return false
    const leftOut = state.unwatched + state.unnamed
    const knowsOpenWork = state.isListSound && leftOut === 0
    return knowsOpenWork && this.#options.done?.isAllListed === true
  }

  /** Asks for a Work to be read again soon. Call this after the desk relayed an event or a mutation of the Work. The id is decoded. */
  hint(workId: string): void {
    if (this.#reading === undefined) return
    if (this.#plan.hint(workId, this.#now())) this.#beginReads()
  }

  /** Asks for the list of open Work to be read again soon. Call this when Work was created. */
  hintList(): void {
    if (this.#reading === undefined) return
    if (this.#plan.hintList()) this.#beginReads()
  }

  /** Removes a decided item. Call this before the client gets the upstream's `answer` to the decision, so that no later answer has the item. */
  decided({ kind, workId, itemId }: Decided, answer?: string): void {
    this.#plan.decide(kind, workId, itemId, answer)
    this.hint(workId)
  }

  /**
   * Finds the open Work of a waiting item. If the item is not known yet, reads the Work or the list again, for at most `withinMs`.
   * `absent`: no such item is pending, or the person can't see the Work. `unread`: the time was over before either was certain.
   */
  async find(
    audience: Audience,
    workId: string,
    itemId: string,
    withinMs: number,
  ): Promise<WatchedWork | "absent" | "unread"> {
    this.#noteUse()
    const start = { at: this.#now(), lastRequestBefore: this.#plan.lastNumber }
    const findWithItem = () => {
      const watched = this.#findVisible(audience, workId)
      return watched && itemsOf(watched).some(({ id }) => id === itemId) ? watched : undefined
    }
    const known = findWithItem()
    if (known !== undefined) return known
    if (this.#findVisible(audience, workId) === undefined) this.hintList()
    else this.hint(workId)
    const isAbsent = () => this.#isSurelyAbsent(audience, workId, start)
    await this.#waitUntil(() => findWithItem() !== undefined || isAbsent(), withinMs)
    return findWithItem() ?? (isAbsent() ? "absent" : "unread")
  }

  #findVisible(audience: Audience, workId: string): WatchedWork | undefined {
    const watched = this.#plan.state.works.get(workId)
    return watched !== undefined && this.visibleWork.of(audience).sees(watched) ? watched : undefined
  }

  /** Whether enough was read since the `start` of a search to say that an item, which was not found, is absent. */
  #isSurelyAbsent(
    audience: Audience,
    workId: string,
    start: { readonly at: MonotonicTime; readonly lastRequestBefore: number },
  ): boolean {
    const { state } = this.#plan
    const watched = this.#findVisible(audience, workId)
    if (watched !== undefined) return wasCheckedSince(watched, start.at)
    // Unknown Work and concealed Work wait for the same reads, so that the time of the answer reveals nothing.
    const isListRead = state.knownWhole(start.lastRequestBefore).level === "whole"
    // An approver also sees Work because of its approvals, which only the check of the Work shows. A Work whose check failed counts as tried, so that
    // one such Work does not hold up all answers.
    const seesByApprovals = audience !== "everything" && audience.isApprover
    return isListRead && (!seesByApprovals || state.works.values().every(wasTried))
  }

  /** Whether the watcher reads, and does not rest. */
  get isWatched(): boolean {
    return this.#reading !== undefined
  }

  /** Call this when the members of entries have changed. */
  membersChanged(change: Change): void {
    this.#plan.state.change(change)
  }

  /** For the metrics. `oldestCheckSeconds` is undefined before the first check. */
  figures() {
    const { state } = this.#plan
    const oldest = oldestCheckOf(state.works.values())
    return {
      waitingRequests: this.#longPolls.size,
      openWorks: state.total,
      oldestCheckSeconds: oldest === undefined ? undefined : Math.max(0, (Date.now() - oldest) / 1_000),
    }
  }

  /** Stops reading, and answers all waiting requests. */
  stop(): void {
    this.#isStopped = true
    this.#rest()
    this.#longPolls.stop()
    for (const check of this.#answerListeners) check()
  }

  /** Notes a use. A watcher that rests begins to read. */
  #noteUse(): void {
    this.#lastUseAt = this.#now()
    if (this.#reading !== undefined || this.#isStopped) return
    const { onBegin, people } = this.#options
    this.#reading = new AbortController()
    this.#plan.start()
    onBegin?.()
    if (people !== undefined)
      this.#visibilityTimer = setInterval(() => inBackground(() => this.#readVisibility()), VISIBILITY_EVERY_MS).unref()
    inBackground(() => this.#readVisibility())
    this.#beginReads()
  }

  /** Reads who created and decided what, and answers the requests of people who now see other Works. */
  async #readVisibility(): Promise<void> {
    await this.visibleWork.readPeople(this.#plan.state.works.keys())
    if (this.#reading === undefined) return
    this.#options.onVisibilityChange?.()
    this.#longPolls.checkAudiences()
  }

  /**
   * When the watcher rests: 60 s after the last use, and never while a request to `/desk/waiting` is pending. If the desk has any channel of
   * notices, `OutboxFiller.fill` wakes the watcher every second, so the watcher never rests.
   */
  #restAt(): MonotonicTime {
    return this.#longPolls.size > 0 ? Number.POSITIVE_INFINITY : this.#lastUseAt + REST_AFTER_MS
  }

  #rest(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#visibilityTimer)
    this.#reading?.abort()
    this.#reading = undefined
  }

  /** Waits until `isReady` is true, at most `atMostMs`. Only an answer of the upstream makes `isReady` true. */
  async #waitUntil(isReady: () => boolean, atMostMs: number): Promise<void> {
    if (isReady() || this.#isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = () => {
      if (isReady() || this.#isStopped) resolve()
    }
    this.#answerListeners.add(check)
    const timer = setTimeout(resolve, atMostMs)
    await promise
    clearTimeout(timer)
    this.#answerListeners.delete(check)
  }

  /** Begins every request that may begin now, and sets a timer for the next one. */
  #beginReads(): void {
    clearTimeout(this.#timer)
    const reading = this.#reading
    if (reading === undefined) return
    const restAt = this.#restAt()
    if (restAt <= this.#now()) return this.#rest()
    for (;;) {
      const next = this.#plan.next(this.#now())
      if ("wakeAt" in next) {
        const wait = Math.min(Math.min(next.wakeAt, restAt) - this.#now(), LONGEST_TIMER_MS)
        this.#timer = setTimeout(() => this.#beginReads(), Math.max(wait, 1)).unref()
        return
      }
      inBackground(() => this.#sendRead(next.read, reading.signal))
    }
  }

  async #sendRead(read: Read, signal: AbortSignal): Promise<void> {
    const answer = await this.#options.readUpstream(read.operation, read.target, signal)
    if (signal.aborted) return
    this.#plan.applyAnswer(read, answer, this.#now())
    for (const check of this.#answerListeners) check()
    // The store says who created a new Work. Before it is read, the Work is concealed from people who may come to see it.
    const { addedWorks } = this.#plan.state
    if (addedWorks !== this.#addedWorks) inBackground(() => this.#readVisibility())
    this.#addedWorks = addedWorks
    this.#beginReads()
  }
}
