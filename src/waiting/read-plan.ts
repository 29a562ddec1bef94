/**
 * Decides what the watcher reads next, and takes the answers in. This file sends nothing: watcher.ts sends the requests. `now` is a moment of
 * the watcher's monotonic clock; the system's clock is read only to compare with times of the API. The order is: the next request of a check
 * that has begun, Work with a hint, the list, then alternately a retry that is due and the choice of `work-turns.ts`, then done Work.
 */
import { upstreamInvalid } from "../contract/refusals.ts"
import { toProblem } from "../contract/refusal.ts"
import type { ReadOperation, UpstreamAnswer } from "./watcher-interface.ts"
import type { DoneRead, DoneWork } from "./done-work.ts"
import { isAddressable, isChecked, LIST, WatchState, type WatchedWork } from "./watch-state.ts"
import { addressOfPage } from "./list-round.ts"
import { ListSchedule, type PageRead } from "./list-schedule.ts"
import { Pace } from "./pace.ts"
import { WorkTurns } from "./work-turns.ts"
import {
  InvalidAnswerError,
  readApprovalList,
  readOneApproval,
  readProblem,
  readWorkPage,
  type ListedApproval,
  type ListedWork,
} from "./resources.ts"
import { Retries, WorkChecks, type CheckRead } from "./work-checks.ts"

/** What a read is for. */
type Aim =
  | { readonly kind: "list"; readonly read: PageRead }
  | { readonly kind: "work"; readonly read: CheckRead }
  | { readonly kind: "done"; readonly read: DoneRead }

/** One request of the watcher. A later request has a greater number. */
export type Read = {
  readonly operation: ReadOperation
  readonly target: string
  readonly number: number
  readonly aim: Aim
}

type NewRead = Omit<Read, "number">

export type ReadPlanParts = {
  /** With this, done Work is read when there is nothing else to read. */
  readonly done?: DoneWork
  /** Called with all approvals of a Work, pending and resolved. `doneVersion` is the version of a Work that is done. */
  readonly onApprovals?: (workId: string, approvals: readonly ListedApproval[], doneVersion?: string) => void
}

/** A Work that is missing in this many complete rounds of the list is gone. */
const LIST_MISSES_MAX = 2

const OPERATIONS = { work: "getWork", approvals: "listWorkApprovals", clarifications: "listWorkAttention" } as const

export class ReadPlan {
  readonly state = new WatchState()
  readonly #parts: ReadPlanParts
  readonly #pace = new Pace()
  readonly #list = new ListSchedule(this.state)
  readonly #listRetries = new Retries()
  readonly #checks: WorkChecks
  #turns = new WorkTurns(this.state.works)
  readonly #underWay = new Set<number>()
  /** Whether a retry comes next. Retries and other reads alternate, so that neither delays the other. */
  #isRetryNext = false
  #lastNumber = 0

