import { setTimeout as sleep } from "node:timers/promises"
import type { Colleague } from "../../colleagues/colleague.ts"
import { framesOf } from "../../contract/log.ts"
import type { ServiceContext } from "../context.ts"
import { integer, text } from "../store/rows.ts"
import type { Row } from "../store/rows.ts"
import type { WorkChange, WorkState } from "../work-state.ts"
import { COLLEAGUE_LIMITS, ColleaguePool, WorkerLost } from "./colleague-pool.ts"
import type { ColleagueLimits } from "./colleague-pool.ts"
import { hold, readHold, wantsEnd } from "./hold.ts"
import type { HoldReason } from "./hold.ts"
import { Journal, RunEnded } from "./journal.ts"
import type { Outbox } from "./outbox.ts"
import { performSteps } from "./perform-step.ts"
import { newest } from "./registry.ts"
import { ColleagueFailed } from "./step.ts"
import type { Stretch, Task } from "./step.ts"
import { readOrder } from "./work-order.ts"

// A run that cannot be read or stored is tried again after a second, then after two, and so on up to a minute.
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000

/** After this number of lost worker threads a Work is put on hold. */
const MOST_LOSSES = 3

/** Whether a Work waits for its owner, or is over. */
type Outcome = "waits" | "over"

type Active = {
  readonly controller: AbortController
  readonly finished: Promise<void>
  /** Makes the run look at its Work again after a change. */
  wake(): void
  limit?: NodeJS.Timeout
}

export type RunsParts = {
  readonly context: ServiceContext
  readonly state: WorkState
  readonly outbox: Outbox
  readonly registry: { readonly address: string; readonly colleagues: readonly Colleague[] }
  readonly limits?: ColleagueLimits
}

/** Runs the colleagues: there is one run for each Work that is neither done nor paused, until the service stops. */
export class Runs {
  readonly #parts: RunsParts
  readonly #pool: ColleaguePool
  readonly #active = new Map<string, Active>()
  #stopped = false

