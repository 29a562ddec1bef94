import { setTimeout as sleep } from "node:timers/promises"
import { integer, text } from "../store/rows.ts"
import { isStorageFailure } from "../store/store.ts"
import type { Store, Transaction } from "../store/store.ts"

// While the disk is full or fails, a step waits and is tried again: it heals without a restart.
const STORAGE_RETRY_MS = 500

/** Thrown into a run that is over: the service stops, or the Work was paused. Nothing went wrong. */
export class RunEnded extends Error {}

export type Step = { readonly number: number; readonly result: string | undefined }

/**
 * The steps of one run, numbered in the order in which the colleague takes them. A step is recorded in the transaction of
 * its effect; when the colleague runs again from its first line, a recorded step has its result already.
 */
export class Journal {
  readonly #store: Store
  readonly #workId: string
  readonly #signal: AbortSignal
  readonly #recorded: ReadonlyMap<number, { readonly kind: string; readonly result: string }>
  #next = 1

  constructor(store: Store, workId: string, signal: AbortSignal) {
    this.#store = store
    this.#workId = workId
    this.#signal = signal
    const rows = store.all("SELECT number, kind, result FROM step WHERE work_id = ?", workId)
    this.#recorded = new Map(
      rows.map((row) => [integer(row, "number"), { kind: text(row, "kind"), result: text(row, "result") }]),
    )
  }

  /** Whether the next step was taken by an earlier run. */
  get isReplaying(): boolean {
    return this.#recorded.has(this.#next)
  }

  /** Takes a step: gives its recorded result, or has `perform` do it and records what that gives. */
  async take(kind: string, perform: (transaction: Transaction) => string): Promise<string> {
    const step = this.begin(kind)
    if (step.result !== undefined) return step.result
    return this.write((transaction) => {
      const result = perform(transaction)
      this.record(step.number, kind, result)
      return result
    })
  }

  /** Numbers a step; its result is there when it was recorded. */
  begin(kind: string): Step {
    this.check()
    const number = this.#next++
    const recorded = this.#recorded.get(number)
    if (recorded !== undefined && recorded.kind !== kind) {
      throw new Error(`step ${number} was ${recorded.kind} and is now ${kind}: the colleague is not deterministic`)
    }
    return { number, result: recorded?.result }
  }

  /** Records a step's result, or replaces it where a step goes on (`every`). Within a `write`. */
  record(number: number, kind: string, result: string): void {
    this.#store.run(
      "INSERT INTO step (work_id, number, kind, result) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET result = excluded.result",
      this.#workId,
      number,
      kind,
      result,
    )
  }

  /** Writes on behalf of the run, as long as it is one: not any more when the Work is paused or done. */
  async write<Value>(action: (transaction: Transaction) => Value): Promise<Value> {
    for (;;) {
      try {
        return await this.#store.effect((transaction) => {
          this.check()
          const status = this.#store.get("SELECT status FROM work WHERE id = ?", this.#workId)?.["status"]
          if (status === "paused" || status === "done") throw new RunEnded(`the Work is ${status}`)
          return action(transaction)
        })
      } catch (error) {
        if (!isStorageFailure(error)) throw error
        await this.wait(STORAGE_RETRY_MS)
      }
    }
  }

  /** Waits; rejects at once when the run ends. */
  async wait(milliseconds: number): Promise<void> {
    this.check()
    await sleep(Math.max(0, milliseconds), undefined, { signal: this.#signal }).catch(() => this.check())
  }

  check(): void {
    if (this.#signal.aborted) throw new RunEnded("the run was ended")
  }
}
