/** The checks of single Works: which Work is due after a hint or a failure, and the requests of each check. This file sends nothing. */
import type { UpstreamAnswer } from "./answers.ts"
import type { DoneWorkReads } from "./done-work-reads.ts"
import type { Due } from "./request-pace.ts"
import { readApprovalList, readClarifications, readOneWork, type ListedApproval } from "./resources.ts"
import { type Failure, isAddressable, type WatchState, type WatchedWork } from "./watch-state.ts"

/** A Work is not checked more often than this, even when its version changes all the time. */
const CHECK_AGAIN_MS = 1_500

/** Where each step of a check reads, below the Work. */
const STEPS = {
  work: { operation: "getWork", path: "" },
  approvals: { operation: "listWorkApprovals", path: "/approvals" },
  clarifications: { operation: "listWorkAttention", path: "/attention" },
} as const

type Step = keyof typeof STEPS

type Check = {
  readonly watched: WatchedWork
  /** The steps that are left. The first is the next. */
  readonly steps: Step[]
  /** Whether a request of the check is in flight. Otherwise the next request can be sent. */
  isReading: boolean
  /** The Work's version when the check began to read the items. */
  version: bigint
}

/** One request of a check. */
export type CheckRead = {
  readonly kind: "check"
  readonly operation: (typeof STEPS)[Step]["operation"]
  readonly target: string
  readonly check: Check
  readonly step: Step
}

/** Who hears of what the checks read. */
export type ReadListeners = {
  /** With this, done Work is read when there is nothing else to read. */
  readonly done?: DoneWorkReads | undefined
  /** Called with all approvals of a Work, pending and resolved. `doneVersion` is the version of a Work that is done. */
  readonly onApprovals?: (workId: string, approvals: readonly ListedApproval[], doneVersion?: string) => void
}

export class WorkChecks {
  readonly #state: WatchState
  readonly #listeners: ReadListeners
  /** The checks that have begun and not ended, by the Work's id. */
  readonly #checks = new Map<string, Check>()
  readonly #hintedAt = new Map<string, number>()

  constructor(state: WatchState, listeners: ReadListeners) {
    this.#state = state
    this.#listeners = listeners
  }

  /** Forgets all checks and hints, when the watcher begins again. */
  reset(): void {
    this.#checks.clear()
    this.#hintedAt.clear()
  }

  /** Asks for a Work to be checked soon. */
  hint(workId: string, now: number): void {
    if (!this.#hintedAt.has(workId)) this.#hintedAt.set(workId, now)
  }

  /** The next request of a check that has begun and that waits for no answer. */
  unfinished(): CheckRead | undefined {
    const check = this.#checks.values().find(({ isReading }) => !isReading)
    return check && this.#nextStep(check)
  }

  /** A Work with a hint that may be checked now. */
  dueHint(now: number): Due<WatchedWork> {
    for (const id of this.#hintedAt.keys()) if (!this.#state.works.has(id)) this.#hintedAt.delete(id)
    return this.#firstDue(this.#hintedAt, now)
  }

  /** A Work whose failed check is due again. */
  dueRetry(now: number): Due<WatchedWork> {
    return this.#firstDue(this.#state.retries(), now)
  }

  #firstDue(moments: Iterable<readonly [workId: string, at: number]>, now: number): Due<WatchedWork> {
    let wakeAt = Number.POSITIVE_INFINITY
    for (const [id, at] of moments) {
      const watched = this.#state.works.get(id)
      if (watched === undefined) continue
      const from = Math.max(at, this.mayBeginAt(watched))
      if (from <= now) return { due: watched }
      wakeAt = Math.min(wakeAt, from)
    }
    return { wakeAt }
  }

  /** The earliest moment for a check of the Work. Infinity while the Work is being checked. */
  mayBeginAt({ work: { id }, lastReadAt }: WatchedWork): number {
    if (this.#checks.has(id) || !isAddressable(id)) return Number.POSITIVE_INFINITY
    return Math.max(this.#state.retryAt(id), lastReadAt + CHECK_AGAIN_MS)
  }

  /** Begins a check that reads the Work before its items, because the Work may have changed since it was listed. */
  beginWithWork(watched: WatchedWork, now: number): CheckRead {
    return this.#begin(watched, ["work", "approvals"], now)
  }

  /** Begins a check that reads only the items of a Work. */
  begin(watched: WatchedWork, now: number): CheckRead {
    const hasClarification = watched.work.clarificationId !== undefined
    return this.#begin(watched, hasClarification ? ["approvals", "clarifications"] : ["approvals"], now)
  }

  #begin(watched: WatchedWork, steps: Step[], now: number): CheckRead {
    const { id, version } = watched.work
    const check: Check = { watched, steps, isReading: false, version }
    watched.lastReadAt = now
    this.#hintedAt.delete(id)
    this.#checks.set(id, check)
    return this.#nextStep(check)
  }

  #nextStep(check: Check): CheckRead {
    const [step = "approvals"] = check.steps
    const { work } = check.watched
    check.isReading = true
    if (step === "approvals") check.version = work.version
    const { operation, path } = STEPS[step]
    return { kind: "check", operation, target: `/api/v1/work/${encodeURIComponent(work.id)}${path}`, check, step }
  }

  /** Takes in an answer with 200, 403 or 404. @throws InvalidAnswerError */
  take({ check, step }: CheckRead, { status, body }: UpstreamAnswer, number: number, now: number): void {
    const { watched, steps } = check
    const { id } = watched.work
    if (status === 200) this.#takeResource(watched, step, body, number, now)
    else if (status === 404) this.#takeAbsence(watched, step, number)
    this.#state.heal(id)
    check.isReading = false
    steps.shift()
    if (step === "work" && watched.work.clarificationId !== undefined) steps.push("clarifications")
    const isGone = !this.#state.works.has(id)
    if (isGone || steps.length === 0) this.#checks.delete(id)
    if (!isGone && steps.length === 0) this.#state.endCheck(watched, check.version, now)
  }

  #takeResource(watched: WatchedWork, step: Step, body: string, number: number, now: number): void {
    if (step === "work") {
      const work = readOneWork(body)
      if (work.status === "done" && isAddressable(work.id)) this.#listeners.done?.add(work, Date.now())
      this.#state.takeWork(work, number, now)
    } else if (step === "clarifications") {
      this.#state.takeClarifications(watched, readClarifications(body), number)
    } else {
      const approvals = readApprovalList(body)
      this.#state.takeApprovals(watched, approvals, number)
      this.#listeners.onApprovals?.(watched.work.id, approvals)
    }
  }

  /** After 404: the Work or its items are gone. */
  #takeAbsence(watched: WatchedWork, step: Step, number: number): void {
    if (step === "work") this.#state.remove(watched.work.id)
    else if (step === "approvals") this.#state.takeApprovals(watched, [], number)
    else this.#state.takeClarifications(watched, [], number)
  }

  /** Ends a check that has failed. `dueRetry` gives the Work again after a pause. */
  fail({ check }: CheckRead, failure: Failure, now: number): void {
    const { id } = check.watched.work
    this.#checks.delete(id)
    if (this.#state.works.has(id)) this.#state.fail(id, failure, now)
  }
}
