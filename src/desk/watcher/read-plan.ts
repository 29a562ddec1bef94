/** Decides what the watcher reads next, and applies the answers to the state. `watcher.ts` sends the requests. */
import { toProblem, upstreamInvalid, upstreamTooLarge } from "../../platform/http/refusals.ts"
import type { Origin } from "../../platform/http/request-context.ts"
import type { Answer } from "../../platform/http/send.ts"
import { type CheckRead, nextStep, type ReadListeners, applyStep } from "./check-steps.ts"
import type { DoneRead } from "./done-work-reads.ts"
import { type ListRead, ListRounds, type Missing } from "./list-rounds.ts"
import { type Choice, chooseNext, gapOfTurns, type ReadClass, type Starts } from "./reading-order.ts"
import { RequestPace, type MonotonicTime } from "./request-pace.ts"
import {
  countArtifacts,
  InvalidAnswerError,
  readApprovalList,
  readOneApproval,
  readProblem,
  readWorkPage,
} from "./read-resources.ts"
import { WatchState } from "./watch-state.ts"
import type { WatchedWork } from "./watched-work.ts"

type AnyRead = ListRead | CheckRead | DoneRead

/** One request of the watcher. A later request has a greater number. */
export type Read = AnyRead & { readonly number: number }

/**
 * Reads one address of the upstream for the watcher or (`origin`) for a person's request. Joins no other read. Never rejects: without a valid answer
 * in time, it returns the desk's Problem (502, 504). After `signal` aborts, the promise may stay pending.
 */
export type ReadUpstream = (
  operation: Read["operation"],
  target: string,
  signal: AbortSignal,
  origin?: Origin,
) => Promise<Answer>

/** The next read, or when to ask again. Infinity: there is nothing to read before an answer or a hint comes. */
export type NextRead = { readonly read: Read } | { readonly wakeAt: MonotonicTime }

/** The code of the desk's own Problem for an answer that is too long. */
const TOO_LARGE = upstreamTooLarge.code

/** The longest time between two retries, if several Works fail. */
const FAILED_GAP_MS = 1_000

/**
 * Chooses and applies the reads. A turn: one check of one Work in the class `turn` or `late`. A pass: every Work was read once. A round: the list of
 * open Work was read from its beginning to its end. A gap: the time between two turns. An interval: the time between any two requests.
 */
export class ReadPlan {
  readonly state = new WatchState()
  readonly #listeners: ReadListeners
  readonly #pace = new RequestPace()
  readonly #list = new ListRounds(this.state, this.#pace)
  /** The numbers of the requests under way. */
  readonly #underWay = new Set<number>()
  /** When a Work was last read in the class `turn` or `late`. Undefined before any Work is known. */
  #lastTurnAt: MonotonicTime | undefined
  /** When the current pass through all Works began. */
  #passStartedAt: MonotonicTime = 0
  /** When a Work was last read in the class `failed`. */
  #lastFailedReadAt: MonotonicTime = Number.NEGATIVE_INFINITY
  /** The number of the last request of each class. */
  readonly #lastNumbers = new Map<ReadClass, number>()
  /** The number of the last request before `start`. For a class that has had no request since, requests are counted from there. */
  #lastNumberBeforeStart = 0

  constructor(listeners: ReadListeners = {}) {
    this.#listeners = listeners
  }

  /** Begins, or begins again after a rest: everything is read again. The caller has aborted all reads that were under way. */
  start(): void {
    this.state.reset()
    this.#list.reset()
    this.#underWay.clear()
    this.#lastTurnAt = undefined
    this.#lastFailedReadAt = Number.NEGATIVE_INFINITY
    this.#lastNumbers.clear()
    this.#lastNumberBeforeStart = this.lastNumber
    this.#listeners.done?.abort()
  }

  /** The number of the last request. */
  get lastNumber(): number {
    return this.#pace.lastNumber
  }

  /** The end of the pause after a failure. In the past if there is no pause. */
  get pausedUntil(): MonotonicTime {
    return this.#pace.pausedUntil
  }

  /** Asks for a Work to be read soon. Returns false when this changes nothing. */
  hint(workId: string, now: MonotonicTime): boolean {
    const watched = this.state.works.get(workId)
    if (watched === undefined) return this.hintList()
    const isNew = watched.hintedAt === undefined
    watched.hintedAt ??= now
    return isNew
  }

  /** As `hint`, for the list of open Work. */
  hintList(): boolean {
    return this.#list.hint()
  }

