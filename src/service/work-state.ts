import { optional, timestamp } from "./api-values.ts"
import type { Work, WorkStatus } from "../contract/resources.ts"
import type { ActiveClock } from "./active-clock.ts"
import type { EventLog } from "./event-log.ts"
import { notVisible } from "./problems.ts"
import { int64, integer, oneOf, optionalInteger, optionalText, text } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store, Transaction } from "./store/store.ts"

const STATUSES = ["working", "needs_you", "paused", "done"] as const
const PRIORITIES = ["low", "normal", "high", "urgent"] as const
const SCOPES = ["private", "team", "organization"] as const

/**
 * A change of a Work. `left` is its remaining execution time in milliseconds; undefined when the Work has no limit, or its clock is stopped.
 */
export type WorkChange = { readonly workId: string; readonly status: WorkStatus; readonly left: number | undefined }

/** Keeps the status, the version and the execution time of each Work up to date. `updateStatus` does this after each change of a Work. */
export class WorkState {
  readonly #store: Store
  readonly #events: EventLog
  readonly #clock: ActiveClock
  /** The clock's time since which the execution of a Work with a limit is not stored, by the Work's id. */
  readonly #executing = new Map<string, number>()
  /** The clock's time at which `stopClock` stopped the execution time of a Work, by the Work's id. */
  readonly #stopped = new Map<string, number>()
  #listener: (change: WorkChange) => void = () => {}

  constructor(store: Store, events: EventLog, clock: ActiveClock) {
    this.#store = store
    this.#events = events
    this.#clock = clock
  }

  /** Calls `listener` after each commit in which `updateStatus` was called. */
  listen(listener: (change: WorkChange) => void): void {
    this.#listener = listener
  }

  /** Gives the row of an account's Work. @throws Refusal 404, the same for an unknown Work and for another account's Work */
  find(id: string, { account }: { readonly account: string }): Row {
    const row = this.#store.get("SELECT * FROM work WHERE id = ? AND account = ?", id, account)
    if (row === undefined) throw notVisible()
    return row
  }

