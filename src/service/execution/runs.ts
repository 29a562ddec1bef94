/** The runs of colleagues: one for each Work that is worked on. */
import type { Colleague, WorkOrder } from "../colleagues/colleague.ts"
import { framesOf } from "../../platform/log.ts"
import type { ServiceContext } from "../context.ts"
import { retry } from "../retry.ts"
import { bytes, integer, optionalInteger, type Row, text } from "../store/sqlite-row.ts"
import type { WorkChange } from "../work-state.ts"
import { type ColleagueLimits, ColleaguePool, ThreadLost } from "./colleague-pool.ts"
import { Journal } from "./journal.ts"
import type { LetterOutbox } from "./letter-outbox.ts"
import { performSteps } from "./perform-step.ts"
import { newest } from "./read-colleagues.ts"
import {
  askHowToGoOn,
  readServiceQuestion,
  type ServiceQuestion,
  type StopReason,
  wantsEnd,
} from "./service-question.ts"
import { ColleagueFailed, type Stretch, type Task } from "./step.ts"

/** After this number of lost threads the owner is asked how to go on. */
const LOSSES_MAX = 3

type Run = {
  readonly controller: AbortController
  finished: Promise<void>
  /** Whether the Work has changed since the run has looked at it. */
  isChanged: boolean
}

/** The colleagues to which Work can be delegated, and the address of the module that exports them. */
export type Registry = { readonly address: string; readonly colleagues: readonly Colleague[] }

/** Runs the colleagues. A change of a Work that is neither done nor paused begins a run, which lasts until the Work waits or is over. */
export class Runs {
  readonly #context: ServiceContext
  readonly #outbox: LetterOutbox
  readonly #registry: Registry
  readonly #pool: ColleaguePool
  readonly #runs = new Map<string, Run>()
  #stopped = false

  constructor(context: ServiceContext, outbox: LetterOutbox, registry: Registry, limits: ColleagueLimits) {
    this.#context = context
    this.#outbox = outbox
    this.#registry = registry
    this.#pool = new ColleaguePool(limits, context.log)
    context.state.listen((change) => this.#onChange(change))
  }

  /** Ends every run after its current step. When a service starts on the same store, each run continues with its next step. */
  async stop(): Promise<void> {
    this.#stopped = true
    const runs = [...this.#runs.values()]
    for (const { controller } of runs) controller.abort()
    await this.#pool.close()
    await Promise.all(runs.map(({ finished }) => finished))
  }

  #onChange({ workId, status }: WorkChange): void {
    let run = this.#runs.get(workId)
    if (status === "done" || status === "paused") return run?.controller.abort()
    if (this.#stopped) return
    if (run === undefined) {
      run = { controller: new AbortController(), finished: Promise.resolve(), isChanged: false }
      this.#runs.set(workId, run)
      run.finished = this.#continueWhileChanged(workId, run)
    }
    run.isChanged = true
  }

  async #continueWhileChanged(workId: string, run: Run): Promise<void> {
    const { store, state, log } = this.#context
    const { signal } = run.controller
    const onFailure = (error: unknown) => {
      if (!signal.aborted) log.error({ work_id: workId, stack: framesOf(error) }, "A Work could not continue")
    }
    // The run begins after all other listeners of the same commit were called.
    await Promise.resolve()
    while (run.isChanged && !signal.aborted) {
      run.isChanged = false
      await retry(() => this.#continue(new Journal(store, state, workId, signal)), signal, onFailure)
    }
    this.#runs.delete(workId)
  }

  /** Continues a Work until it waits for its owner or is over. */
  async #continue(journal: Journal): Promise<void> {
    const context = this.#context
    const { workId } = journal
    journal.check()
    const question = readServiceQuestion(context.store, workId)
    if (question !== undefined) {
      if (question.answer === undefined) return
      if (wantsEnd(question.answer)) return this.#finish(journal, `Ended by its owner: ${question.answer}`)
      await this.#resume(journal, question)
    }
    const work = context.store.one("SELECT * FROM work WHERE id = ?", workId)
    const colleagueId = text(work, "colleague_id")
    const versions = this.#registry.colleagues.filter(({ id }) => id === colleagueId)
    const version = versionFor(versions, journal.version)
    // The owner is asked even while a question of the colleague is open, because nobody would read the answer to that.
    if (version === undefined) return this.#ask(journal, versions.length === 0 ? "missing" : "changed", colleagueId)
    const answers = journal.answers()
    if (answers === undefined) return
    const order = readOrder(context, work)
    await this.#runColleague(journal, { registry: this.#registry.address, colleagueId, version, order, answers })
  }

  /** Runs a colleague in a thread, and performs those of its steps that are not recorded yet. */
  async #runColleague(journal: Journal, task: Omit<Task, "progress">): Promise<void> {
    const context = this.#context
    const { colleagueId, version, order } = task
    const stretch = await this.#runInThread(journal, task)
    if (stretch === undefined) return this.#ask(journal, "lost", colleagueId)
    const position = journal.locate(stretch.steps)
    if (position === undefined) return this.#ask(journal, "changed", colleagueId)
    try {
      const parts = { context, outbox: this.#outbox, order, journal, colleagueId, version }
      await performSteps(parts, stretch.steps, position)
      if (stretch.end.kind === "failed") throw new ColleagueFailed(stretch.end.reason)
    } catch (error) {
      if (!(error instanceof ColleagueFailed)) throw error
      context.log.error({ work_id: journal.workId, stack: framesOf(error) }, "A Work failed")
      return this.#finish(journal, `This Work ended because the colleague failed: ${error.message}`)
    }
    if (stretch.end.kind === "returned") await this.#finish(journal, "Finished.")
  }

  /** Runs a task again after each lost thread. Undefined: LOSSES_MAX were lost. The wait for a thread is no execution time. */
  async #runInThread(journal: Journal, task: Omit<Task, "progress">): Promise<Stretch | undefined> {
    const { workId } = journal
    const { state } = this.#context
    for (let losses = 0; losses < LOSSES_MAX;) {
      try {
        state.setClockRunning(workId, false)
        const stretch = await this.#pool.run(task, () => state.setClockRunning(workId, true))
        journal.check()
        return stretch
      } catch (error) {
        journal.check()
        if (!(error instanceof ThreadLost)) throw error
        losses = await this.#recordLoss(journal, error)
      } finally {
        state.setClockRunning(workId, true)
      }
    }
    return undefined
  }