  constructor(parts: ReadPlanParts = {}) {
    this.#parts = parts
    this.#checks = new WorkChecks(this.state, {
      onWork: (work, number, now) => this.#takeWork(work, number, now),
      onApprovals: (workId, approvals) => parts.onApprovals?.(workId, approvals),
    })
  }

  /** Begins, or begins again after a rest. Everything is read again. The caller has aborted all reads that were under way. */
  start(): void {
    this.state.reset()
    this.#turns = new WorkTurns(this.state.works)
    this.#checks.reset()
    this.#list.reset()
    this.#listRetries.clear()
    this.#underWay.clear()
    this.#parts.done?.abort()
  }

  /** The number of the last request. */
  get lastNumber(): number {
    return this.#lastNumber
  }

  /** The number of the last request before the last complete round of the list began. -1 before the first complete round. */
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
    else this.#list.hint(now)
  }

  /** Asks for the list to be read soon. */
  hintList(now: number): void {
    this.#list.hint(now)
  }

  /** Removes a decided item. No read that has begun brings it back. `answer` is the body of the answer to the decision. */
  decide(kind: "clarification" | "approval", workId: string, itemId: string, answer?: string): void {
    this.state.decide(kind, workId, itemId, this.#lastNumber)
    if (kind !== "approval" || answer === undefined) return
    try {
      this.#parts.onApprovals?.(workId, [readOneApproval(answer)])
    } catch (error) {
      if (!(error instanceof InvalidAnswerError)) throw error
    }
  }

  /** Gives the next request, which counts as begun, or the moment to ask again. Infinity means that an answer has to come first. */
  next(now: number): { readonly read: Read } | { readonly wakeAt: number } {
    const readyAt = this.#pace.readyAt(this.#underWay.size)
    if (readyAt > now) return { wakeAt: readyAt }
    const chosen = this.#choose(now)
    if (typeof chosen === "number") return { wakeAt: chosen }
    const number = this.#pace.begin(now)
    this.#lastNumber = number
    this.#underWay.add(number)
    return { read: { ...chosen, number } }
  }

  /**
   * Gives the next read, or the moment to ask again. Each part is asked in turn. It answers with what to read, or with the earliest moment
   * at which it will have something to read: a number, or the member `laterAt`.
   */
  #choose(now: number): NewRead | number {
    const checks = this.#checks
    const unfinished = checks.unfinished()
    if (unfinished !== undefined) return toCheckRead(unfinished)
    const hinted = checks.dueHint(now)
    if (typeof hinted !== "number") return toCheckRead(checks.beginWithWork(hinted, now))
    const page = this.#list.next(this.#lastNumber, this.#listRetries.at(LIST) ?? 0, now)
    if (typeof page !== "number") return toPageRead(page)
    const retry = checks.dueRetry(now)
    this.#isRetryNext = !this.#isRetryNext
    if (typeof retry !== "number" && this.#isRetryNext) return toCheckRead(checks.beginWithWork(retry, now))
    const picked = this.#turns.pick(this.state.workChanges, checks.notBefore, now, this.#pace.hasQuota)
    if ("watched" in picked) return toCheckRead(checks.begin(picked.watched, now))
    if (typeof retry !== "number") return toCheckRead(checks.beginWithWork(retry, now))
    // The first round of the list comes before done Work.
    const done = this.state.isListed ? (this.#parts.done?.next(now) ?? Infinity) : Infinity
    return typeof done === "number" ? Math.min(hinted, page, picked.laterAt, retry, done) : toDoneRead(done)
  }

  /** Takes in the answer of a read that `next` gave. */
  answered(read: Read, answer: UpstreamAnswer, now: number): void {
    if (!this.#underWay.delete(read.number)) return
    if (answer.status === 200 || isRefusalOfOneWork(read, answer)) {
      try {
        this.#take(read, answer, now)
        this.#pace.succeeded(read.number, answer.headers, now)
      } catch {
        // An answer that cannot be read is not valid. That includes JSON that is nested too deeply for the stack.
        this.#fail(read, { ...answer, status: upstreamInvalid.status, body: "" }, now)
      }
    } else this.#fail(read, answer, now)
    this.state.forgetDecided(this.#underWay.values().next().value ?? Number.POSITIVE_INFINITY)
  }

  #take({ aim, number }: Read, answer: UpstreamAnswer, now: number): void {
    if (aim.kind === "work") return this.#checks.take(aim.read, answer, number, now)
    if (aim.kind === "done") return this.#takeDone(aim.read, answer, now)
    const missing = this.#list.take(aim.read, answer.body, number, now, this.#pace.requestsPerSecond)
    this.#listRetries.end(LIST)
    this.state.endFailure(LIST)
    for (const watched of missing) this.#takeMissing(watched)
  }

  /** The list does not have the Work. The Work may have changed its status, and so its list, between two pages. */
  #takeMissing(watched: WatchedWork): void {
    watched.missed++
    if (watched.missed >= LIST_MISSES_MAX) this.#checks.remove(watched.work.id)
    else this.#checks.hint(watched.work.id, Number.NEGATIVE_INFINITY)
  }

  #takeWork(work: ListedWork, number: number, now: number): void {
    if (work.status === "done" && isAddressable(work.id)) this.#parts.done?.add(work, Date.now())
    this.state.takeWork(work, number, now)
  }

  #takeDone(read: DoneRead, { status, body }: UpstreamAnswer, now: number): void {
    if (read.kind === "page") {
      const { works, nextCursor } = readWorkPage(body)
      const addressable = works.filter(({ id }) => isAddressable(id))
      this.#parts.done?.takePage(addressable, nextCursor, now, Date.now())
      return
    }
    this.#parts.onApprovals?.(read.id, status === 200 ? readApprovalList(body) : [], read.version)
    this.#parts.done?.takeWork(read.id)
  }

  #fail({ aim, number }: Read, { status, headers, body, cause }: UpstreamAnswer, now: number): void {
    this.#pace.failed(number, status, headers, now)
    if (aim.kind === "done") return this.#parts.done?.fail(aim.read, now)
    const failure = { ...(readProblem(body) ?? invalidAnswer(number)), cause }
    if (aim.kind === "list") {
      this.#list.fail(aim.read, status)
      this.#listRetries.fail(LIST, now)
      this.state.addFailure(LIST, failure)
    } else if (this.#checks.fail(aim.read, now)) this.state.addFailure(aim.read.check.watched.work.id, failure)
  }
}

/** Whether the service refuses one Work (403) or has no such Work (404). */
function isRefusalOfOneWork({ aim }: Read, { status }: UpstreamAnswer): boolean {
  const isAboutOneWork = aim.kind === "work" || (aim.kind === "done" && aim.read.kind === "work")
  return isAboutOneWork && (status === 403 || status === 404)
}

const toCheckRead = (read: CheckRead): NewRead => ({
  operation: OPERATIONS[read.step],
  target: read.path,
  aim: { kind: "work", read },
})

const toPageRead = (read: PageRead): NewRead => ({
  operation: "listWork",
  target: addressOfPage(read.page),
  aim: { kind: "list", read },
})

function toDoneRead(read: DoneRead): NewRead {
  const aim: Aim = { kind: "done", read }
  if (read.kind === "page") {
    return { operation: "listWork", target: addressOfPage({ status: "done", cursor: read.cursor }), aim }
  }
  return { operation: "listWorkApprovals", target: `/api/v1/work/${encodeURIComponent(read.id)}/approvals`, aim }
}

function invalidAnswer(number: number) {
  const problem = toProblem(upstreamInvalid, `watch-${number}`)
  return { problem, json: JSON.stringify(problem) }
}
