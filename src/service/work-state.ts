import type { Work, WorkStatus } from "../contract/resources.ts"
import type { ActiveClock } from "./active-clock.ts"
import type { EventLog } from "./event-log.ts"
import { notVisible } from "./problems.ts"
import { int64, integer, oneOf, optional, optionalInteger, optionalText, text, timestamp } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store, Transaction } from "./store/store.ts"

const STATUSES = ["working", "needs_you", "paused", "done"] as const
const PRIORITIES = ["low", "normal", "high", "urgent"] as const
const SCOPES = ["private", "team", "organization"] as const

/** A change of a Work. `left` is the execution time that it has left, in milliseconds. */
export type WorkChange = { readonly workId: string; readonly status: WorkStatus; readonly left: number | undefined }

/** The state of Work. Its status follows from its open questions and approvals, and its version counts every change. */
export class WorkState {
  readonly #store: Store
  readonly #events: EventLog
  readonly #clock: ActiveClock
  /** Since when the Works with an execution limit are being executed, by the clock. */
  readonly #executing = new Map<string, number>()
  #listener: (change: WorkChange) => void = () => {}

  constructor(store: Store, events: EventLog, clock: ActiveClock) {
    this.#store = store
    this.#events = events
    this.#clock = clock
  }

  /** Calls `listener` after each commit that settled a Work. */
  listen(listener: (change: WorkChange) => void): void {
    this.#listener = listener
  }

  /** The account's Work. @throws Refusal 404, the same for an unknown Work and for another account's */
  find(id: string, { account }: { readonly account: string }): Row {
    const row = this.#store.get("SELECT * FROM work WHERE id = ? AND account = ?", id, account)
    if (row === undefined) throw notVisible()
    return row
  }

  /**
   * Brings a Work's status, its current clarification and its version up to date, within the transaction that changed the Work. With
   * `completionSummary` the Work is done.
   *
   * A Work is `needs_you` while a clarification is open or an approval pending, `paused` when its execution limit is used up, else
   * `working`, until it is `done`. Only the time as `working` counts as execution.
   */
  settle(transaction: Transaction, workId: string, completionSummary?: string): void {
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
    if (status === "working" && left !== undefined) this.#executing.set(workId, this.#clock.now())
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
      this.#tell(transaction, workId, status, now)
    }
    transaction.afterCommit(() => this.#listener({ workId, status, left }))
  }

  /**
   * Stores the execution time of a Work that has a limit, within a transaction. A process that is killed loses the time since the last
   * step.
   */
  recordExecution(workId: string): void {
    const since = this.#executing.get(workId)
    if (since === undefined) return
    const now = this.#clock.now()
    this.#executing.set(workId, now)
    this.#store.run("UPDATE work SET executed_ms = executed_ms + ? WHERE id = ?", Math.round(now - since), workId)
  }

  /** Settles every unfinished Work, after a start. */
  async resume(): Promise<void> {
    await this.#store.effect((transaction) => {
      const unfinished = "SELECT id FROM work INDEXED BY work_unfinished WHERE status <> 'done' ORDER BY number"
      for (const row of this.#store.all(unfinished)) this.settle(transaction, text(row, "id"))
    })
  }

  /** Stores the execution times at the end of the process. */
  async rest(): Promise<void> {
    await this.#store.effect(() => {
      for (const workId of this.#executing.keys()) this.recordExecution(workId)
    })
  }

  /** The execution time that a Work has left, in milliseconds. Undefined: it has no limit. */
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

  #tell(transaction: Transaction, workId: string, status: WorkStatus, now: number): void {
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

/** Work as the API shows it. */
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
