/**
 * What the watcher reads next, from what is known, the quota and the clock, and what an answer changes. Pure: every moment is given, and nothing
 * is read here. The order: Work that was hinted at, the list, then what `pick.ts` chooses.
 */
import { toProblem, type Refusal } from "../contract/refusal.ts"
import type { Problem } from "../contract/resources.ts"
import type { ReadOperation, UpstreamAnswer } from "./interface.ts"
import type { DoneRead, DoneWork } from "./done-work.ts"
import { isAddressable, isChecked, Known, LIST, type WatchedWork } from "./known.ts"
import { addressOfPage, ListRound, type ListPage } from "./list-round.ts"
import { backOff, Pace } from "./pace.ts"
import { CHECK_AGAIN_MS, Picker } from "./pick.ts"
import {
  readApprovalList,
  readAttentionList,
  readOneWork,
  readProblem,
  readWorkPage,
  type ListedApproval,
  type ListedWork,
} from "./resources.ts"

/** The list is read at least every 5 s: this leaves a second for its answer and an item's. */
const LIST_EVERY_MS = 4_000
const LIST_SOON_MS = 500
/** A fourth of the quota's requests is for the list where it has many pages. */
const LIST_SHARE = 4
/** A Work that the list lacks is asked for itself; lacking again, it is gone. */
const LIST_MISSES_MAX = 2
const RETRY_FIRST_MS = 1_000

type Step = "work" | "approvals" | "attention"

type Check = {
  readonly watched: WatchedWork
  readonly beganAt: number
  readonly steps: Step[]
  isUnderWay: boolean
  version: bigint
}

type Aim =
  | { readonly kind: "list"; readonly round: ListRound; readonly page: ListPage }
  | { readonly kind: "work"; readonly check: Check; readonly step: Step }
  | { readonly kind: "done"; readonly read: DoneRead }

/** One request of the watcher. Later requests have greater numbers. */
export type Read = {
  readonly operation: ReadOperation
  readonly target: string
  readonly number: number
  readonly aim: Aim
}

