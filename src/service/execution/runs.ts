import type { Colleague } from "../../colleagues/colleague.ts"
import { framesOf } from "../../contract/log.ts"
import type { ServiceContext } from "../context.ts"
import { integer, text } from "../store/rows.ts"
import type { WorkChange, WorkState } from "../work-state.ts"
import { COLLEAGUE_LIMITS, ColleaguePool, WorkerLost } from "./colleague-pool.ts"
import type { ColleagueLimits } from "./colleague-pool.ts"
import { hold, readHold, wantsEnd } from "./hold.ts"
import type { HoldReason } from "./hold.ts"
import { Journal, RunEnded } from "./journal.ts"
import type { Outbox } from "./outbox.ts"
import { performSteps } from "./perform-step.ts"
import type { Stretch } from "./step.ts"
import { readOrder } from "./work-order.ts"

const RETRY_MS = 1000

/** After this number of lost worker threads a Work is put on hold. */
const MOST_LOSSES = 3

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
      setTimeout(() => this.#onChange(change), RETRY_MS).unref()
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
    const journal = new Journal(this.#parts.context.store, this.#parts.state, workId, signal)
    try {
      while (!(await this.#runToNextQuestion(workId, journal))) await this.#waitForAnswer(workId, journal, changed)
    } catch (error) {
      if (!(error instanceof RunEnded)) await this.#endFailedWork(workId, journal, error)
    } finally {
      this.#active.delete(workId)
    }
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

  /** Runs a Work's colleague until it waits for a person or ends. Gives whether the run is over. */
  async #runToNextQuestion(workId: string, journal: Journal): Promise<boolean> {
    const { context, state, outbox, registry } = this.#parts
    if (!(await this.#endHold(workId, journal))) return false
    const work = context.store.get("SELECT * FROM work WHERE id = ?", workId)
    if (work === undefined) return true
    const colleagueId = text(work, "colleague_id")
    const colleague = versionFor(registry.colleagues, colleagueId, journal.version)
    if (colleague === undefined) return this.#hold(workId, journal, "missing", colleagueId)
    const { version } = colleague
    const order = readOrder(context, work)
    const task = { registry: registry.address, colleagueId, version, order, answers: journal.answers() }
    const stretch = await this.#runInWorker(workId, journal, () => this.#pool.run(task))
    if (stretch === undefined) return this.#hold(workId, journal, "lost", colleagueId)
    const position = journal.locate(stretch.steps)
    if (position === undefined) return this.#hold(workId, journal, "changed", colleagueId)
    await performSteps({ context, state, outbox, order, journal, colleagueId, version }, stretch.steps, position)
    if (stretch.end.kind === "failed") throw new Error(stretch.end.reason)
    if (stretch.end.kind === "waits") return false
    await journal.write((transaction) => state.updateStatus(transaction, workId, "Finished."))
    return true
  }

  /** Runs a task again after each lost worker thread. Gives undefined when the thread was lost MOST_LOSSES times. */
  async #runInWorker(workId: string, journal: Journal, run: () => Promise<Stretch>): Promise<Stretch | undefined> {
    for (;;) {
      try {
        const stretch = await run()
        journal.check()
        return stretch
      } catch (error) {
        journal.check()
        if (!(error instanceof WorkerLost)) throw error
        const losses = await this.#recordLoss(workId, journal, error)
        if (losses >= MOST_LOSSES) return undefined
      }
    }
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

  async #hold(workId: string, journal: Journal, reason: HoldReason, colleagueId: string): Promise<false> {
    const { context, state } = this.#parts
    await journal.write((transaction) => hold(context, state, transaction, workId, reason, colleagueId))
    return false
  }

  /** Ends the hold, or the Work, as the owner's answer says. Gives whether the colleague may run. */
  async #endHold(workId: string, journal: Journal): Promise<boolean> {
    const { context, state } = this.#parts
    const held = readHold(context.store, workId)
    if (held === undefined) return true
    const { reason, answer } = held
    if (answer === undefined) return false
    if (wantsEnd(answer)) {
      await journal.write((transaction) => state.updateStatus(transaction, workId, `Ended by its owner: ${answer}`))
      throw new RunEnded("the owner ended the Work")
    }
    await journal.write((transaction) => {
      context.store.run("UPDATE work SET hold = NULL, hold_attention_id = NULL, worker_losses = 0 WHERE id = ?", workId)
      if (reason === "changed") journal.forget(transaction)
      const message = reason === "changed" ? "The colleague begins again" : "The colleague goes on"
      context.events.append(transaction, workId, "colleague.resumed", { message }, Date.now())
    })
    return true
  }

  /** Makes a Work whose colleague failed `done`, with the reason in its summary. The API has no status for failed Work. */
  async #endFailedWork(workId: string, journal: Journal, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error)
    this.#parts.context.log.error({ work_id: workId, stack: framesOf(error) }, "A Work broke off")
    const summary = `This Work broke off because the colleague failed: ${reason}`
    await journal
      .write((transaction) => this.#parts.state.updateStatus(transaction, workId, summary))
      .catch(
        (failure: unknown) =>
          failure instanceof RunEnded ||
          this.#parts.context.log.error(
            { work_id: workId, stack: framesOf(failure) },
            "A Work that broke off could not be made done",
          ),
      )
  }

  /** Updates the status when the execution time is used up. The Work then becomes `paused`. `left` is in milliseconds. */
  #startLimitTimer(active: Active, workId: string, left: number): void {
    const update = () => {
      this.#parts.context.store
        .effect((transaction) => this.#parts.state.updateStatus(transaction, workId))
        .catch(() => this.#startLimitTimer(active, workId, RETRY_MS))
    }
    active.limit = setTimeout(update, Math.max(1, left))
  }
}

/** The version of a colleague with which a Work began, if the registry still has that version, or else the newest version. */
function versionFor(colleagues: readonly Colleague[], id: string, begun: number | undefined): Colleague | undefined {
  const all = colleagues.filter((colleague) => colleague.id === id)
  return all.find(({ version }) => version === begun) ?? all.toSorted((a, b) => b.version - a.version)[0]
}

function end(active: Active): void {
  clearTimeout(active.limit)
  active.controller.abort()
  active.wake()
}
