/**
 * START HERE for the watcher: reads all open Work and its waiting items, once for everybody. `read-plan.ts` decides what to read next, and
 * this file reads. The watcher begins with the first use (a request of a client, or a look of the notices) and rests 60 s after the last one.
 */
import type {
  EntryMembers,
  Decided,
  DeskAnswer,
  DeskRequest,
  ReadUpstream,
  Watched,
  Watcher,
} from "./watcher-interface.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { DoneWork } from "./done-work.ts"
import { ReadPlan, type Read, type ReadPlanParts } from "./read-plan.ts"
import { HeldRequests } from "./held-requests.ts"
import { type Audience, Views } from "./views.ts"
import { isChecked, oldestCheckOf, type WatchedWork } from "./watch-state.ts"
import type { WorkPeople } from "../record/work-people.ts"

const REST_AFTER_MS = 60_000
/** How long `useList` waits for the first round of the list, and for a newer round. */
const FIRST_LIST_MS = 5_000
const FRESH_LIST_MS = 1_500
/** The plan is asked again after this time at the latest, because Node fires a timer of more than 2^31 ms at once. */
const LONGEST_TIMER_MS = 60_000
/** How often a watcher that does not rest asks who created and decided what, and whether people see other Works than before. */
const SIGHT_EVERY_MS = 1_000

export type WatcherOptions = ReadPlanParts & {
  readonly readUpstream: ReadUpstream
  /** Called when the watcher begins to read. */
  readonly onBegin?: () => void
  /** Left out: everybody sees everything. */
  readonly people?: WorkPeople | undefined
  /** Left out: entries have no members of the desk. */
  readonly members?: EntryMembers | undefined
  /** Called when the Works that people see may have changed. */
  readonly onSightChange?: () => void
  /** A monotonic clock, in milliseconds. */
  readonly now?: (() => number) | undefined
}

/** Makes a watcher. It reads nothing before the first request of a client. */
export function createWatcher(options: WatcherOptions): Watcher {
  return new RunningWatcher(options)
}

class RunningWatcher implements Watcher {
  readonly #readUpstream: ReadUpstream
  readonly #now: () => number
  readonly #done: DoneWork | undefined
  readonly #onBegin: () => void
  readonly #plan: ReadPlan
  readonly #requests: HeldRequests
  /** Called after each answer of the upstream. */
  readonly #answerListeners = new Set<() => void>()
  /** Undefined while the watcher rests. Aborts all reads. */
  #reading: AbortController | undefined
  #lastRequestAt = 0
  #timer: NodeJS.Timeout | undefined
  #sightTimer: NodeJS.Timeout | undefined
  #isStopped = false
  readonly #people: WorkPeople | undefined
  #newWorks = 0
  readonly #onSightChange: () => void
  readonly views: Views