  constructor(parts: RunsParts) {
    this.#parts = parts
    this.#pool = new ColleaguePool(parts.limits ?? COLLEAGUE_LIMITS, parts.context.log)
    parts.state.listen((change) => this.#onChange(change))
  }

  /** Ends every run after its current step. When a service starts on the same store, each run goes on with its next step. */
  async stop(): Promise<void> {
    this.#stopped = true
    const active = [...this.#active.values()]
    for (const run of active) end(run)
    await this.#pool.close()
    await Promise.all(active.map(({ finished }) => finished))
  }

  /** Never throws, because it is called between a commit and the answer to the request. A failure is tried again a second later. */
  #onChange(change: WorkChange): void {
    try {
      this.#updateRun(change)
    } catch (error) {
      this.#parts.context.log.error({ stack: framesOf(error) }, "A Work could not be read")
      setTimeout(() => this.#onChange(change), FIRST_RETRY_MS).unref()
    }
  }

  /** Begins, wakes or ends the run of a Work that has changed, and sets the timer of its execution limit. */
  #updateRun({ workId, status, left }: WorkChange): void {
    const active = this.#active.get(workId)
    clearTimeout(active?.limit)
    if (status === "done" || status === "paused") return active && end(active)
    if (this.#stopped) return
    const current = active ?? this.#begin(workId)
    current.wake()
    if (status === "working" && left !== undefined) this.#startLimitTimer(current, workId, left)
  }

  #begin(workId: string): Active {
    const controller = new AbortController()
    let { promise: changed, resolve: wake } = Promise.withResolvers<void>()
    const active: Active = {
      controller,
      finished: this.#run(workId, controller.signal, () => changed),
      wake() {
        wake()
        ;({ promise: changed, resolve: wake } = Promise.withResolvers<void>())
      },
    }
    this.#active.set(workId, active)
    return active
  }

  async #run(workId: string, signal: AbortSignal, changed: () => Promise<void>): Promise<void> {
    // The run begins after all other listeners of the same commit were called.
    await Promise.resolve()
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LAST_RETRY_MS)) {
      try {
        const journal = new Journal(this.#parts.context.store, this.#parts.state, workId, signal)
        while ((await this.#goOn(workId, journal)) === "waits") await this.#waitForAnswer(workId, journal, changed)
        break
      } catch (error) {
        if (error instanceof RunEnded) break
        this.#parts.context.log.error({ work_id: workId, stack: framesOf(error) }, "A Work could not go on")
        await sleep(retryMs, undefined, { signal }).catch(() => {})
      }
    }
    this.#active.delete(workId)
  }

  /** Waits until the open question of the colleague, or of the hold, has an answer. */
  async #waitForAnswer(workId: string, journal: Journal, changed: () => Promise<void>): Promise<void> {
    for (;;) {
      const change = changed()
      journal.check()
      const held = readHold(this.#parts.context.store, workId)
      if (held === undefined ? !journal.isWaiting : held.answer !== undefined) return
      await change
    }
  }

  /** Goes on with a Work until it waits for its owner or is over. A colleague that waits for an answer does not run. */
  async #goOn(workId: string, journal: Journal): Promise<Outcome> {
    const { context, registry } = this.#parts
    const held = readHold(context.store, workId)
    if (held !== undefined) {
      if (held.answer === undefined) return "waits"
      if (wantsEnd(held.answer)) return this.#finish(workId, journal, `Ended by its owner: ${held.answer}`)
      await this.#endHold(workId, journal, held.reason)
    }
    const work = context.store.get("SELECT * FROM work WHERE id = ?", workId)
    if (work === undefined) return "over"
    const colleagueId = text(work, "colleague_id")
    const versions = registry.colleagues.filter(({ id }) => id === colleagueId)
    const colleague = journal.version === undefined ? newest(versions)[0] : versionOf(versions, journal.version)
    if (colleague === undefined)
      return this.#hold(workId, journal, versions.length === 0 ? "missing" : "changed", colleagueId)
    return journal.isWaiting ? "waits" : this.#runToNextQuestion(work, journal, colleague)
  }

  /** Runs a colleague in a thread and performs its steps, until it waits for a person or ends. */
  async #runToNextQuestion(work: Row, journal: Journal, { id: colleagueId, version }: Colleague): Promise<Outcome> {
    const { context, state, outbox, registry } = this.#parts
    const order = readOrder(context, work)
    const task = { registry: registry.address, colleagueId, version, order, answers: journal.answers() }
    const stretch = await this.#runInWorker(order.id, journal, task)
    if (stretch === undefined) return this.#hold(order.id, journal, "lost", colleagueId)
    const position = journal.locate(stretch.steps)
    if (position === undefined) return this.#hold(order.id, journal, "changed", colleagueId)
    try {
      await performSteps({ context, state, outbox, order, journal, colleagueId, version }, stretch.steps, position)
      if (stretch.end.kind === "failed") throw new ColleagueFailed(stretch.end.reason)
    } catch (error) {
      if (!(error instanceof ColleagueFailed)) throw error
      context.log.error({ work_id: order.id, stack: framesOf(error) }, "A Work broke off")
      return this.#finish(order.id, journal, `This Work broke off because the colleague failed: ${error.message}`)
    }
    return stretch.end.kind === "waits" ? "waits" : this.#finish(order.id, journal, "Finished.")
  }

  /**
   * Runs a task again after each lost worker thread. Gives undefined when the thread was lost MOST_LOSSES times. The time until a thread takes
   * the task is no execution time.
   */
  async #runInWorker(workId: string, journal: Journal, task: Omit<Task, "progress">): Promise<Stretch | undefined> {
    for (;;) {
      try {
        this.#parts.state.stopClock(workId)
        const stretch = await this.#pool.run(task, () => this.#startClock(workId))
        journal.check()
        return stretch
      } catch (error) {
        journal.check()
        if (!(error instanceof WorkerLost)) throw error
        const losses = await this.#recordLoss(workId, journal, error)
        if (losses >= MOST_LOSSES) return undefined
      } finally {
        this.#startClock(workId)
      }
    }
  }

  #startClock(workId: string): void {
    const left = this.#parts.state.startClock(workId)
    const active = this.#active.get(workId)
    if (left !== undefined && active !== undefined) this.#startLimitTimer(active, workId, left)
  }

  async #recordLoss(workId: string, journal: Journal, { message: reason }: WorkerLost): Promise<number> {
    const { context } = this.#parts
    context.log.warn({ work_id: workId }, `A colleague lost its worker thread: ${reason}`)
    return journal.write((transaction) => {
      const row = context.store.get(
        "UPDATE work SET worker_losses = worker_losses + 1 WHERE id = ? RETURNING worker_losses",
        workId,
      )
      const losses = integer(row ?? {}, "worker_losses")
      const message = `The colleague was ended, because ${reason} (${losses} of ${MOST_LOSSES})`
      context.events.append(transaction, workId, "colleague.ended", { message, reason, losses }, Date.now())
      return losses
    })
  }

  async #hold(workId: string, journal: Journal, reason: HoldReason, colleagueId: string): Promise<Outcome> {
    const { context, state } = this.#parts
    await journal.write((transaction) => hold(context, state, transaction, workId, reason, colleagueId))
    return "waits"
  }

  /** Ends the hold of a Work, so that its colleague may run. */
  async #endHold(workId: string, journal: Journal, reason: HoldReason): Promise<void> {
    const { context } = this.#parts
    await journal.write((transaction) => {
      context.store.run("UPDATE work SET hold = NULL, hold_attention_id = NULL, worker_losses = 0 WHERE id = ?", workId)
      // What the service has taken back has no answer of a person.
      if (reason !== "lost") journal.forget(transaction)
      const message = reason === "lost" ? "The colleague goes on" : "The colleague begins again"
      context.events.append(transaction, workId, "colleague.resumed", { message }, Date.now())
    })
  }

  /** Makes a Work `done`. The API has no status for Work that failed. */
  async #finish(workId: string, journal: Journal, summary: string): Promise<Outcome> {
    await journal.write((transaction) => this.#parts.state.updateStatus(transaction, workId, summary))
    return "over"
  }

  /** Updates the status when the execution time is used up. The Work then becomes `paused`. `left` is in milliseconds. */
  #startLimitTimer(active: Active, workId: string, left: number): void {
    const update = () => {
      this.#parts.context.store
        .effect((transaction) => this.#parts.state.updateStatus(transaction, workId))
        .catch(() => this.#startLimitTimer(active, workId, FIRST_RETRY_MS))
    }
    clearTimeout(active.limit)
    active.limit = setTimeout(update, Math.max(1, left))
  }
}

function versionOf(versions: readonly Colleague[], version: number): Colleague | undefined {
  return versions.find((colleague) => colleague.version === version)
}

function end(active: Active): void {
  clearTimeout(active.limit)
  active.controller.abort()
  active.wake()
}