  async #recordLoss(journal: Journal, { message: reason }: ThreadLost): Promise<number> {
    const { store, events, log } = this.#context
    const { workId } = journal
    log.warn({ work_id: workId }, `A colleague lost its worker thread: ${reason}`)
    return journal.write(() => {
      const count = "UPDATE work SET worker_losses = worker_losses + 1 WHERE id = ? RETURNING worker_losses"
      const losses = integer(store.one(count, workId), "worker_losses")
      const message = `The colleague was stopped, because ${reason} (${losses} of ${LOSSES_MAX})`
      events.append(workId, "colleague.ended", { message, reason, losses })
      return losses
    })
  }

  async #ask(journal: Journal, reason: StopReason, colleagueId: string): Promise<void> {
    await journal.write(() => askHowToGoOn(this.#context, journal.workId, reason, colleagueId))
  }

  /** Lets the colleague run again after the owner has answered the service's question. */
  async #resume(journal: Journal, { reason }: ServiceQuestion): Promise<void> {
    const { store, events } = this.#context
    const { workId } = journal
    await journal.write(() => {
      store.update("work", workId, { hold: null, hold_attention_id: null, worker_losses: 0 })
      // A colleague that lost its threads goes on after its recorded steps. It only ran because all its questions were answered, so none was
      // taken back. Else it begins again: another version may take other steps, and a question that was taken back has no person's answer.
      if (reason !== "lost") journal.forget()
      const message = reason === "lost" ? "The colleague continues" : "The colleague starts over"
      events.append(workId, "colleague.resumed", { message })
    })
  }

  /** Makes a Work `done`. The API has no status for Work that failed. */
  async #finish(journal: Journal, summary: string): Promise<void> {
    await journal.write(() => this.#context.state.updateStatus(journal.workId, summary))
  }
}

/** The version that a Work continues with: that of its last step, if it is installed. Work without a step begins with the newest version. */
function versionFor(versions: readonly Colleague[], last: number | undefined): number | undefined {
  if (last === undefined) return newest(versions)[0]?.version
  return versions.find(({ version }) => version === last)?.version
}

/** The Work as it was delegated, with its inputs. */
function readOrder({ store, configuration }: ServiceContext, work: Row): WorkOrder {
  const id = text(work, "id")
  const demonstration = optionalInteger(work, "demonstration")
  const inputs = store.all("SELECT id, name, media_type, content FROM upload WHERE work_id = ? ORDER BY position", id)
  return {
    id,
    title: text(work, "title"),
    objective: text(work, "objective"),
    demonstration: demonstration === undefined ? configuration.current.demonstration : demonstration === 1,
    inputs: inputs.map((row) => ({
      uploadId: text(row, "id"),
      name: text(row, "name"),
      mediaType: text(row, "media_type"),
      content: Buffer.from(bytes(row, "content")).toString(),
    })),
  }
}