  constructor(options: WatcherOptions) {
    const { readUpstream, people, now = () => performance.now(), ...parts } = options
    const { onBegin = () => undefined, onSightChange = () => undefined } = parts
    this.#readUpstream = readUpstream
    this.#done = parts.done
    this.#onBegin = onBegin
    this.#plan = new ReadPlan(parts)
    this.#now = now
    this.#people = people
    this.#onSightChange = onSightChange
    this.views = new Views({ state: this.#plan.state, done: parts.done, people })
    this.#requests = new HeldRequests(this.#plan, this.views, now, parts.members)
  }

  waiting(request: DeskRequest, reply: (answer: DeskAnswer | Refusal) => void): () => void {
    this.#begin()
    // The rest begins 60 s after the last request has ended.
    const end = () => {
      this.#lastRequestAt = this.#now()
    }
    const leave = this.#requests.add(request, (answer) => {
      end()
      reply(answer)
    })
    if (this.#isStopped) this.#requests.stop()
    return () => {
      end()
      leave()
    }
  }

  use(): Watched {
    this.#begin()
    return { state: this.#plan.state, isDoneRead: () => this.#done?.isAllRead === true }
  }

  async useList(isFresh: boolean) {
    this.#begin()
    const plan = this.#plan
    // Read this number before the hint, which may begin the round at once.
    const after = isFresh ? plan.lastNumber : 0
    if (isFresh) this.hintList()
    const isReady = () => plan.listedAfter >= after || plan.state.listFailure !== undefined
    await this.#waitUntil(isReady, plan.state.isListed ? FRESH_LIST_MS : FIRST_LIST_MS)
    // Who has just created Work must find it in the list.
    await this.#people?.refresh().catch(() => undefined)
    return { state: plan.state, pauseMs: plan.pausedUntil - this.#now() }
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

  known(workId: string, withinMs: number): WatchedWork | undefined {
    const watched = this.#reading === undefined ? undefined : this.#plan.state.works.get(workId)
    return watched !== undefined && this.#now() - watched.toldAt <= withinMs ? watched : undefined
  }

  knowsEveryWork(withinMs: number): boolean {
    const { isListed, unwatched, listFailure, listedAt } = this.#plan.state
    if (this.#reading === undefined || !isListed || unwatched > 0 || listFailure !== undefined) return false
    return this.#done?.isAllListed === true && this.#now() - listedAt <= withinMs
  }

  get isFailing(): boolean {
    return this.#plan.state.failureFor(() => true) !== undefined
  }

  hint(workId: string): void {
    if (this.#reading === undefined) return
    this.#plan.hint(workId, this.#now())
    this.#read()
  }

  hintList(): void {
    if (this.#reading === undefined) return
    this.#plan.hintList(this.#now())
    this.#read()
  }

  decided({ kind, workId, itemId }: Decided, answer?: string): void {
    this.#plan.decide(kind, workId, itemId, answer)
    this.#requests.mustChange()
    this.hint(workId)
  }

  async find(audience: Audience, workId: string, itemId: string, withinMs: number) {
    this.#begin()
    const { state } = this.#plan
    const startedAt = this.#now()
    const watched = () => {
      const found = state.works.get(workId)
      return found !== undefined && this.views.of(audience).sees(found) ? found : undefined
    }
    const found = () => {
      const work = watched()
      return work && [...work.approvals, ...work.clarifications].some(({ id }) => id === itemId) ? work : undefined
    }
    const isAbsent = () => {
      const work = watched()
      // What the person sees was read again. Unknown and concealed Work is answered at the same moment, so that the time tells nothing.
      if (work !== undefined) return work.lastReadAt >= startedAt && (work.checkedAt ?? 0) >= work.lastReadAt
      const seesByApprovals = audience !== "everything" && audience.isApprover
      return state.isListed && (!seesByApprovals || state.works.values().every(isChecked))
    }
    const isKnown = () => found() !== undefined || isAbsent()
    if (!isKnown()) this.hint(workId)
    await this.#waitUntil(isKnown, withinMs)
    return found() ?? (isAbsent() ? "absent" : "unread")
  }

  get isWatched(): boolean {
    return this.#reading !== undefined
  }

  membersChanged(atOnce: boolean): void {
    if (atOnce) this.#requests.mustChange()
    else this.#requests.changed()
  }

  figures() {
    const { state } = this.#plan
    const oldest = oldestCheckOf(state.works.values())
    return {
      waitingRequests: this.#requests.size,
      openWorks: state.total,
      oldestCheckSeconds: oldest === undefined ? undefined : Math.max(0, (Date.now() - oldest) / 1_000),
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#rest()
    this.#requests.stop()
    for (const check of this.#answerListeners) check()
  }

  #begin(): void {
    this.#lastRequestAt = this.#now()
    if (this.#reading !== undefined || this.#isStopped) return
    this.#reading = new AbortController()
    this.#plan.start()
    this.#onBegin()
    if (this.#people !== undefined) this.#sightTimer = setInterval(() => void this.#lookAgain(), SIGHT_EVERY_MS).unref()
    void this.#lookAgain()
    this.#read()
  }

  /** Reads who created and decided what. While the store is away, what was known stays. */
  async #lookAgain(): Promise<void> {
    await this.#people?.refresh().catch(() => undefined)
    if (this.#reading === undefined) return
    this.#onSightChange()
    this.#requests.sightChanged()
  }

  #rest(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#sightTimer)
    this.#reading?.abort()
    this.#reading = undefined
  }

  /** Begins every request that may begin now, and sets a timer for the next one. */
  #read(): void {
    clearTimeout(this.#timer)
    const reading = this.#reading
    if (reading === undefined) return
    const restAt = this.#requests.count > 0 ? Number.POSITIVE_INFINITY : this.#lastRequestAt + REST_AFTER_MS
    if (restAt <= this.#now()) return this.#rest()
    for (;;) {
      const next = this.#plan.next(this.#now())
      if ("wakeAt" in next) {
        const wait = Math.min(Math.min(next.wakeAt, restAt) - this.#now(), LONGEST_TIMER_MS)
        this.#timer = setTimeout(() => this.#read(), Math.max(wait, 1)).unref()
        return
      }
      void this.#ask(next.read, reading.signal)
    }
  }

  async #ask(read: Read, signal: AbortSignal): Promise<void> {
    const answer = await this.#readUpstream(read.operation, read.target, signal)
    if (signal.aborted) return
    this.#plan.answered(read, answer, this.#now())
    for (const check of this.#answerListeners) check()
    // Nobody but its creator sees a new Work before the store was read.
    if (this.#plan.state.newWorks !== this.#newWorks) void this.#lookAgain()
    this.#newWorks = this.#plan.state.newWorks
    this.#requests.changed()
    this.#read()
  }
}
