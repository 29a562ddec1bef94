import { setTimeout as sleep } from "node:timers/promises"
import { contentHash } from "../api-values.ts"
import { integer, optionalText, text } from "../store/rows.ts"
import type { Row } from "../store/rows.ts"
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
  readonly arguments: unknown
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
      .all("SELECT kind, result, version, arguments FROM step WHERE work_id = ? ORDER BY number", workId)
      .map(toRecorded)
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
   * Compares a colleague's steps with the recorded steps, and finds the first step that is not recorded. Published events are not compared,
   * because a new version of the colleague may publish other events.
   * @returns undefined when the steps differ from the recorded steps, which another version of the colleague took
   */
  locate(steps: readonly Step[]): Position | undefined {
    let next = 0
    let published = 0
    let resumed: string | undefined
    const approvals = new Map<number, string>()
    for (const recorded of this.#recorded) {
      if (recorded.kind === "publish") published += 1
      if (recorded.kind === "scan") resumed = undefined
      if (recorded.kind === "publish" || recorded.kind === "scan") continue
      published = 0
      while (["publish", "pause"].includes(steps[next]?.kind ?? "")) next += 1
      const step = steps[next]
      if (step === undefined || !agrees(recorded, step)) return undefined
      if (step.kind === "requestApproval") approvals.set(next, recorded.result)
      resumed = step.kind === "deliver" || step.kind === "every" ? recorded.result : undefined
      next += 1
    }
    if (resumed !== undefined) return { next: next - 1, resumed, approvals }
    for (let index = next; published > 0 && ["publish", "pause"].includes(steps[index]?.kind ?? ""); index += 1) {
      if (steps[index]?.kind === "publish") {
        published -= 1
        next = index + 1
      }
    }
    return { next, resumed: undefined, approvals }
  }

  /** Performs a step and records it in one transaction. The value of `perform` is recorded as the step's result, and returned. */
  async take(step: Step, version: number, perform: (transaction: Transaction) => string): Promise<string> {
    return this.write((transaction) => {
      const result = perform(transaction)
      this.#record({ kind: step.kind, result, version, arguments: argumentsOf(step) }, transaction)
      return result
    })
  }

  /** Records that the last delivered result was scanned. Only for use within `write`. */
  recordScan(version: number, transaction: Transaction): void {
    this.#record({ kind: "scan", result: "", version, arguments: null }, transaction)
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
      `INSERT INTO step (work_id, number, kind, result, version, arguments)
       VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM step WHERE work_id = ?1), ?2, ?3, ?4, ?5)`,
      this.#workId,
      recorded.kind,
      recorded.result,
      recorded.version,
      recorded.arguments === null ? null : JSON.stringify(recorded.arguments),
    )
    transaction.afterCommit(() => this.#recorded.push(recorded))
  }
}

/**
 * The arguments of a step that the journal stores. It leaves out the long arguments, which other tables hold: the payload in `event`, the
 * letter in `approval`, the content in `artifact`.
 */
function argumentsOf(step: Step): unknown {
  switch (step.kind) {
    case "publish":
      return { type: step.type }
    case "ask":
      return step.question
    case "requestApproval":
      return { destination: step.request.destination }
    case "send":
      return { destination: step.letter.destination }
    case "deliver": {
      const { path, content } = step.result
      return { path, content_hash: contentHash(Buffer.from(content)) }
    }
    case "every":
      return { seconds: step.seconds, type: step.event.type }
    case "pause":
    case "finish":
      return {}
  }
}

/**
 * Whether a step agrees with a recorded step. A question must have the same title and recommended action, because the owner answered these
 * two. A letter must only have the same destination, because the letter is sent as it was approved.
 */
function agrees({ kind, arguments: recorded }: Recorded, step: Step): boolean {
  if (kind !== step.kind) return false
  const taken: unknown = argumentsOf(step)
  return COMPARED[step.kind].every((name) => memberOf(recorded, name) === memberOf(taken, name))
}

/** The arguments of a step that another version of a colleague may not change. */
const COMPARED: Readonly<Record<Step["kind"], readonly string[]>> = {
  publish: [],
  pause: [],
  ask: ["title", "recommended_action"],
  requestApproval: ["destination"],
  send: ["destination"],
  deliver: ["path"],
  every: [],
  finish: [],
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}

function toRecorded(row: Row): Recorded {
  const recorded = optionalText(row, "arguments")
  const value: unknown = recorded === undefined ? null : JSON.parse(recorded)
  return {
    kind: text(row, "kind"),
    result: text(row, "result"),
    version: integer(row, "version"),
    arguments: value,
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
