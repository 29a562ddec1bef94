/** Keeps the approvals that the desk has read beyond the life of a process. Every method rejects while the store is away. */
import type { KnownWork } from "../waiting/done-work-reads.ts"
import { Turns } from "../platform/turns.ts"
import type { Database, Row, Value } from "../store/database.ts"

/** What the desk remembers of an approval that it has read: no summary, subject, body or comment. */
export type KnownApproval = {
  readonly workId: string
  readonly approvalId: string
  readonly destination: string
  readonly colleague: string
  readonly status: string
  /** ISO 8601 in UTC; empty when the upstream's text is no date. */
  readonly createdAt: string
  /** ISO 8601 in UTC; undefined while the approval is pending. */
  readonly resolvedAt: string | undefined
  /** When this desk read the approval for the first time, in milliseconds since 1970. */
  readonly knownAt: number
}

/** Many rows go into one statement, because each statement is one write to the disk. */
const ROWS_PER_STATEMENT = 200
/** SQLite reads so many rows within a few milliseconds. */
const ROWS_PER_PAGE = 1_000

export class KnownApprovalStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Gives the newest approvals, and the newest done Works by id. At most `limit` of each, the oldest first. */
  async load(limit: number) {
    const approvals = await this.#readNewest("known_approval", ["known_at", "work_id", "approval_id"], limit)
    const works = await this.#readNewest("known_work", ["known_at", "work_id"], limit)
    const turns = new Turns()
    const loaded = { approvals: Array<KnownApproval>(), doneWorks: new Map<string, KnownWork>() }
    for (const row of approvals.toReversed()) {
      if (turns.isOver()) await turns.next()
      loaded.approvals.push(toKnownApproval(row))
    }
    for (const row of works.toReversed()) {
      if (turns.isOver()) await turns.next()
      loaded.doneWorks.set(String(row["work_id"]), toKnownWork(row))
    }
    return loaded
  }

  /** Reads the newest rows, the newest first. One statement for all of them would block the desk for as long as it takes. */
  async #readNewest(table: string, order: readonly string[], limit: number): Promise<Row[]> {
    const rows: Row[] = []
    const columns = order.join(", ")
    const turns = new Turns()
    for (;;) {
      const last = rows.at(-1)
      const after = last === undefined ? [] : order.map((column) => last[column] ?? null)
      const page = await this.#database.read(
        `SELECT * FROM ${table}
           ${last === undefined ? "" : `WHERE (${columns}) < (${order.map(() => "?").join(", ")})`}
           ORDER BY ${order.map((column) => `${column} DESC`).join(", ")} LIMIT ?`,
        ...after,
        Math.min(ROWS_PER_PAGE, limit - rows.length),
      )
      rows.push(...page)
      if (page.length < ROWS_PER_PAGE || rows.length >= limit) return rows
      await turns.next()
    }
  }

  /** Stores approvals, each at most once in a call. An approval that is stored already gets the new destination, status and time of resolution. */
  async save(approvals: readonly KnownApproval[]): Promise<void> {
    await this.#writeRows(
      `INSERT INTO known_approval
         (work_id, approval_id, destination, colleague, status, created_at, resolved_at, known_at) VALUES`,
      approvals.map(({ workId, approvalId, destination, colleague, status, createdAt, resolvedAt, knownAt }) => {
        return [workId, approvalId, destination, colleague, status, createdAt, resolvedAt ?? null, knownAt]
      }),
      `ON CONFLICT (work_id, approval_id) DO UPDATE
         SET destination = excluded.destination, status = excluded.status, resolved_at = excluded.resolved_at`,
    )
  }

  /** Removes approvals. */
  async forget(approvals: readonly KnownApproval[]): Promise<void> {
    const rows = approvals.map(({ workId, approvalId }) => [workId, approvalId])
    await this.#writeRows("DELETE FROM known_approval WHERE (work_id, approval_id) IN (VALUES", rows, ")")
  }

  /** Stores in which version each done Work was read (by the Work's id), so that the Work is not read again. */
  async saveDoneWorks(works: ReadonlyMap<string, KnownWork>): Promise<void> {
    await this.#writeRows(
      "INSERT INTO known_work (work_id, version, scope, colleague, known_at) VALUES",
      [...works].map(([id, { version, facts }]) => {
        return [id, version, facts?.scope ?? null, facts?.colleague ?? null, Date.now()]
      }),
      `ON CONFLICT (work_id) DO UPDATE SET version = excluded.version, scope = excluded.scope,
         colleague = excluded.colleague, known_at = excluded.known_at`,
    )
  }

  /** Runs a statement for all rows. The rows' values stand between `begin` and `end`. */
  async #writeRows(begin: string, rows: readonly (readonly Value[])[], end: string): Promise<void> {
    const turns = new Turns()
    for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
      if (turns.isOver()) await turns.next()
      const some = rows.slice(start, start + ROWS_PER_STATEMENT)
      const places = some.map((row) => `(${row.map(() => "?").join(", ")})`)
      await this.#database.write(`${begin} ${places.join(", ")} ${end}`, ...some.flat())
    }
  }
}

function toKnownWork({ version, scope, colleague }: Row): KnownWork {
  const isKnown = typeof scope === "string" && typeof colleague === "string"
  return { version: String(version), facts: isKnown ? { scope, colleague } : undefined }
}

function toKnownApproval(row: Row): KnownApproval {
  const text = (name: string) => String(row[name])
  return {
    workId: text("work_id"),
    approvalId: text("approval_id"),
    destination: text("destination"),
    colleague: text("colleague"),
    status: text("status"),
    createdAt: text("created_at"),
    resolvedAt: row["resolved_at"] === null ? undefined : text("resolved_at"),
    knownAt: Number(row["known_at"]),
  }
}
