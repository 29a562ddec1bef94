/**
 * What the watcher reads next, from what is known, the quota and the clock, and what an answer changes. Pure: every moment is given, and nothing
 * is read here. The order: the rest of a check that has begun, Work that was hinted at, the list, then by turns
 * a retry that is due and what `pick.ts` chooses, then done Work.
 */
import { toProblem, type Refusal } from "../contract/refusal.ts"
import type { ReadOperation, UpstreamAnswer } from "./interface.ts"
import type { DoneRead, DoneWork } from "./done-work.ts"
import { isAddressable, isChecked, Known, LIST, type WatchedWork } from "./watch-state.ts"
import { addressOfPage } from "./list-round.ts"
import { OpenList, type PageRead } from "./open-list.ts"
import { Pace } from "./pace.ts"
import { Picker } from "./pick.ts"
import { readApprovalList, readProblem, readWorkPage, type ListedApproval, type ListedWork } from "./resources.ts"
import { Retries, WorkChecks, type CheckRead } from "./work-checks.ts"

type Aim =
  | { readonly kind: "list"; readonly read: PageRead }
  | { readonly kind: "work"; readonly read: CheckRead }
  | { readonly kind: "done"; readonly read: DoneRead }

/** One request of the watcher. Later requests have greater numbers. */
export type Read = {
  readonly operation: ReadOperation
  readonly target: string
  readonly number: number
  readonly aim: Aim
}

type NewRead = Omit<Read, "number">

export type PlanParts = {
  /** Done Work is read, too, when there is nothing else to do. */
  readonly done?: DoneWork
  /** Approvals of a Work were read, pending and resolved. `doneVersion` is the Work's version where the Work is done. */
  readonly onApprovals?: (workId: string, approvals: readonly ListedApproval[], doneVersion?: string) => void
}

/** A Work that the list lacks so many times in a row is gone. */
const LIST_MISSES_MAX = 2

const OPERATIONS = { work: "getWork", approvals: "listWorkApprovals", attention: "listWorkAttention" } as const

/** An answer of the upstream that cannot be used. */
export const INVALID: Refusal = {
  code: "PROXY_UPSTREAM_INVALID",
  status: 502,
  title: "The service gave no valid answer",
  detail: "The service answered with something other than its API says, so nothing of the answer was used.",
  retryable: true,
}

export class Plan {
  readonly known = new Known()
  readonly #parts: PlanParts
  readonly #pace = new Pace()
  readonly #list = new OpenList(this.known)
  readonly #listRetries = new Retries()
  readonly #checks: WorkChecks
  #picker = new Picker(this.known.works)
  readonly #underWay = new Set<number>()
  /** What failed and what did not fail take turns, so that neither holds the other up. */
  #isRetrysTurn = false
  #lastNumber = 0

  constructor(parts: PlanParts = {}) {
    this.#parts = parts
    this.#checks = new WorkChecks(this.known, {
      onWork: (work, number, now) => this.#tellWork(work, number, now),
      onApprovals: (workId, approvals) => parts.onApprovals?.(workId, approvals),
    })
  }

  /** Begins, also after a rest: everything is read anew. Reads that are under way must have been given up. */
  start(): void {
    this.known.startAnew()
    this.#picker = new Picker(this.known.works)
    this.#checks.startAnew()
    this.#list.startAnew()
    this.#listRetries.clear()
    this.#underWay.clear()
    this.#parts.done?.giveUp()
  }

  /** The number of the last request so far. */
  get lastNumber(): number {
    return this.#lastNumber
  }

  /** The list was read to its end by requests after this number; -1 before the first time. */
  get listedAfter(): number {
    return this.#list.readAfter
  }

  /** The end of the pause after a failure, a moment of the past where there is none. */
  get pausedUntil(): number {
    return this.#pace.pausedUntil
  }

  /** Every open Work was checked at least once, and the list was read to its end. */
  get isComplete(): boolean {
    const { isListed, unwatched, works } = this.known
    return isListed && unwatched === 0 && works.values().every(isChecked)
  }

  hint(workId: string, now: number): void {
    if (this.known.works.has(workId)) this.#checks.hint(workId, now)
    else this.#list.hint(now)
  }

  hintList(now: number): void {
    this.#list.hint(now)
  }

  decide(kind: "attention" | "approval", workId: string, itemId: string): void {
    this.known.decide(kind, workId, itemId, this.#lastNumber)
  }

  /** The next request, which counts as begun; or the moment to ask again, Infinity where an answer has to come first. */
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

  /** The next read, or the moment at which there will be one. Each part below answers in the same way. */
  #choose(now: number): NewRead | number {
    const checks = this.#checks
    const unfinished = checks.unfinished()
    if (unfinished !== undefined) return toCheckRead(unfinished)
    const hinted = checks.dueHint(now)
    if (typeof hinted !== "number") return toCheckRead(checks.beginWithWork(hinted, now))
    const page = this.#list.next(this.#lastNumber, this.#listRetries.at(LIST) ?? 0, now)
    if (typeof page !== "number") return toPageRead(page)
    const retry = checks.dueRetry(now)
    this.#isRetrysTurn = !this.#isRetrysTurn
    if (typeof retry !== "number" && this.#isRetrysTurn) return toCheckRead(checks.beginWithWork(retry, now))
    const picked = this.#picker.pick(this.known.newsCount, checks.notBefore, now, this.#pace.hasQuota)
    if ("watched" in picked) return toCheckRead(checks.begin(picked.watched, now))
    if (typeof retry !== "number") return toCheckRead(checks.beginWithWork(retry, now))
    // The first reading of the list comes before done Work.
    const done = this.known.isListed ? (this.#parts.done?.next(now) ?? Infinity) : Infinity
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
        // Whatever cannot be read (also JSON nested too deeply for the stack) is no valid answer.
        this.#fail(read, { ...answer, status: INVALID.status, body: "" }, now)
      }
    } else this.#fail(read, answer, now)
    this.known.forgetDecided(this.#underWay.values().next().value ?? Number.POSITIVE_INFINITY)
  }

  #take({ aim, number }: Read, answer: UpstreamAnswer, now: number): void {
    if (aim.kind === "work") return this.#checks.take(aim.read, answer, number, now)
    if (aim.kind === "done") return this.#takeDone(aim.read, answer, now)
    const missing = this.#list.take(aim.read, answer.body, number, now, this.#pace.requestsPerSecond)
    this.#listRetries.end(LIST)
    this.known.heal(LIST)
    for (const watched of missing) this.#takeMissing(watched)
  }

  /** The list lacks the Work, which may have moved from one status's list to another's between two pages. */
  #takeMissing(watched: WatchedWork): void {
    watched.missed++
    if (watched.missed >= LIST_MISSES_MAX) this.#checks.remove(watched.work.id)
    else this.#checks.hint(watched.work.id, Number.NEGATIVE_INFINITY)
  }

  #tellWork(work: ListedWork, number: number, now: number): void {
    if (work.status === "done" && isAddressable(work.id)) this.#parts.done?.add(work, Date.now())
    this.known.tell(work, number, now)
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
      this.known.fail(LIST, failure)
    } else if (this.#checks.fail(aim.read, now)) this.known.fail(aim.read.check.watched.work.id, failure)
  }
}

/** 403 and 404 are about the one Work that was asked for. */
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
  const problem = toProblem(INVALID, `watch-${number}`)
  return { problem, json: JSON.stringify(problem) }
}
