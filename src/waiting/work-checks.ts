/**
 * The checks of single Works: which Work is due after a hint or a failure, the requests of each check, and their answers. This file sends
 * nothing, and `now` is its only clock.
 */
import type { UpstreamAnswer } from "./watcher-interface.ts"
import { isAddressable, type WatchState, type WatchedWork } from "./watch-state.ts"
import { backOff } from "./pace.ts"
import { CHECK_AGAIN_MS } from "./work-turns.ts"
import { readApprovalList, readClarifications, readOneWork, type ListedApproval, type ListedWork } from "./resources.ts"

const RETRY_FIRST_MS = 1_000

type Step = "work" | "approvals" | "clarifications"

/** Where each step reads, below the Work. */
const PATHS = { work: "", approvals: "/approvals", clarifications: "/attention" } as const

type Check = {
  readonly watched: WatchedWork
  readonly steps: Step[]
  /** Whether a request of the check is in flight. Otherwise the next request can be sent. */
  isReading: boolean
  version: bigint
}

/** One request of a check. */
export type CheckRead = { readonly check: Check; readonly step: Step; readonly path: string }

export type CheckListener = {
  /** Called with a Work that getWork gave. */
  readonly onWork: (work: ListedWork, number: number, now: number) => void
  readonly onApprovals: (workId: string, approvals: readonly ListedApproval[]) => void
}

export class WorkChecks {
  readonly #state: WatchState
  readonly #listener: CheckListener
  /** The checks that have begun and not ended, by the Work's id. */
  readonly #checks = new Map<string, Check>()
  readonly #hintedAt = new Map<string, number>()
  readonly #retries = new Retries()

  constructor(state: WatchState, listener: CheckListener) {
    this.#state = state
    this.#listener = listener
  }

  /** Forgets all checks, hints and retries, when the watcher begins again. */
  reset(): void {
    this.#checks.clear()
    this.#hintedAt.clear()
    this.#retries.clear()
  }

  /** Asks for a Work to be checked soon. */
  hint(workId: string, now: number): void {
    if (!this.#hintedAt.has(workId)) this.#hintedAt.set(workId, now)
  }

  /** Gives the next request of a check that has begun and that waits for no answer. */
  unfinished(): CheckRead | undefined {
    const check = this.#checks.values().find(({ isReading }) => !isReading)
    return check && this.#nextStep(check)
  }

  /** Gives a Work with a hint that may be checked now, or the moment to ask again. */
  dueHint(now: number): WatchedWork | number {
    let wakeAt = Number.POSITIVE_INFINITY
    for (const [id, hintedAt] of this.#hintedAt) {
      const watched = this.#state.works.get(id)
      if (watched === undefined) {
        this.#hintedAt.delete(id)
        continue
      }
      const from = Math.max(hintedAt, watched.lastReadAt + CHECK_AGAIN_MS, this.notBefore(watched))
      if (from <= now) return watched
      wakeAt = Math.min(wakeAt, from)
    }
    return wakeAt
  }

  /** Gives a Work whose failed check is due again, or the moment to ask again. */
  dueRetry(now: number): WatchedWork | number {
    let wakeAt = Number.POSITIVE_INFINITY
    for (const [id, at] of this.#retries.moments()) {
      const watched = this.#state.works.get(id)
      if (watched === undefined || this.#checks.has(id)) continue
      if (at <= now) return watched
      wakeAt = Math.min(wakeAt, at)
    }
    return wakeAt
  }

  /** The earliest moment for a check of the Work. Infinity while the Work is being checked. */
  readonly notBefore = ({ work: { id } }: WatchedWork): number =>
    this.#checks.has(id) || !isAddressable(id) ? Number.POSITIVE_INFINITY : (this.#retries.at(id) ?? 0)

  /** Begins a check with the Work itself, which may have changed since it was listed. */
  beginWithWork(watched: WatchedWork, now: number): CheckRead {
    return this.#begin(watched, ["work", "approvals"], now)
  }

  /** Begins a check of the items of a Work. */
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
    const path = `/api/v1/work/${encodeURIComponent(work.id)}`
    return { check, step, path: path + PATHS[step] }
  }

  /** Takes in an answer with 200, 403 or 404. @throws InvalidAnswerError */
  take({ check, step }: CheckRead, { status, body }: UpstreamAnswer, number: number, now: number): void {
    const { watched } = check
    const { id } = watched.work
    if (status === 200) this.#takeResource(watched, step, body, number, now)
    else if (status === 404) this.#takeAbsence(watched, step, number)
    this.#retries.end(id)
    this.#state.endFailure(id)
    check.isReading = false
    check.steps.shift()
    if (step === "work" && watched.work.clarificationId !== undefined) check.steps.push("clarifications")
    if (!this.#state.works.has(id)) this.#checks.delete(id)
    else if (check.steps.length === 0) {
      this.#checks.delete(id)
      this.#state.endCheck(watched, check.version, now)
    }
  }

  #takeResource(watched: WatchedWork, step: Step, body: string, number: number, now: number): void {
    if (step === "work") this.#listener.onWork(readOneWork(body), number, now)
    else if (step === "clarifications")
      this.#state.takeItems(watched, "clarification", readClarifications(body), number)
    else {
      const approvals = readApprovalList(body)
      this.#state.takeItems(watched, "approval", approvals, number)
      this.#listener.onApprovals(watched.work.id, approvals)
    }
  }

  /** After 404: the Work or its items are gone. */
  #takeAbsence(watched: WatchedWork, step: Step, number: number): void {
    if (step === "work") this.remove(watched.work.id)
    else this.#state.takeItems(watched, step === "approvals" ? "approval" : "clarification", [], number)
  }

  /** The check has failed, and is tried again after a pause. Gives false when the Work is not watched any more. */
  fail({ check }: CheckRead, now: number): boolean {
    const { id } = check.watched.work
    this.#checks.delete(id)
    if (!this.#state.works.has(id)) {
      this.#retries.end(id)
      return false
    }
    this.#retries.fail(id, now)
    return true
  }

  /** Removes a Work that is done or gone. */
  remove(id: string): void {
    this.#state.remove(id)
    this.#retries.end(id)
    this.#hintedAt.delete(id)
  }
}

/** When each failed read is tried again, by a name. The pause grows with each failure. */
export class Retries {
  readonly #failed = new Map<string, { readonly at: number; readonly failures: number }>()

  fail(what: string, now: number): void {
    const failures = (this.#failed.get(what)?.failures ?? 0) + 1
    this.#failed.set(what, { failures, at: now + backOff(failures, RETRY_FIRST_MS) })
  }

  end(what: string): void {
    this.#failed.delete(what)
  }

  at(what: string): number | undefined {
    return this.#failed.get(what)?.at
  }

  *moments(): Iterable<readonly [what: string, at: number]> {
    for (const [what, { at }] of this.#failed) yield [what, at]
  }

  clear(): void {
    this.#failed.clear()
  }
}
