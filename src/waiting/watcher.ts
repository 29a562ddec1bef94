/**
 * START HERE: the watcher reads what waits across all open Work, once for everybody. `plan.ts` says what to read next; this file reads.
 * The watcher begins with the first request and rests 60 s after the last one.
 */
import type { Decided, DeskAnswer, DeskRequest, FoundContext, ReadUpstream, Watcher } from "./interface.ts"
import type { Refusal } from "../contract/refusal.ts"
import { Glance, type GlanceSources } from "./desk-queries.ts"
import { Plan, type Read } from "./plan.ts"
import { WaitingRequests } from "./waiting-requests.ts"

const REST_AFTER_MS = 60_000
/** How long a list of open Work waits for the first reading of the list, and for a newer one. */
const FIRST_LIST_MS = 5_000
const FRESH_LIST_MS = 1_500
/** Node fires a timer beyond 2^31 ms at once, so the plan is asked again after this time at the latest. */
const LONGEST_TIMER_MS = 60_000

export type WatcherOptions = GlanceSources & {
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

export function createWatcher(options: WatcherOptions): Watcher {
  return new RunningWatcher(options)
}

class RunningWatcher implements Watcher {
  readonly #readUpstream: ReadUpstream
  readonly #now: () => number
  readonly #glance: Glance
  readonly #plan: Plan
  readonly #requests: WaitingRequests
  readonly #lookers = new Set<() => void>()
  #reading: AbortController | undefined
  #askedAt = 0
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: WatcherOptions) {
    const { now = () => performance.now() } = options
    this.#readUpstream = options.readUpstream
    this.#glance = new Glance(options)
    this.#plan = new Plan({ done: this.#glance.done, onApprovals: this.#glance.take })
    this.#now = now
    this.#requests = new WaitingRequests(this.#plan, now)
  }

  waiting(request: DeskRequest, reply: (answer: DeskAnswer | Refusal) => void): () => void {
    this.#begin()
    // A request counts as the last one until it is answered.
    const end = () => {
      this.#askedAt = this.#now()
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

  async overview(query: string): Promise<DeskAnswer | Refusal> {
    this.#begin()
    return this.#glance.overview(query, this.#plan)
  }

  async work(query: string, isFresh: boolean): Promise<DeskAnswer | Refusal> {
    this.#begin()
    const plan = this.#plan
    // Before the hint, which may begin the reading of the list at once.
    const after = isFresh ? plan.lastNumber : 0
    if (isFresh) this.hintList()
    const isReady = () => plan.listedAfter >= after || plan.known.listProblem !== undefined
    await this.#when(isReady, plan.known.isListed ? FRESH_LIST_MS : FIRST_LIST_MS)
    return this.#glance.work(query, plan, plan.pausedUntil - this.#now())
  }

  /** Waits until an answer of the upstream makes `isReady` true, `atMostMs` at most. */
  async #when(isReady: () => boolean, atMostMs: number): Promise<void> {
    if (isReady() || this.#isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => {
      if (isReady() || this.#isStopped) resolve()
    }
    this.#lookers.add(look)
    const timer = setTimeout(resolve, atMostMs)
    await promise
    clearTimeout(timer)
    this.#lookers.delete(look)
  }

  async context(query: string): Promise<FoundContext | DeskAnswer | Refusal> {
    this.#begin()
    await this.#glance.approvals.load()
    return this.#glance.context(query, this.#plan)
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

  decided({ kind, workId, itemId }: Decided): void {
    this.#plan.decide(kind, workId, itemId)
    this.#requests.decided()
    this.hint(workId)
  }

  figures() {
    const { known } = this.#plan
    const oldest = known.oldestCheck
    return {
      openWorks: known.total,
      oldestCheckSeconds: oldest === undefined ? undefined : Math.max(0, (Date.now() - oldest) / 1_000),
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#rest()
    this.#requests.stop()
    for (const look of this.#lookers) look()
    await this.#glance.approvals.save()
  }

  #begin(): void {
    this.#askedAt = this.#now()
    if (this.#reading !== undefined || this.#isStopped) return
    this.#reading = new AbortController()
    this.#plan.start()
    void this.#glance.approvals.load()
    this.#read()
  }

  #rest(): void {
    clearTimeout(this.#timer)
    this.#reading?.abort()
    this.#reading = undefined
  }

  /** Begins every request that may begin now, and sets a timer for the next one. */
  #read(): void {
    clearTimeout(this.#timer)
    const reading = this.#reading
    if (reading === undefined) return
    const restAt = this.#requests.count > 0 ? Number.POSITIVE_INFINITY : this.#askedAt + REST_AFTER_MS
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
    for (const look of this.#lookers) look()
    this.#requests.changed()
    this.#read()
  }
}