  /**
   * Computes a Work's status and current clarification again, within the transaction that changed the Work. Raises the version when one of
   * them changed. With `completionSummary` the Work becomes `done`. docs/embedded-service.md ("Status of Work") has the rule.
   */
  updateStatus(transaction: Transaction, workId: string, completionSummary?: string): void {
    const row = this.#row(workId)
    const before = oneOf(row, "status", STATUSES)
    if (before === "done") return
    const now = Date.now()
    const open = this.#store.get(
      "SELECT id, title FROM attention WHERE work_id = ? AND status = 'open' ORDER BY number LIMIT 1",
      workId,
    )
    this.recordExecution(workId)
    const left = this.#executionLeft(workId)
    const status = this.#statusOf(workId, completionSummary, open, left)
    if (status === "working" && left !== undefined) this.#executing.set(workId, this.#now(workId))
    else this.#executing.delete(workId)
    if (status !== before || open?.["id"] !== (row["current_attention_id"] ?? undefined)) {
      this.#store.run(
        `UPDATE work SET status = ?, version = version + 1, updated_at = max(updated_at, ?), current_attention_id = ?,
           attention_question = ?, completion_summary = ? WHERE id = ?`,
        status,
        now,
        open?.["id"] ?? null,
        open?.["title"] ?? null,
        completionSummary ?? null,
        workId,
      )
      this.#appendStatusEvent(transaction, workId, status, now)
    }
    transaction.afterCommit(() =>
      this.#listener({ workId, status, left: this.#stopped.has(workId) ? undefined : left }),
    )
  }

  /**
   * Stores the execution time of a Work with a limit up to now, within a transaction. A killed process loses the time since its last step.
   */
  recordExecution(workId: string): void {
    const since = this.#executing.get(workId)
    if (since === undefined) return
    const now = this.#now(workId)
    this.#executing.set(workId, now)
    this.#store.run("UPDATE work SET executed_ms = executed_ms + ? WHERE id = ?", Math.round(now - since), workId)
  }

  /** Stops the execution time of a Work, whose colleague waits for a thread. */
  stopClock(workId: string): void {
    if (!this.#stopped.has(workId)) this.#stopped.set(workId, this.#clock.now())
  }

  /** Lets the execution time of a Work go on. Gives what is left of it in milliseconds; undefined when the Work has no limit. */
  startClock(workId: string): number | undefined {
    const stopped = this.#stopped.get(workId)
    const since = this.#executing.get(workId)
    this.#stopped.delete(workId)
    if (stopped === undefined || since === undefined) return undefined
    this.#executing.set(workId, since + this.#clock.now() - stopped)
    const left = this.#executionLeft(workId)
    return left === undefined ? undefined : left - Math.max(0, stopped - since)
  }

  #now(workId: string): number {
    return this.#stopped.get(workId) ?? this.#clock.now()
  }

  /** Updates the status of every unfinished Work after a start of the service. */
  async resume(): Promise<void> {
    await this.#store.effect((transaction) => {
      const unfinished = "SELECT id FROM work INDEXED BY work_unfinished WHERE status <> 'done' ORDER BY number"
      for (const row of this.#store.all(unfinished)) this.updateStatus(transaction, text(row, "id"))
    })
  }

  /** Stores the execution times of all Work before the service stops. */
  async storeExecutionTimes(): Promise<void> {
    await this.#store.effect(() => {
      for (const workId of this.#executing.keys()) this.recordExecution(workId)
    })
  }

  /** The remaining execution time of a Work in milliseconds. Undefined: the Work has no limit. */
  #executionLeft(workId: string): number | undefined {
    const row = this.#row(workId)
    const limit = optionalInteger(row, "execution_limit_ms")
    return limit === undefined ? undefined : limit - integer(row, "executed_ms")
  }

  #row(id: string): Row {
    const row = this.#store.get("SELECT * FROM work WHERE id = ?", id)
    if (row === undefined) throw new Error(`there is no Work ${id}`)
    return row
  }

  #statusOf(
    workId: string,
    completionSummary: string | undefined,
    open: Row | undefined,
    left: number | undefined,
  ): WorkStatus {
    if (completionSummary !== undefined) return "done"
    const pending = this.#store.get("SELECT 1 FROM approval WHERE work_id = ? AND status = 'pending' LIMIT 1", workId)
    if (open !== undefined || pending !== undefined) return "needs_you"
    return left !== undefined && left <= 0 ? "paused" : "working"
  }

  #appendStatusEvent(transaction: Transaction, workId: string, status: WorkStatus, now: number): void {
    const { version, attention_question, completion_summary } = toWork(this.#row(workId))
    const messages: Record<WorkStatus, string> = {
      working: "Working",
      needs_you: attention_question === undefined ? "Waiting for a decision" : "Waiting for an answer",
      paused: "Paused: the execution limit is used up",
      done: completion_summary ?? "Done",
    }
    this.#events.append(transaction, workId, `work.${status}`, { message: messages[status], status, version }, now)
  }
}

/** Converts a row of the table `work` to the API's Work. */
export function toWork(row: Row): Work {
  return {
    id: text(row, "id"),
    title: text(row, "title"),
    objective: text(row, "objective"),
    status: oneOf(row, "status", STATUSES),
    colleague_id: text(row, "colleague_id"),
    human_owner_id: text(row, "owner"),
    visibility_scope: oneOf(row, "visibility_scope", SCOPES),
    priority: oneOf(row, "priority", PRIORITIES),
    ...optional("due_at", optionalText(row, "due_at")),
    version: int64(row, "version"),
    created_by: text(row, "account"),
    created_at: timestamp(integer(row, "created_at")),
    updated_at: timestamp(integer(row, "updated_at")),
    ...optional("current_attention_id", optionalText(row, "current_attention_id")),
    ...optional("attention_question", optionalText(row, "attention_question")),
    ...optional("completion_summary", optionalText(row, "completion_summary")),
  }
}