  /** Removes a decided item. No read that has begun brings the item back. `answer` is the body of the answer to the decision. */
  decide(kind: "clarification" | "approval", workId: string, itemId: string, answer?: string): void {
    this.state.decide(kind, workId, itemId, this.lastNumber)
    this.#listeners.onResolved?.(workId, (id) => id === itemId)
    if (kind !== "approval" || answer === undefined) return
    try {
      this.#listeners.onApprovals?.(workId, [readOneApproval(answer)])
    } catch (error) {
      // The next check of the Work gives the approval to the listener.
      if (!(error instanceof InvalidAnswerError)) throw error
    }
  }

  /** The next request, which counts as begun. */
  next(now: MonotonicTime): NextRead {
    const readyAt = this.#pace.readyAt(this.#underWay.size)
    if (readyAt > now) return { wakeAt: readyAt }
    this.#beginPass(now)
    const requestsSinceLast = (readClass: ReadClass) =>
      this.lastNumber - (this.#lastNumbers.get(readClass) ?? this.#lastNumberBeforeStart)
    const next = chooseNext(this.state.works.values(), now, this.#startsOf(now), requestsSinceLast)
    if ("wakeAt" in next) return next
    const read = this.#begin(next.choice, now)
    if (read === undefined) return { wakeAt: Number.POSITIVE_INFINITY }
    const number = this.#pace.begin(now)
    this.#lastNumbers.set(next.choice.readClass, number)
    this.#underWay.add(number)
    return { read: { ...read, number } }
  }

  /** Begins the next pass once every Work was read in the current one. The first turn comes one gap after the first Work was listed. */
  #beginPass(now: MonotonicTime): void {
    if (this.state.works.size > 0) this.#lastTurnAt ??= now
    const wasInPass = ({ readAt, isAddressable }: WatchedWork) => readAt >= this.#passStartedAt || !isAddressable
    if (this.state.works.values().every(wasInPass)) this.#passStartedAt = now
  }

  /** When the reads of each class may begin. */
  #startsOf(now: MonotonicTime): Starts {
    const { intervalMs } = this.#pace
    const { size } = this.state.works
    const gap = gapOfTurns(size, intervalMs > 0)
    // Before the first round of the list nobody sees any open Work, so done Work waits for that round.
    const isListUnknown = this.state.knownWhole().level === "unknown"
    const doneStartAt = isListUnknown ? undefined : this.#listeners.done?.nextStartAt
    return {
      list: this.#list.nextStartAt,
      done: doneStartAt ?? Number.POSITIVE_INFINITY,
      turn: (this.#lastTurnAt ?? now) + gap,
      pass: this.#passStartedAt,
      failed: this.#lastFailedReadAt + Math.min(gap, FAILED_GAP_MS),
      passMs: size * Math.max(gap, intervalMs),
    }
  }

  #begin(choice: Choice, now: MonotonicTime): AnyRead | undefined {
    if (!("watched" in choice)) {
      return choice.readClass === "list" ? this.#list.begin(now) : this.#listeners.done?.begin(now)
    }
    const { readClass, watched } = choice
    const isNewCheck = watched.check === undefined
    if (isNewCheck && (readClass === "turn" || readClass === "late")) this.#lastTurnAt = now
    if (isNewCheck && readClass === "failed") this.#lastFailedReadAt = now
    // Otherwise only the items of the Work are read.
    const readsWork = readClass === "hinted" || readClass === "failed" || this.#wasNotListed(watched)
    return nextStep(watched, readClass, readsWork, now)
  }