export type PlanParts = {
  /** Done Work is read, too, when there is nothing else to do. */
  readonly done?: DoneWork
  /** Approvals of a Work were read, pending and resolved. `doneVersion` is the Work's version where the Work is done. */
  readonly onApprovals?: (workId: string, approvals: readonly ListedApproval[], doneVersion?: string) => void
}

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
  readonly #pace = new Pace()
  #picker = new Picker(this.known.works)
  readonly #parts: PlanParts
  readonly #checks = new Map<string, Check>()
  readonly #hintedAt = new Map<string, number>()
  /** After a failure: by a Work's id, or `LIST`. */
  readonly #retries = new Map<string, { readonly at: number; readonly failures: number }>()
  readonly #underWay = new Set<number>()
  /** What failed and what did not fail take turns, so that neither holds the other up. */
  #isRetrysTurn = false
  #round: ListRound | undefined
  #listDueAt = Number.NEGATIVE_INFINITY
  #listBeganAt = Number.NEGATIVE_INFINITY
  #lastNumber = 0
  #listedAfter = -1

  constructor(parts: PlanParts = {}) {
    this.#parts = parts
  }

  /** Begins, also after a rest: everything is read anew. Reads that are under way must have been given up. */
  start(): void {
    this.known.startAnew()
    this.#picker = new Picker(this.known.works)
    this.#checks.clear()
    this.#hintedAt.clear()
    this.#retries.clear()
    this.#underWay.clear()
    this.#round = undefined
    this.#listedAfter = -1
    this.#parts.done?.giveUp()
    this.#listDueAt = Number.NEGATIVE_INFINITY
    this.#listBeganAt = Number.NEGATIVE_INFINITY
  }

  /** The number of the last request so far. */
  get lastNumber(): number {
    return this.#lastNumber
  }

  /** The list was read to its end by requests after this number; -1 before the first time. */
  get listedAfter(): number {
    return this.#listedAfter
  }

  /** Milliseconds until the pause after a failure ends: 0 where there is none. */
  pauseLeft(now: number): number {
    return Math.max(0, this.#pace.pausedUntil - now)
  }

  /** Every open Work was checked at least once, and the list was read to its end. */
  get isComplete(): boolean {
    const { isListed, unwatched, works } = this.known
    return isListed && unwatched === 0 && works.values().every(isChecked)
  }

  hint(workId: string, now: number): void {
    if (!this.known.works.has(workId)) this.hintList(now)
    else if (!this.#hintedAt.has(workId)) this.#hintedAt.set(workId, now)
  }

  hintList(now: number): void {
    this.#listDueAt = Math.min(this.#listDueAt, Math.max(now, this.#listBeganAt + LIST_SOON_MS))
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

  #choose(now: number): Omit<Read, "number"> | number {
    const unfinished = this.#checks.values().find(({ isUnderWay }) => !isUnderWay)
    if (unfinished !== undefined) return this.#nextStep(unfinished)
    let wakeAt = Number.POSITIVE_INFINITY
    for (const [id, hintedAt] of this.#hintedAt) {
      const watched = this.known.works.get(id)
      if (watched === undefined) {
        this.#hintedAt.delete(id)
        continue
      }
      const from = Math.max(hintedAt, watched.lastReadAt + CHECK_AGAIN_MS, this.#notBefore(watched))
      if (from <= now) return this.#begin(watched, ["work", "approvals"], now)
      wakeAt = Math.min(wakeAt, from)
    }
    const page = this.#nextPage(now)
    if (typeof page !== "number") return page
    const retry = this.#dueRetry(now)
    this.#isRetrysTurn = !this.#isRetrysTurn
    if (typeof retry !== "number" && this.#isRetrysTurn) return this.#begin(retry, ["work", "approvals"], now)
    const picked = this.#picker.pick(this.known.newsCount, this.#notBefore, now, this.#pace.hasQuota)
    if ("watched" in picked) return this.#begin(picked.watched, stepsOf(picked.watched), now)
    if (typeof retry !== "number") return this.#begin(retry, ["work", "approvals"], now)
    // The first reading of the list comes first.
    const done = this.known.isListed ? this.#nextDone(now) : Number.POSITIVE_INFINITY
    return typeof done === "number" ? Math.min(wakeAt, page, picked.laterAt, retry, done) : done
  }

  #nextDone(now: number): Omit<Read, "number"> | number {
    const read = this.#parts.done?.next(now) ?? Number.POSITIVE_INFINITY
    if (typeof read === "number") return read
    const aim: Aim = { kind: "done", read }
    if (read.kind === "page") {
      return { operation: "listWork", target: addressOfPage({ status: "done", cursor: read.cursor }), aim }
    }
    return { operation: "listWorkApprovals", target: `/api/v1/work/${encodeURIComponent(read.id)}/approvals`, aim }
  }

  /** A Work whose read failed and is due again, or the moment when the next one is. */
  #dueRetry(now: number): WatchedWork | number {
    let wakeAt = Number.POSITIVE_INFINITY
    for (const [id, { at }] of this.#retries) {
      const watched = this.known.works.get(id)
      if (watched === undefined || this.#checks.has(id)) continue
      if (at <= now) return watched
      wakeAt = Math.min(wakeAt, at)
    }
    return wakeAt
  }

  readonly #notBefore = ({ work: { id } }: WatchedWork): number =>
    this.#checks.has(id) || !isAddressable(id) ? Number.POSITIVE_INFINITY : (this.#retries.get(id)?.at ?? 0)

  #nextPage(now: number): Omit<Read, "number"> | number {
    const dueAt = Math.max(this.#round === undefined ? this.#listDueAt : 0, this.#retries.get(LIST)?.at ?? 0)
    if (dueAt > now) return dueAt
    if (this.#round === undefined) {
      this.#round = new ListRound(this.#lastNumber)
      this.#listBeganAt = now
      this.#listDueAt = now + LIST_EVERY_MS
    }
    const round = this.#round
    const page = round.take()
    if (page === undefined) return Number.POSITIVE_INFINITY
    return { operation: "listWork", target: addressOfPage(page), aim: { kind: "list", round, page } }
  }

  #begin(watched: WatchedWork, steps: Step[], now: number): Omit<Read, "number"> {
    const { id, version } = watched.work
    const check: Check = { watched, beganAt: now, steps, isUnderWay: false, version }
    watched.lastReadAt = now
    this.#hintedAt.delete(id)
    this.#checks.set(id, check)
    return this.#nextStep(check)
  }

  #nextStep(check: Check): Omit<Read, "number"> {
    const [step = "approvals"] = check.steps
    const { work } = check.watched
    check.isUnderWay = true
    if (step === "approvals") check.version = work.version
    const path = `/api/v1/work/${encodeURIComponent(work.id)}`
    const target = step === "work" ? path : `${path}/${step}`
    return { operation: OPERATIONS[step], target, aim: { kind: "work", check, step } }
  }

  /** Takes in the answer of a read that `next` gave. */
  answered(read: Read, answer: UpstreamAnswer, now: number): void {
    const { aim, number } = read
    if (!this.#underWay.delete(number)) return
    const isRefusal =
      (aim.kind === "work" || (aim.kind === "done" && aim.read.kind === "work")) &&
      (answer.status === 403 || answer.status === 404)
    if (answer.status !== 200 && !isRefusal) {
      this.#fail(read, answer, now)
    } else {
      try {
        if (aim.kind === "list") this.#takePage(aim.round, aim.page, number, answer.body, now)
        else if (aim.kind === "done") this.#takeDone(aim.read, answer, now)
        else this.#takeStep(aim.check, aim.step, number, answer, now)
        this.#pace.succeeded(number, answer.headers, now)
      } catch {
        // Whatever cannot be read (also JSON nested too deeply for the stack) is no valid answer.
        this.#fail(read, { ...answer, status: INVALID.status, body: "" }, now)
      }
    }
    this.known.forgetDecided(this.#underWay.values().next().value ?? Number.POSITIVE_INFINITY)
  }

  #takePage(round: ListRound, page: ListPage, number: number, body: string, now: number): void {
    const { works, nextCursor } = readWorkPage(body)
    for (const work of works) {
      if (this.known.tell(work, number, now)) round.listed.add(work.id)
      else if (work.status !== "done") round.unwatched++
    }
    round.read(page, nextCursor)
    this.#heal(LIST)
    this.known.unwatched = Math.max(this.known.unwatched, round.unwatched)
    if (round.isOver) this.#endRound(round)
  }

  #endRound(round: ListRound): void {
    this.#round = undefined
    this.known.endList(round.unwatched, round.isWhole)
    // Other reads need their share of the quota: a list of many pages is read less often.
    const share = (LIST_SHARE * round.requests * 1_000) / this.#pace.requestsPerSecond
    this.#listDueAt = Math.max(this.#listDueAt, this.#listBeganAt + share)
    if (!round.isWhole) return
    this.#listedAfter = round.beganAfter
    for (const watched of this.known.works.values()) {
      if (round.listed.has(watched.work.id) || watched.toldBy > round.beganAfter) continue
      // A Work may have moved from one status's list to another's between two pages.
      if (++watched.missed >= LIST_MISSES_MAX) this.#remove(watched.work.id)
      else this.#hintedAt.set(watched.work.id, Number.NEGATIVE_INFINITY)
    }
  }

  #takeStep(check: Check, step: Step, number: number, answer: UpstreamAnswer, now: number): void {
    const { watched } = check
    const { id } = watched.work
    if (answer.status === 200) this.#takeResource(watched, step, number, answer.body, now)
    else if (answer.status === 404) this.#takeAbsence(watched, step, number)
    this.#heal(id)
    check.isUnderWay = false
    check.steps.shift()
    if (step === "work" && watched.work.attentionId !== undefined) check.steps.push("attention")
    if (!this.known.works.has(id)) this.#checks.delete(id)
    else if (check.steps.length === 0) {
      this.#checks.delete(id)
      this.known.check(watched, check.version, now)
    }
  }

  #takeResource(watched: WatchedWork, step: Step, number: number, body: string, now: number): void {
    if (step === "work") this.#tellWork(readOneWork(body), number, now)
    else if (step === "attention") this.known.tellItems(watched, "attention", readAttentionList(body), number)
    else {
      const approvals = readApprovalList(body)
      this.known.tellItems(watched, "approval", approvals, number)
      this.#parts.onApprovals?.(watched.work.id, approvals)
    }
  }

  #tellWork(work: ListedWork, number: number, now: number): void {
    if (work.status === "done" && isAddressable(work.id)) this.#parts.done?.add(work, Date.now())
    this.known.tell(work, number, now)
  }

  #takeDone(read: DoneRead, { status, body }: UpstreamAnswer, now: number): void {
    if (read.kind === "page") {
      const { works, nextCursor } = readWorkPage(body)
      this.#parts.done?.takePage(
        works.filter(({ id }) => isAddressable(id)),
        nextCursor,
        now,
        Date.now(),
      )
      return
    }
    this.#parts.onApprovals?.(read.id, status === 200 ? readApprovalList(body) : [], read.version)
    this.#parts.done?.takeWork(read.id)
  }

  /** 404: the Work, or its list, is gone. */
  #takeAbsence(watched: WatchedWork, step: Step, number: number): void {
    if (step === "work") this.#remove(watched.work.id)
    else this.known.tellItems(watched, step === "approvals" ? "approval" : "attention", [], number)
  }

  #fail({ aim, number }: Read, { status, headers, body }: UpstreamAnswer, now: number): void {
    if (aim.kind === "done") {
      this.#parts.done?.fail(aim.read, now)
      return this.#pace.failed(number, status, headers, now)
    }
    const what = aim.kind === "list" ? LIST : aim.check.watched.work.id
    const failures = (this.#retries.get(what)?.failures ?? 0) + 1
    this.#retries.set(what, { failures, at: now + backOff(failures, RETRY_FIRST_MS) })
    this.#pace.failed(number, status, headers, now)
    const { problem, json } = readProblem(body) ?? invalidAnswer(number)
    if (aim.kind === "work") {
      this.#checks.delete(what)
      if (this.known.works.has(what)) this.known.fail(what, problem, json)
      else this.#retries.delete(what)
      return
    }
    this.known.fail(LIST, problem, json)
    aim.round.putBack(aim.page)
    // A cursor may be void after a restart of the service: the list is read from its beginning.
    if (status !== 401 && status !== 429 && status < 500 && this.#round === aim.round) this.#round = undefined
  }

  #heal(what: string): void {
    this.#retries.delete(what)
    this.known.heal(what)
  }

  #remove(id: string): void {
    this.known.remove(id)
    this.#retries.delete(id)
    this.#hintedAt.delete(id)
  }
}

/** A check reads the Work's approvals, and its clarifications where it has any. */
function stepsOf({ work }: WatchedWork): Step[] {
  return work.attentionId === undefined ? ["approvals"] : ["approvals", "attention"]
}

function invalidAnswer(number: number): { readonly problem: Problem; readonly json: string } {
  const problem = toProblem(INVALID, `watch-${number}`)
  return { problem, json: JSON.stringify(problem) }
}
