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

/** A Work that lost its worker thread so often is not run again by itself. */
const MOST_LOSSES = 3

type Active = {
  readonly controller: AbortController
  readonly finished: Promise<void>
  /** Wakes the run when something about its Work has changed. */
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

/** Keeps the colleagues at work: one run for each Work that is neither done nor paused, until the service stops. */
export class Runs {
  readonly #parts: RunsParts
  readonly #pool: ColleaguePool
  readonly #active = new Map<string, Active>()
  #stopped = false

  constructor(parts: RunsParts) {
    this.#parts = parts
    this.#pool = new ColleaguePool(parts.limits ?? COLLEAGUE_LIMITS, parts.context.log)
    parts.state.listen((change) => this.#follow(change))
  }

  /** Ends every run where it is. Each goes on from its last step when a service starts on this store again. */
  async stop(): Promise<void> {
    this.#stopped = true
    const active = [...this.#active.values()]
    for (const run of active) end(run)
    await this.#pool.close()
    await Promise.all(active.map(({ finished }) => finished))
  }

  /** Called between a commit and its answer, so it may not throw: what cannot be read now is read a little later. */
  #follow(change: WorkChange): void {
    try {
      this.#attend(change)
    } catch (error) {
      this.#parts.context.log.error({ stack: framesOf(error) }, "A Work could not be read")
      setTimeout(() => this.#follow(change), RETRY_MS).unref()
    }
  }

  /** Begins, wakes, limits or ends the run of a Work that has changed. */
  #attend({ workId, status, left }: WorkChange): void {
    const active = this.#active.get(workId)
    clearTimeout(active?.limit)
    if (status === "done" || status === "paused") return active && end(active)
    if (this.#stopped) return
    const current = active ?? this.#begin(workId)
    current.wake()
    if (status === "working" && left !== undefined) this.#limit(current, workId, left)
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
    // A run begins when everybody else has heard of the commit that caused it.
    await Promise.resolve()
    const journal = new Journal(this.#parts.context.store, this.#parts.state, workId, signal)
    try {
      while (!(await this.#goOn(workId, journal))) await this.#answered(workId, journal, changed)
    } catch (error) {
      if (!(error instanceof RunEnded)) await this.#breakOff(workId, journal, error)
    } finally {
      this.#active.delete(workId)
    }
  }

  /** Waits until the open question of the colleague, or of a hold, has its answer. */
  async #answered(workId: string, journal: Journal, changed: () => Promise<void>): Promise<void> {
    for (;;) {
      const change = changed()
      journal.check()
      const held = readHold(this.#parts.context.store, workId)
      if (held === undefined ? !journal.isWaiting : held.answer !== undefined) return
      await change
    }
  }

  /** Takes a Work on to the point where it waits for a person. Gives whether it is over. */
  async #goOn(workId: string, journal: Journal): Promise<boolean> {
    const { context, state, outbox, registry } = this.#parts
    if (!(await this.#passHold(workId, journal))) return false
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
    await journal.write((transaction) => state.settle(transaction, workId, "Finished."))
    return true
  }

  /** Gives undefined when the worker thread was lost too often. */
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

  /** Whether the colleague may run. The answer to a hold's question ends the hold, or the Work. */
  async #passHold(workId: string, journal: Journal): Promise<boolean> {
    const { context, state } = this.#parts
    const held = readHold(context.store, workId)
    if (held === undefined) return true
    const { reason, answer } = held
    if (answer === undefined) return false
    if (wantsEnd(answer)) {
      await journal.write((transaction) => state.settle(transaction, workId, `Ended by its owner: ${answer}`))
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

  /** The API has no failed Work: a Work whose colleague failed is done, and its summary says why. */
  async #breakOff(workId: string, journal: Journal, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error)
    this.#parts.context.log.error({ work_id: workId, stack: framesOf(error) }, "A Work broke off")
    const summary = `This Work broke off because the colleague failed: ${reason}`
    await journal
      .write((transaction) => this.#parts.state.settle(transaction, workId, summary))
      .catch(
        (failure: unknown) =>
          failure instanceof RunEnded ||
          this.#parts.context.log.error({ work_id: workId, stack: framesOf(failure) }, "A Work could not be settled"),
      )
  }

  #limit(active: Active, workId: string, left: number): void {
    const settle = () => {
      this.#parts.context.store
        .effect((transaction) => this.#parts.state.settle(transaction, workId))
        .catch(() => this.#limit(active, workId, RETRY_MS))
    }
    active.limit = setTimeout(settle, Math.max(1, left))
  }
}

/** The version under which a Work began, or the newest. */
function versionFor(colleagues: readonly Colleague[], id: string, begun: number | undefined): Colleague | undefined {
  const all = colleagues.filter((colleague) => colleague.id === id)
  return all.find(({ version }) => version === begun) ?? all.toSorted((a, b) => b.version - a.version)[0]
}

function end(active: Active): void {
  clearTimeout(active.limit)
  active.controller.abort()
  active.wake()
}