  /** Whether the last round didn't list this Work, and no answer has had it since. */
  #wasNotListed(watched: WatchedWork): boolean {
    const known = this.state.knownWhole()
    return known.level !== "unknown" && watched.seenByRequest <= known.lastRequestBefore
  }

  /** Applies the answer to a read that `next` returned. */
  applyAnswer(read: Read, answer: Answer, now: MonotonicTime): void {
    if (!this.#underWay.delete(read.number)) return
    // An answer that refuses one Work is applied like a success, because it says something about that Work.
    if (answer.status === 200 || this.#isRefusalOfOneWork(read, answer)) {
      try {
        this.#apply(read, answer, now)
        this.#pace.succeeded(read.number, answer.headers, now)
      } catch {
        // Every error of the reader counts, also the RangeError for JSON that is nested too deeply for the stack.
        this.#fail(read, { ...answer, status: upstreamInvalid.status, body: Buffer.alloc(0) }, now)
      }
    } else this.#fail(read, answer, now)
    // Only a read that began before a decision can bring the decided item back. The set is in the order of the numbers.
    const [oldestUnderWay = Number.POSITIVE_INFINITY] = this.#underWay
    this.state.forgetDecided(oldestUnderWay)
  }

  #apply(read: Read, answer: Answer, now: MonotonicTime): void {
    if (read.kind === "check") return applyStep(this.state, this.#listeners, read, answer, now)
    if (read.kind === "done") return this.#applyDone(read, answer, read.number, now)
    this.#applyMissing(this.#list.applyPage(read, String(answer.body), read.number, now), now)
  }

  /**
   * Applies what a round did not have. `gone`: about these the service also answered 404 before the round, so they are removed. `works`: these are
   * checked, because a Work may have moved to another list while the pages were read. A Work that no address can hold cannot be checked: it is removed,
   * and comes back with the next round that has it.
   */
  #applyMissing({ works, gone, isWhole }: Missing, now: MonotonicTime): void {
    for (const { work } of gone) {
      this.#listeners.onResolved?.(work.id, () => true)
      this.state.remove(work.id)
    }
    for (const watched of works) {
      watched.hintedAt ??= now
      if (watched.isAddressable || !isWhole) continue
      this.state.remove(watched.work.id)
      // The Work may be done, although no answer has shown it as done.
      this.#listeners.done?.addUnseen()
    }
  }

  #applyDone({ work, operation }: DoneRead, { status, body }: Answer, request: number, now: MonotonicTime): void {
    const { done, onApprovals } = this.#listeners
    if (work === undefined) return this.#applyDonePage(String(body), request, now)
    if (operation === "listWorkApprovals") {
      onApprovals?.(work.id, status === 200 ? readApprovalList(String(body)) : [], work.version)
      return done?.applyWork(work.id)
    }
    // A 404 is believed only while the list of done Work can be read.
    if (status === 404 && done?.isAllListed === true) return done.remove(work.id)
    // Otherwise, a refusal counts as no results.
    done?.applyResults(work, status === 200 ? countArtifacts(String(body)) : 0)
  }

  #applyDonePage(body: string, request: number, now: MonotonicTime): void {
    const { done, onResolved } = this.#listeners
    const page = readWorkPage(body)
    done?.applyPage(page, now, Date.now())
    // While a page of the open list can't be read, only the list of done Work shows that a Work is no longer open.
    for (const work of page.works) {
      if (work.status === "done") onResolved?.(work.id, () => true)
      if (!this.state.works.has(work.id)) continue
      if (work.status === "done") done?.addEnded(work, Date.now())
      this.state.applyWork(work, request, now)
    }
  }

  /** Whether the service refuses one Work (403) or doesn't have it (404). This isn't a failure of the service, except for a 404 while its list fails. */
  #isRefusalOfOneWork(read: Read, { status }: Answer): boolean {
    return isAboutOneWork(read) && (status === 403 || (status === 404 && this.state.isListSound))
  }

  #fail(read: Read, { status, headers, body, cause }: Answer, now: MonotonicTime): void {
    const found = readProblem(String(body))
    const isPageTooLarge = found?.problem.code === TOO_LARGE && !isAboutOneWork(read)
    if (isPageTooLarge && this.#applyTooLargePage(read, headers, now)) return
    this.#pace.failed(read.number, status, headers, now)
    this.#list.noteFailure(now)
    this.#listeners.done?.noteFailure(now)
    if (read.kind === "done") return this.#listeners.done?.fail(read, now)
    const failure = { ...(found ?? invalidAnswer(read.number)), cause }
    if (read.kind === "list") return this.#applyMissing(this.#list.fail(read, status, failure, now), now)
    read.watched.check = undefined
    this.state.fail(read.watched, failure, now)
  }

  /** Has a page that is too large read again with fewer Works. Returns false if a page of done Work can't have fewer. */
  #applyTooLargePage(read: Read, headers: Answer["headers"], now: MonotonicTime): boolean {
    // The service works, but a page has more than the desk reads.
    this.#pace.succeeded(read.number, headers, now)
    if (read.kind !== "list") return this.#listeners.done?.tryHalfPage() === true
    this.#applyMissing(this.#list.applyTooLarge(read, now), now)
    return true
  }
}

/** Whether a read is about one Work, and not a page of a list. */
function isAboutOneWork(read: Read): boolean {
  return read.kind === "check" || (read.kind === "done" && read.work !== undefined)
}

function invalidAnswer(number: number) {
  const problem = toProblem(upstreamInvalid, `watch-${number}`)
  return { problem, json: JSON.stringify(problem) }
}
