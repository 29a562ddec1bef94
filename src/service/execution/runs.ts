import type { ServiceContext } from "../context.ts"
import { text } from "../store/rows.ts"
import type { WorkChange, WorkState } from "../work-state.ts"
import type { Colleague, Desk } from "../../colleagues/colleague.ts"
import { readOrder, setDesk } from "./colleague-desk.ts"
import { Journal, RunEnded } from "./journal.ts"
import type { Outbox } from "./outbox.ts"

const RETRY_MS = 1000

type Run = {
  readonly controller: AbortController
  readonly finished: Promise<void>
  /** Wakes whoever waits for a change of the Work. */
  wake(): void
  limit?: NodeJS.Timeout
}

/** Keeps the colleagues at work: one run for each Work that is neither done nor paused, until the service stops. */
export class Runtime {
  readonly #context: ServiceContext
  readonly #state: WorkState
  readonly #outbox: Outbox
  readonly #colleagues: ReadonlyMap<string, Colleague>
  readonly #runs = new Map<string, Run>()
  #stopped = false

  constructor(context: ServiceContext, state: WorkState, outbox: Outbox, colleagues: readonly Colleague[]) {
    this.#context = context
    this.#state = state
    this.#outbox = outbox
    this.#colleagues = new Map(colleagues.map((colleague) => [colleague.id, colleague]))
    state.listen((change) => this.#follow(change))
  }

  /** Ends every run where it is; each goes on from its last step when a service starts on this store again. */
  async stop(): Promise<void> {
    this.#stopped = true
    const runs = [...this.#runs.values()]
    for (const run of runs) end(run)
    await Promise.all(runs.map(({ finished }) => finished))
  }

  /** Called between a commit and its answer, so nothing may be thrown: what cannot be read now is read a little later. */
  #follow(change: WorkChange): void {
    try {
      this.#attend(change)
    } catch (error) {
      this.#context.log(String(error))
      setTimeout(() => this.#follow(change), RETRY_MS).unref()
    }
  }

  /** Each settled Work comes by here: it begins, is woken, is limited or ends. */
  #attend({ workId, status, left }: WorkChange): void {
    const run = this.#runs.get(workId)
    clearTimeout(run?.limit)
    if (status === "done" || status === "paused") return run && end(run)
    if (this.#stopped) return
    const current = run ?? this.#begin(workId)
    current?.wake()
    if (current !== undefined && status === "working" && left !== undefined) this.#limit(current, workId, left)
  }

  #begin(workId: string): Run | undefined {
    const row = this.#context.store.get("SELECT * FROM work WHERE id = ?", workId)
    const colleague = row && this.#colleagues.get(text(row, "colleague_id"))
    if (row === undefined || colleague === undefined) return undefined
    const controller = new AbortController()
    let { promise: changed, resolve: wake } = Promise.withResolvers<void>()
    const { signal } = controller
    const journal = new Journal(this.#context.store, workId, signal)
    const desk = setDesk({
      context: this.#context,
      state: this.#state,
      outbox: this.#outbox,
      colleague,
      order: readOrder(this.#context.store, row),
      journal,
      signal,
      changed: () => changed,
    })
    const run: Run = {
      controller,
      finished: this.#run(colleague, desk, journal),
      wake() {
        wake()
        ;({ promise: changed, resolve: wake } = Promise.withResolvers<void>())
      },
    }
    this.#runs.set(workId, run)
    return run
  }

  async #run(colleague: Colleague, desk: Desk, journal: Journal): Promise<void> {
    // A run begins after the commit that caused it is told to everybody else.
    await Promise.resolve()
    try {
      await colleague.run(desk)
      await desk.finish("Finished.")
    } catch (error) {
      if (!(error instanceof RunEnded)) await this.#giveUp(desk.work.id, journal, error)
    } finally {
      this.#runs.delete(desk.work.id)
    }
  }

  /** The API knows no failed Work: one whose colleague broke down is done, and its summary says so. */
  async #giveUp(workId: string, journal: Journal, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error)
    this.#context.log(`Work ${workId} broke off: ${error instanceof Error ? error.stack : reason}`)
    const summary = `Broke off, because the colleague failed: ${reason}`
    await journal
      .write((transaction) => this.#state.settle(transaction, workId, summary))
      .catch((failure: unknown) => failure instanceof RunEnded || this.#context.log(String(failure)))
  }

  #limit(run: Run, workId: string, left: number): void {
    const settle = () => {
      this.#context.store
        .effect((transaction) => this.#state.settle(transaction, workId))
        .catch(() => this.#limit(run, workId, RETRY_MS))
    }
    run.limit = setTimeout(settle, Math.max(1, left))
  }
}

function end(run: Run): void {
  clearTimeout(run.limit)
  run.controller.abort()
  run.wake()
}
