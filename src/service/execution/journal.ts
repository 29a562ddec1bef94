/** The journal of a run: what each step returned, so that a run can continue after a restart. */
import { setTimeout as sleep } from "node:timers/promises"
import { integer, optionalText, text } from "../store/sqlite-row.ts"
import type { Store } from "../store/store.ts"
import type { WorkState } from "../work-state.ts"
import type { Answer, Step } from "./step.ts"

type Recorded = {
  /** The kind of the step. `scan` is no step: it says that the result that was delivered last is scanned. */
  readonly kind: string
  /** The id of the row that the step made, or the count of a repeated event. */
  readonly result: string
  readonly version: number
}

/** Where a run goes on: at the step with the index `next`. `begun` is the recorded result of that step if it was begun and not finished. */
export type Position = { readonly next: number; readonly begun: string | undefined }

/** The recorded steps of a Work, in the order in which the colleague took them. After `signal` has ended the run, the journal records no step. */
export class Journal {
  readonly workId: string
  readonly #store: Store
  readonly #state: WorkState
  readonly #signal: AbortSignal
  readonly #recorded: Recorded[]

  constructor(store: Store, state: WorkState, workId: string, signal: AbortSignal) {
    this.#store = store
    this.#state = state
    this.workId = workId
    this.#signal = signal
    this.#recorded = store
      .all("SELECT kind, result, version FROM step WHERE work_id = ? ORDER BY number", workId)
      .map((row) => ({ kind: text(row, "kind"), result: text(row, "result"), version: integer(row, "version") }))
  }

  /** The version of the colleague that took the last step. */
  get version(): number | undefined {
    return this.#recorded.at(-1)?.version
  }

  /** The ids of the recorded approvals. */
  get approvals(): readonly string[] {
    return this.#recorded.filter(({ kind }) => kind === "requestApproval").map(({ result }) => result)
  }

  /** The answers to the recorded questions and approvals. Undefined: one of them has no answer yet. */
  answers(): readonly Answer[] | undefined {
    const answers: Answer[] = []
    for (const { kind, result } of this.#recorded) {
      if (kind !== "ask" && kind !== "requestApproval") continue
      const answer = kind === "ask" ? readResolution(this.#store, result) : readDecision(this.#store, result)
      if (answer === undefined) return undefined
      answers.push(answer)
    }
    return answers
  }

  /**
   * Finds where a run goes on: the n-th recorded step is the n-th step. Pauses are not recorded. Events are counted only after the last recorded
   * step of another kind, because a new release may publish other events before it. Undefined: a step has another kind than the recorded step.
   */
  locate(steps: readonly Step[]): Position | undefined {
    const recorded = this.#recorded.filter(({ kind }) => kind !== "publish" && kind !== "scan")
    const taken = [...steps.entries()].filter(([, { kind }]) => kind !== "publish" && kind !== "pause")
    if (recorded.some(({ kind }, place) => kind !== taken[place]?.[1].kind)) return undefined
    const [lastPlace] = taken[recorded.length - 1] ?? [-1]
    const last = this.#recorded.findLastIndex(({ kind }) => kind !== "publish")
    const { kind, result } = this.#recorded[last] ?? {}
    // A result is finished when its `scan` is recorded, and a repeated event when another step is recorded.
    if (kind === "every" || kind === "deliver") return { next: lastPlace, begun: result }
    return { next: afterEvents(steps, lastPlace + 1, this.#recorded.length - 1 - last), begun: undefined }
  }

  /** Performs a step and records it in one transaction. Returns the value of `perform`, which is recorded as the result. */
  async record(kind: Step["kind"] | "scan", version: number, perform: () => string): Promise<string> {
    return this.write(() => {
      const recorded = { kind, result: perform(), version }
      this.#store.run(
        `INSERT INTO step (work_id, number, kind, result, version)
         VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM step WHERE work_id = ?1), ?2, ?3, ?4)`,
        this.workId,
        kind,
        recorded.result,
        version,
      )
      this.#store.afterCommit(() => this.#recorded.push(recorded))
      return recorded.result
    })
  }

  /** Replaces the result of the last step. Only for use within `write`. */
  update(result: string): void {
    this.#store.run(
      "UPDATE step SET result = ? WHERE work_id = ?2 AND number = (SELECT max(number) FROM step WHERE work_id = ?2)",
      result,
      this.workId,
    )
  }

  /** Removes all steps, so that the colleague begins again. Only for use within `write`. */
  forget(): void {
    this.#store.run("DELETE FROM step WHERE work_id = ?", this.workId)
    this.#store.afterCommit(() => this.#recorded.splice(0))
  }

  /** Runs `action` in a transaction. @throws Error when it cannot be stored, the run was ended, or the Work is paused, done or removed */
  async write<Value>(action: () => Value): Promise<Value> {
    return this.#store.effect(() => {
      this.check()
      const status = this.#store.get("SELECT status FROM work WHERE id = ?", this.workId)?.["status"]
      if (status === undefined || status === "paused" || status === "done")
        throw new Error(`the Work is ${status ?? "gone"}`)
      this.#state.recordExecution(this.workId)
      return action()
    })
  }

  /** Waits. Rejects as soon as the run is ended. */
  async wait(milliseconds: number): Promise<void> {
    await sleep(Math.max(0, milliseconds), undefined, { signal: this.#signal })
  }

  /** @throws Error when the run was ended */
  check(): void {
    this.#signal.throwIfAborted()
  }
}

/** The index after `count` events, from the index `next` on. It is lower when the colleague publishes fewer events before its next other step. */
function afterEvents(steps: readonly Step[], next: number, count: number): number {
  let index = next
  for (let left = count; left > 0; index++) {
    const kind = steps[index]?.kind
    if (kind === "publish") left--
    else if (kind !== "pause") break
  }
  return index
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
