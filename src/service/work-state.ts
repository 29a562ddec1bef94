/** Changes of a Work: its row, its version and the event of each change. */
import { optional, timestamp } from "./api-values.ts"
import type { Work, WorkStatus } from "../contract/resources.ts"
import type { EventLog } from "./event-log.ts"
import { ExecutionClock } from "./execution-clock.ts"
import { visible } from "./problems.ts"
import { int64, integer, oneOf, optionalInteger, optionalText, type Row, text } from "./store/sqlite-row.ts"
import type { Store } from "./store/store.ts"

const STATUSES = ["working", "needs_you", "paused", "done"] as const
const PRIORITIES = ["low", "normal", "high", "urgent"] as const
const SCOPES = ["private", "team", "organization"] as const

export type WorkChange = { readonly workId: string; readonly status: WorkStatus }

/** Keeps the status, the version and the execution time of each Work up to date. `updateStatus` does this after each change of a Work. */
export class WorkState {
  readonly #store: Store
  readonly #events: EventLog
  readonly #clock: ExecutionClock
  #listener: (change: WorkChange) => void = () => {}

  /** `time` is a monotonic clock in milliseconds. */
  constructor(store: Store, events: EventLog, time?: () => number) {
    this.#store = store
    this.#events = events
    // `updateStatus` finds the limit used up and pauses the Work. If it fails, the clock's next tick calls this again.
    const onLimitReached = (workId: string) => void store.effect(() => this.updateStatus(workId)).catch(() => {})
    this.#clock = new ExecutionClock(onLimitReached, time)
  }

  /** Calls `listener` after each commit in which `updateStatus` was called. */
  listen(listener: (change: WorkChange) => void): void {
    this.#listener = listener
  }

  /** Returns the row of an account's Work. @throws ProblemError 404, the same for an unknown Work and for another account's Work */
  find(id: string, { account }: { readonly account: string }): Row {
    return visible(this.#store.get("SELECT * FROM work WHERE id = ? AND account = ?", id, account))
  }

  /**
   * Computes a Work's status and current clarification again, within the effect that changed the Work (docs/embedded-service.md, "Status of Work").
   * Raises the version when one of them changed. With `completionSummary` the Work becomes `done`.
   */
  updateStatus(workId: string, completionSummary?: string): void {
    const row = this.#row(workId)
    const before = oneOf(row, "status", STATUSES)
    if (before === "done") return
    const open = this.#store.get(
      "SELECT id, title FROM attention WHERE work_id = ? AND status = 'open' ORDER BY number LIMIT 1",
      workId,
    )
    this.recordExecution(workId)
    const limitMs = optionalInteger(row, "execution_limit_ms") ?? Infinity
    // Only a Work that the clock counts has a newer time there than in its row.
    const executedMs = this.#clock.executedMs(workId) ?? integer(row, "executed_ms")
    const isUsedUp = executedMs >= limitMs
    const status = completionSummary === undefined ? this.#statusOf(workId, open !== undefined, isUsedUp) : "done"
    const attentionId = open?.["id"] ?? null
    if (status !== before || attentionId !== row["current_attention_id"]) {
      this.#store.run(
        `UPDATE work SET status = ?, version = version + 1, updated_at = max(updated_at, ?), current_attention_id = ?,
           attention_question = ?, completion_summary = ? WHERE id = ?`,
        status,
        Date.now(),
        attentionId,
        open?.["title"] ?? null,
        completionSummary ?? null,
        workId,
      )
      this.#appendStatusEvent(workId, status)
    }
    this.#store.afterCommit(() => {
      if (status !== "working" || limitMs === Infinity) this.#clock.end(workId)
      else this.#clock.begin(workId, executedMs, limitMs)
      this.#listener({ workId, status })
    })
  }

  /** Stores the execution time of a Work with a limit, within an effect. A killed process loses the time since its last step. */
  recordExecution(workId: string): void {
    const executedMs = this.#clock.executedMs(workId)
    if (executedMs === undefined) return
    this.#store.run("UPDATE work SET executed_ms = ? WHERE id = ?", Math.round(executedMs), workId)
  }

  /** Lets the execution time of a Work stand still while its colleague waits for a thread, and go on afterwards. */
  setClockRunning(workId: string, isRunning: boolean): void {
    this.#clock.setRunning(workId, isRunning)
  }

  /** Updates the status of every unfinished Work after a start of the service. */
  async resume(): Promise<void> {
    await this.#store.effect(() => {
      const unfinished = "SELECT id FROM work INDEXED BY work_unfinished WHERE status <> 'done' ORDER BY number"
      for (const row of this.#store.all(unfinished)) this.updateStatus(text(row, "id"))
    })
  }

  /** Stores the execution times of all Work before the service stops. */
  async close(): Promise<void> {
    this.#clock.close()
    await this.#store.effect(() => {
      for (const workId of this.#clock.workIds()) this.recordExecution(workId)
    })
  }

  #row(id: string): Row {
    return this.#store.one("SELECT * FROM work WHERE id = ?", id)
  }

  /** The status of a Work that is not done. A Work that waits for its owner is `needs_you` also when its execution time is used up. */
  #statusOf(workId: string, hasOpenAttention: boolean, isUsedUp: boolean): WorkStatus {
    const pending = "SELECT 1 FROM approval WHERE work_id = ? AND status = 'pending' LIMIT 1"
    if (hasOpenAttention || this.#store.get(pending, workId) !== undefined) return "needs_you"
    return isUsedUp ? "paused" : "working"
  }

  #appendStatusEvent(workId: string, status: WorkStatus): void {
    const { version, attention_question, completion_summary } = toWork(this.#row(workId))
    const messages: Record<WorkStatus, string> = {
      working: "Working",
      needs_you: attention_question === undefined ? "Waiting for a decision" : "Waiting for an answer",
      paused: "Paused: the execution limit is used up",
      done: completion_summary ?? "Done",
    }
    this.#events.append(workId, `work.${status}`, { message: messages[status], status, version })
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
