/** Stores the approvals that the desk has read. */
import type { KnownApproval, KnownApprovalStore, KnownWork } from "../contract/approvals.ts"
import type { Database, Row, Value } from "../store/database.ts"

/** Many rows go into one statement, because each statement is one write to the disk. */
const ROWS_PER_STATEMENT = 200

export function openKnownApprovals(database: Database): KnownApprovalStore {
  return {
    async load(limit) {
      const rows = await database.read("SELECT * FROM known_approval ORDER BY known_at DESC LIMIT ?", limit)
      const works = await database.read(
        "SELECT work_id, version, scope, colleague FROM known_work ORDER BY known_at DESC LIMIT ?",
        limit,
      )
      return {
        approvals: rows.map(toKnownApproval),
        doneWorks: new Map(works.toReversed().map((row) => [String(row["work_id"]), toKnownWork(row)])),
      }
    },

    async save(approvals) {
      for (let start = 0; start < approvals.length; start += ROWS_PER_STATEMENT) {
        const rows = approvals.slice(start, start + ROWS_PER_STATEMENT)
        await database.write(
          `INSERT INTO known_approval
             (work_id, approval_id, destination, colleague, status, created_at, resolved_at, known_at)
           VALUES ${rows.map(() => "(?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}
           ON CONFLICT (work_id, approval_id) DO UPDATE
             SET destination = excluded.destination, status = excluded.status, resolved_at = excluded.resolved_at`,
          ...rows.flatMap(toValues),
        )
      }
    },

    async forget(approvals) {
      for (let start = 0; start < approvals.length; start += ROWS_PER_STATEMENT) {
        const rows = approvals.slice(start, start + ROWS_PER_STATEMENT)
        await database.write(
          `DELETE FROM known_approval WHERE (work_id, approval_id) IN (VALUES ${rows.map(() => "(?, ?)").join(", ")})`,
          ...rows.flatMap(({ workId, approvalId }) => [workId, approvalId]),
        )
      }
    },

    async saveDoneWorks(known) {
      const works = [...known]
      for (let start = 0; start < works.length; start += ROWS_PER_STATEMENT) {
        const rows = works.slice(start, start + ROWS_PER_STATEMENT)
        await database.write(
          `INSERT INTO known_work (work_id, version, scope, colleague, known_at)
           VALUES ${rows.map(() => "(?, ?, ?, ?, ?)").join(", ")}
           ON CONFLICT (work_id) DO UPDATE SET version = excluded.version, scope = excluded.scope,
             colleague = excluded.colleague, known_at = excluded.known_at`,
          ...rows.flatMap(([id, { version, facts }]) => [
            id,
            version,
            facts?.scope ?? null,
            facts?.colleague ?? null,
            Date.now(),
          ]),
        )
      }
    },
  }
}

function toValues(approval: KnownApproval): readonly Value[] {
  const { workId, approvalId, destination, colleague, status, createdAt, resolvedAt, knownAt } = approval
  return [workId, approvalId, destination, colleague, status, createdAt, resolvedAt ?? null, knownAt]
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
