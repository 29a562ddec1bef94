import { setTimeout as sleep } from "node:timers/promises"
import { integer, optionalText, text } from "../store/rows.ts"
import { isStorageFailure } from "../store/store.ts"
import type { Store, Transaction } from "../store/store.ts"
import type { WorkState } from "../work-state.ts"
import type { Answer, Step } from "./step.ts"

// The pause before a step that could not be stored, because the disk is full, is stored again.
const STORAGE_RETRY_MS = 500

/** Thrown by the journal of a run that is over, because the service stops or the Work is paused or done. It reports no failure. */
export class RunEnded extends Error {}

type Recorded = {
  readonly kind: string
  /** The id of the row that the step made, or the count of a repeated event. */
  readonly result: string
  readonly version: number
}

/** Where a run goes on. */
export type Position = {
  /** The index of the next step to perform. */
  readonly next: number
  /** The recorded result of the next step, if the step was begun and not finished. */
  readonly resumed: string | undefined
  /** The recorded approvals, by the index of the step that asks for them. */
  readonly approvals: ReadonlyMap<number, string>
}

/** The recorded steps of a Work, in the order in which the colleague took them. */
export class Journal {
  readonly #store: Store
  readonly #state: WorkState
  readonly #workId: string
  readonly #signal: AbortSignal
  readonly #recorded: Recorded[]

  constructor(store: Store, state: WorkState, workId: string, signal: AbortSignal) {
    this.#store = store
    this.#state = state
    this.#workId = workId
    this.#signal = signal
    this.#recorded = store
      .all("SELECT kind, result, version FROM step WHERE work_id = ? ORDER BY number", workId)
      .map((row) => ({ kind: text(row, "kind"), result: text(row, "result"), version: integer(row, "version") }))
  }

  /** The version of the colleague that took the last step. */
  get version(): number | undefined {
    return this.#recorded.at(-1)?.version
  }

  /** Whether a recorded question or approval has no answer yet. */
  get isWaiting(): boolean {
    const asked = this.#recorded.filter(({ kind }) => kind === "ask" || kind === "requestApproval")
    return this.answers().length < asked.length
  }

  /** The answers to the recorded questions and approvals, up to the first without an answer. */
  answers(): readonly Answer[] {
    const answers: Answer[] = []
    for (const { kind, result } of this.#recorded) {
      if (kind !== "ask" && kind !== "requestApproval") continue
      const answer = kind === "ask" ? readResolution(this.#store, result) : readDecision(this.#store, result)
      if (answer === undefined) break
      answers.push(answer)
    }
    return answers
  }

  /**
   * Finds where a run goes on in the steps of its colleague: the n-th recorded step is the n-th step, pauses aside. Events count from the
   * last other step on, so that a colleague may publish other events before it.
   * @returns undefined when a recorded step has another kind than the step in its place
   */
  locate(steps: readonly Step[]): Position | undefined {
    const taken = this.#recorded.filter(({ kind }) => kind !== "publish" && kind !== "scan")
    const places = steps.flatMap(({ kind }, index) => (kind === "publish" || kind === "pause" ? [] : [index]))
    if (taken.some(({ kind }, index) => steps[places[index] ?? -1]?.kind !== kind)) return undefined
    const approvals = new Map(
      taken.flatMap(({ kind, result }, index) => (kind === "requestApproval" ? [[places[index] ?? -1, result]] : [])),
    )
    const last = places[taken.length - 1] ?? -1
    const since = this.#recorded.slice(this.#recorded.findLastIndex(({ kind }) => kind !== "publish") + 1)
    const end = this.#recorded[this.#recorded.length - since.length - 1]
    if (end?.kind === "every" || end?.kind === "deliver") return { next: last, resumed: end.result, approvals }
    const published = steps.flatMap(({ kind }, index) => (kind === "publish" && index > last ? [index] : []))
    const next = Math.min((published[since.length - 1] ?? last) + 1, places[taken.length] ?? steps.length)
    return { next, resumed: undefined, approvals }
  }

  /** Performs a step and records it in one transaction. The value of `perform` is recorded as the step's result, and returned. */
  async take(step: Step, version: number, perform: (transaction: Transaction) => string): Promise<string> {
    return this.write((transaction) => {
      const result = perform(transaction)
      this.#record({ kind: step.kind, result, version }, transaction)
      return result
    })
  }

  /** Records that the last delivered result was scanned. Only for use within `write`. */
  recordScan(version: number, transaction: Transaction): void {
    this.#record({ kind: "scan", result: "", version }, transaction)
  }

  /** Replaces the result of the last step. Only for use within `write`. */
  update(result: string): void {
    this.#store.run(
      "UPDATE step SET result = ? WHERE work_id = ?2 AND number = (SELECT max(number) FROM step WHERE work_id = ?2)",
      result,
      this.#workId,
    )
  }

  /** Removes all steps, so that the colleague begins again. Only for use within `write`. */
  forget(transaction: Transaction): void {
    this.#store.run("DELETE FROM step WHERE work_id = ?", this.#workId)
    transaction.afterCommit(() => this.#recorded.splice(0))
  }

  /**
   * Runs `action` in a transaction. A transaction that cannot be stored is tried again until it can.
   * @throws RunEnded when the run was ended, or the Work is paused, done or removed
   */
  async write<Value>(action: (transaction: Transaction) => Value): Promise<Value> {
    for (;;) {
      try {
        return await this.#store.effect((transaction) => {
          this.check()
          const status = this.#store.get("SELECT status FROM work WHERE id = ?", this.#workId)?.["status"]
          if (status === undefined || status === "paused" || status === "done")
            throw new RunEnded(`the Work is ${status ?? "gone"}`)
          this.#state.recordExecution(this.#workId)
          return action(transaction)
        })
      } catch (error) {
        if (!isStorageFailure(error)) throw error
        await this.wait(STORAGE_RETRY_MS)
      }
    }
  }

  /** Waits. Rejects with RunEnded as soon as the run is ended. */
  async wait(milliseconds: number): Promise<void> {
    this.check()
    await sleep(Math.max(0, milliseconds), undefined, { signal: this.#signal }).catch(() => this.check())
  }

  /** @throws RunEnded when the run was ended */
  check(): void {
    if (this.#signal.aborted) throw new RunEnded("the run was ended")
  }

  #record(recorded: Recorded, transaction: Transaction): void {
    this.#store.run(
      `INSERT INTO step (work_id, number, kind, result, version)
       VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM step WHERE work_id = ?1), ?2, ?3, ?4)`,
      this.#workId,
      recorded.kind,
      recorded.result,
      recorded.version,
    )
    transaction.afterCommit(() => this.#recorded.push(recorded))
  }
}

function readResolution(store: Store, id: string): Answer | undefined {
  const row = store.get("SELECT resolution FROM attention WHERE id = ?", id)
  return row && optionalText(row, "resolution")
}

function readDecision(store: Store, id: string): Answer | undefined {
  const row = store.get("SELECT status, resolution_comment FROM approval WHERE id = ?", id)
  if (row === undefined || row["status"] === "pending") return undefined
  const decision = row["status"] === "approved" ? "approve" : "decline"
  const comment = optionalText(row, "resolution_comment")
  return comment === undefined ? { decision } : { decision, comment }
}
