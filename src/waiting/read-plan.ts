/**
 * Decides what the watcher reads next, and takes the answers in. `watcher.ts` sends the requests. `now` is a moment of the watcher's monotonic
 * clock. The system's clock is read only to compare with times of the API.
 */
import { toProblem } from "../contract/refusal.ts"
import { upstreamInvalid } from "../contract/refusals.ts"
import type { UpstreamAnswer } from "./answers.ts"
import type { DoneRead } from "./done-work-reads.ts"
import { type ListRead, ListRounds } from "./list-rounds.ts"
import { type Due, RequestPace } from "./request-pace.ts"
import { InvalidAnswerError, readApprovalList, readOneApproval, readProblem, readWorkPage } from "./resources.ts"
import { isAddressable, isChecked, LIST, WatchState, type WatchedWork } from "./watch-state.ts"
import { type CheckRead, type ReadListeners, WorkChecks } from "./work-checks.ts"
import { WorkTurns } from "./work-turns.ts"

type AnyRead = ListRead | CheckRead | DoneRead

/** One request of the watcher. A later request has a greater number. */
export type Read = AnyRead & { readonly number: number }

/** A Work that this many complete rounds of the list in a row do not have is gone, unless its own check finds it open in between. */
const LIST_MISSES_MAX = 2

export class ReadPlan {
  readonly state = new WatchState()
  readonly #listeners: ReadListeners
  readonly #pace = new RequestPace()
  readonly #list = new ListRounds(this.state)
  readonly #checks: WorkChecks
  readonly #turns: WorkTurns
  readonly #underWay = new Set<number>()
  /** Whether the last request was chosen because of a hint. */
  #wasHintLast = false
  /** Whether the last check was one after a failure. */
  #wasRetryLast = false

  constructor(listeners: ReadListeners = {}) {
    this.#listeners = listeners
    this.#checks = new WorkChecks(this.state, listeners)
    this.#turns = new WorkTurns(this.state, (watched) => this.#checks.mayBeginAt(watched))
  }

  /** Begins, or begins again after a rest. Everything is read again. The caller has aborted all reads that were under way. */
  start(): void {
    this.state.reset()
    this.#turns.reset()
    this.#checks.reset()
    this.#list.reset()
    this.#underWay.clear()
    this.#listeners.done?.abort()
  }

  /** The number of the last request. */
  get lastNumber(): number {
    return this.#pace.lastNumber
  }

  /** All requests of the last complete round of the list have numbers above this one. -1 before the first complete round. */
  get listedAfter(): number {
    return this.#list.readAfter
  }

  /** The end of the pause after a failure. A moment of the past when there is no pause. */
  get pausedUntil(): number {
    return this.#pace.pausedUntil
  }

  /** Whether every open Work was checked at least once and the list was read to its end. */
  get isComplete(): boolean {
    const { isListed, unwatched, works } = this.state
    return isListed && unwatched === 0 && works.values().every(isChecked)
  }

  /** Asks for a Work to be read soon. */
  hint(workId: string, now: number): void {
    if (this.state.works.has(workId)) this.#checks.hint(workId, now)
    else this.#list.hint()
  }

  /** Asks for the list to be read soon. */
  hintList(): void {
    this.#list.hint()
  }

  /** Removes a decided item. No read that has begun brings the item back. `answer` is the body of the answer to the decision. */
  decide(kind: "clarification" | "approval", workId: string, itemId: string, answer?: string): void {
    this.state.decide(kind, workId, itemId, this.lastNumber)
    if (kind !== "approval" || answer === undefined) return
    try {
      this.#listeners.onApprovals?.(workId, [readOneApproval(answer)])
    } catch (error) {
      // The item is removed all the same. The next check of the Work tells the listener of the approval.
      if (!(error instanceof InvalidAnswerError)) throw error
    }
  }

  /** The next request, which counts as begun. */
  next(now: number): Due<Read> {
    const readyAt = this.#pace.readyAt(this.#underWay.size)
    if (readyAt > now) return { wakeAt: readyAt }
    const next = this.#choose(now)
    if ("wakeAt" in next) return next
    const number = this.#pace.begin(now)
    this.#underWay.add(number)
    return { due: { ...next.due, number } }
  }

