/** Keeps the approvals that the desk has read beyond the life of a process. Every method rejects while the store is away. */
import type { KnownWork } from "../waiting/done-work-reads.ts"
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

export class KnownApprovalStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Gives the newest approvals, and the newest done Works by id. At most `limit` of each, the oldest first. */
  async load(limit: number) {
    const { read } = this.#database
    const rows = await read("SELECT * FROM known_approval ORDER BY known_at DESC LIMIT ?", limit)
    const works = await read(
      "SELECT work_id, version, scope, colleague FROM known_work ORDER BY known_at DESC LIMIT ?",
      limit,
    )
    return {
      approvals: rows.toReversed().map(toKnownApproval),
      doneWorks: new Map(works.toReversed().map((row) => [String(row["work_id"]), toKnownWork(row)])),
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
    for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
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
