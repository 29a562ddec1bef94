/** Keeps the approvals that the desk has read in its store. */
import type { KnownApproval, KnownApprovalStore } from "../contract/known-approval.ts"
import type { Database, Row } from "./store/database.ts"

export function openKnownApprovals(database: Database): KnownApprovalStore {
  return {
    async load(limit) {
      const rows = await database.read("SELECT * FROM known_approval ORDER BY known_at DESC LIMIT ?", limit)
      const works = await database.read("SELECT work_id, version FROM known_work")
      return {
        approvals: rows.map(toKnownApproval),
        doneWorks: new Map(works.map((row) => [String(row["work_id"]), String(row["version"])])),
      }
    },

    async save(approvals) {
      for (const { workId, approvalId, destination, colleague, status, createdAt, resolvedAt, knownAt } of approvals) {
        await database.write(
          `INSERT INTO known_approval
             (work_id, approval_id, destination, colleague, status, created_at, resolved_at, known_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (work_id, approval_id) DO UPDATE SET status = excluded.status, resolved_at = excluded.resolved_at`,
          workId,
          approvalId,
          destination,
          colleague,
          status,
          createdAt,
          resolvedAt ?? null,
          knownAt,
        )
      }
    },

    async saveDoneWork(workId, version) {
      await database.write(
        `INSERT INTO known_work (work_id, version) VALUES (?, ?)
         ON CONFLICT (work_id) DO UPDATE SET version = excluded.version`,
        workId,
        version,
      )
    },
  }
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