  /**
   * In this order: the next request of a check that has begun, Work with a hint, the list, other checks, done Work once the list was read.
   * After a hint the others come first once, because hints may come all the time.
   */
  #choose(now: number): Due<AnyRead> {
    const unfinished = this.#checks.unfinished()
    if (unfinished !== undefined) return { due: unfinished }
    const hinted = this.#checks.dueHint(now)
    const takesHint = "due" in hinted && !this.#wasHintLast
    this.#wasHintLast = takesHint
    if (takesHint) return { due: this.#checks.beginWithWork(hinted.due, now) }
    const page = this.#list.next(this.lastNumber, now)
    if ("due" in page) return page
    const check = this.#chooseCheck(now)
    if ("due" in check) return check
    if ("due" in hinted) return { due: this.#checks.beginWithWork(hinted.due, now) }
    const done = this.state.isListed ? (this.#listeners.done?.next(now) ?? NEVER) : NEVER
    if ("due" in done) return done
    return { wakeAt: Math.min(hinted.wakeAt, page.wakeAt, check.wakeAt, done.wakeAt) }
  }

  /** A check after a failure, or the choice of `WorkTurns`. They alternate, so that neither delays the other. */
  #chooseCheck(now: number): Due<CheckRead> {
    const retry = this.#checks.dueRetry(now)
    const takesRetry = "due" in retry && !this.#wasRetryLast
    this.#wasRetryLast = takesRetry
    const turn = takesRetry ? NEVER : this.#turns.next(now, this.#pace.intervalMs > 0)
    if ("due" in turn) return { due: this.#checks.begin(turn.due, now) }
    if ("due" in retry) return { due: this.#checks.beginWithWork(retry.due, now) }
    return { wakeAt: Math.min(turn.wakeAt, retry.wakeAt) }
  }

  /** Takes in the answer of a read that `next` gave. */
  answered(read: Read, answer: UpstreamAnswer, now: number): void {
    if (!this.#underWay.delete(read.number)) return
    if (answer.status === 200 || isRefusalOfOneWork(read, answer)) {
      try {
        this.#take(read, answer, now)
        this.#pace.succeeded(read.number, answer.headers, now)
      } catch {
        // Every error of the reader counts, also the RangeError for JSON that is nested too deeply for the stack.
        this.#fail(read, { ...answer, status: upstreamInvalid.status, body: "" }, now)
      }
    } else this.#fail(read, answer, now)
    this.state.forgetDecided(this.#underWay.values().next().value ?? Number.POSITIVE_INFINITY)
  }

  #take(read: Read, answer: UpstreamAnswer, now: number): void {
    if (read.kind === "check") return this.#checks.take(read, answer, read.number, now)
    if (read.kind === "done") return this.#takeDone(read, answer, now)
    const missing = this.#list.take(read, answer.body, read.number, now, this.#pace.intervalMs)
    this.state.heal(LIST)
    for (const watched of missing) this.#checkOrRemove(watched)
  }

  /** First miss: checks the Work, which may have moved to another list while the pages were read. Second miss in a row: removes the Work. */
  #checkOrRemove(watched: WatchedWork): void {
    watched.missed++
    if (watched.missed >= LIST_MISSES_MAX) this.state.remove(watched.work.id)
    else this.#checks.hint(watched.work.id, DUE_AT_ONCE)
  }

  #takeDone({ work }: DoneRead, { status, body }: UpstreamAnswer, now: number): void {
    const { done, onApprovals } = this.#listeners
    if (work === undefined) {
      const { works, nextCursor } = readWorkPage(body)
      const addressable = works.filter(({ id }) => isAddressable(id))
      return done?.takePage(addressable, nextCursor, now, Date.now())
    }
    onApprovals?.(work.id, status === 200 ? readApprovalList(body) : [], work.version)
    done?.takeWork(work.id)
  }

  #fail(read: Read, { status, headers, body, cause }: UpstreamAnswer, now: number): void {
    this.#pace.failed(read.number, status, headers, now)
    if (read.kind === "done") return this.#listeners.done?.fail(read, now)
    const failure = { ...(readProblem(body) ?? invalidAnswer(read.number)), cause }
    if (read.kind === "check") return this.#checks.fail(read, failure, now)
    this.#list.fail(read, status)
    this.state.fail(LIST, failure, now)
  }
}

const NEVER = { wakeAt: Number.POSITIVE_INFINITY }
const DUE_AT_ONCE = Number.NEGATIVE_INFINITY

/** Whether the service refuses one Work (403) or has no such Work (404). Such an answer is no failure of the service. */
function isRefusalOfOneWork(read: Read, { status }: UpstreamAnswer): boolean {
  const isAboutOneWork = read.kind === "check" || (read.kind === "done" && read.work !== undefined)
  return isAboutOneWork && (status === 403 || status === 404)
}

function invalidAnswer(number: number) {
  const problem = toProblem(upstreamInvalid, `watch-${number}`)
  return { problem, json: JSON.stringify(problem) }
}
