import type { Work, WorkStatus } from "../contract/resources.ts"
import type { EventLog } from "./event-log.ts"
import { notVisible } from "./problems.ts"
import { int64, integer, oneOf, optional, optionalInteger, optionalText, text, timestamp } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store, Transaction } from "./store/store.ts"

const STATUSES = ["working", "needs_you", "paused", "done"] as const
const PRIORITIES = ["low", "normal", "high", "urgent"] as const
const SCOPES = ["private", "team", "organization"] as const

/** What the colleagues' runtime has to know when something about a Work changed; `left` is the execution time left, in ms. */
export type WorkChange = { readonly workId: string; readonly status: WorkStatus; readonly left: number | undefined }

/** The state of Work: its status follows from what is open, and its version counts every change. */
export class WorkState {
  readonly #store: Store
  readonly #events: EventLog
  #listener: (change: WorkChange) => void = () => {}

  constructor(store: Store, events: EventLog) {
    this.#store = store
    this.#events = events
  }

  /** Calls `listener` after each commit that settled a Work. */
  listen(listener: (change: WorkChange) => void): void {
    this.#listener = listener
  }

  /** The account's Work. @throws Refusal 404, one for the unknown and the concealed */
  find(id: string, { account }: { readonly account: string }): Row {
    const row = this.#store.get("SELECT * FROM work WHERE id = ? AND account = ?", id, account)
    if (row === undefined) throw notVisible()
    return row
  }

  /**
   * Brings a Work's status, its current clarification and its version up to date with what is open, within the
   * transaction that changed it. With `completionSummary` the Work is done.
   *
   * The design: `needs_you` while a clarification is open or an approval pending, `paused` when the execution limit is
   * used up, else `working`, until `done`. Only time as `working` is execution.
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
    const executed = executedUntil(row, now)
    const left = limitOf(row) - executed
    const status = this.#statusOf(workId, completionSummary, open, left)
    this.#store.run(
      "UPDATE work SET executed_ms = ?, executing_since = ? WHERE id = ?",
      executed,
      status === "working" ? now : null,
      workId,
    )
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
    transaction.afterCommit(() => this.#listener({ workId, status, left: Number.isFinite(left) ? left : undefined }))
  }

  /** Says anew what every unfinished Work's state is, with the execution time of a process that was killed counted up to its last event. */
  async resume(): Promise<void> {
    await this.#store.effect((transaction) => {
      for (const row of this.#store.all(
        "SELECT * FROM work INDEXED BY work_unfinished WHERE status <> 'done' ORDER BY number",
      )) {
        const id = text(row, "id")
        const last = this.#store.get(
          "SELECT occurred_at FROM event WHERE work_id = ? ORDER BY sequence DESC LIMIT 1",
          id,
        )
        const until = last === undefined ? 0 : integer(last, "occurred_at")
        this.#store.run(
          "UPDATE work SET executed_ms = ?, executing_since = NULL WHERE id = ?",
          executedUntil(row, until),
          id,
        )
        this.settle(transaction, id)
      }
    })
  }

  /** Stops counting execution time; nothing is executed while no process runs. */
  async rest(): Promise<void> {
    await this.#store.effect(() => {
      const now = Date.now()
      this.#store.run(
        "UPDATE work SET executed_ms = executed_ms + max(0, ? - executing_since), executing_since = NULL WHERE status <> 'done' AND executing_since IS NOT NULL",
        now,
      )
    })
  }

  #row(id: string): Row {
    const row = this.#store.get("SELECT * FROM work WHERE id = ?", id)
    if (row === undefined) throw new Error(`there is no Work ${id}`)
    return row
  }

  #statusOf(workId: string, completionSummary: string | undefined, open: Row | undefined, left: number): WorkStatus {
    if (completionSummary !== undefined) return "done"
    const pending = this.#store.get("SELECT 1 FROM approval WHERE work_id = ? AND status = 'pending' LIMIT 1", workId)
    if (open !== undefined || pending !== undefined) return "needs_you"
    return left <= 0 ? "paused" : "working"
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

function executedUntil(row: Row, now: number): number {
  const since = optionalInteger(row, "executing_since")
  return integer(row, "executed_ms") + (since === undefined ? 0 : Math.max(0, now - since))
}

function limitOf(row: Row): number {
  return optionalInteger(row, "execution_limit_ms") ?? Number.POSITIVE_INFINITY
}
