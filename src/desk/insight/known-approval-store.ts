/** Stores the approvals that the desk has read. Every method rejects while the store is away. */
import * as v from "valibot"
import type { KnownWork } from "../watcher/done-work-reads.ts"
import { Turns } from "../../platform/turns.ts"
import type { Database } from "../store/database.ts"
import { optional, selectInPages, upsert } from "../store/tables.ts"

/** What the desk remembers of an approval that it has read: no summary, subject, body or comment. */
const knownApproval = v.object({
  workId: v.string(),
  approvalId: v.string(),
  destination: v.string(),
  colleague: v.string(),
  status: v.string(),
  /** ISO 8601 in UTC; empty when the upstream's text is no date. */
  createdAt: v.string(),
  /** ISO 8601 in UTC; undefined while the approval is pending. */
  resolvedAt: optional(v.string()),
  /** When this desk read the approval for the first time, in milliseconds since 1970. */
  knownAt: v.number(),
})

export type KnownApproval = Readonly<v.InferOutput<typeof knownApproval>>

const knownWork = v.object({
  workId: v.string(),
  version: v.string(),
  scope: optional(v.string()),
  colleague: optional(v.string()),
  knownAt: v.number(),
})

/** Many rows go into one statement, because each statement is one write to the disk. */
const ROWS_PER_STATEMENT = 200

const NEWEST_APPROVALS = `SELECT * FROM known_approval WHERE (known_at, work_id, approval_id) < (?, ?, ?)
  ORDER BY known_at DESC, work_id DESC, approval_id DESC`
const NEWEST_WORKS = `SELECT * FROM known_work WHERE (known_at, work_id) < (?, ?) ORDER BY known_at DESC, work_id DESC`
/** Later than every row. */
const LATEST = Number.MAX_SAFE_INTEGER

export class KnownApprovalStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the newest approvals, and the newest done Works by id. At most `limit` of each, the oldest first. */
  async load(limit: number) {
    const approvals = await collectFirst(
      limit,
      selectInPages(this.#database, knownApproval, NEWEST_APPROVALS, (last) => {
        return [last?.knownAt ?? LATEST, last?.workId ?? "", last?.approvalId ?? ""]
      }),
    )
    const works = await collectFirst(
      limit,
      selectInPages(this.#database, knownWork, NEWEST_WORKS, (last) => [last?.knownAt ?? LATEST, last?.workId ?? ""]),
    )
    const doneWorks = new Map<string, KnownWork>()
    const turns = new Turns()
    for (const { workId, version, scope, colleague } of works.toReversed()) {
      if (turns.isOver()) await turns.next()
      const isKnown = scope !== undefined && colleague !== undefined
      doneWorks.set(workId, { version, facts: isKnown ? { scope, colleague } : undefined })
    }
    return { approvals: approvals.toReversed(), doneWorks }
  }

  /** Stores approvals, each at most once in a call. An approval that is stored already gets the new destination, status and time of resolution. */
  async save(approvals: readonly KnownApproval[]): Promise<void> {
    const key = ["workId", "approvalId"]
    const options = { key, kept: ["colleague", "createdAt", "knownAt"] }
    await inSteps(approvals, (some) => upsert(this.#database, "known_approval", options, ...some))
  }

  async forget(approvals: readonly KnownApproval[]): Promise<void> {
    await inSteps(approvals, async (some) => {
      const sql = `DELETE FROM known_approval WHERE (work_id, approval_id) IN (VALUES ${some.map(() => "(?, ?)").join(", ")})`
      await this.#database.write(sql, ...some.flatMap(({ workId, approvalId }) => [workId, approvalId]))
    })
  }

  /** Stores in which version each done Work was read (by the Work's id), so that the Work is not read again. */
  async saveDoneWorks(works: ReadonlyMap<string, KnownWork>): Promise<void> {
    const rows = [...works].map(([workId, { version, facts }]) => {
      return { workId, version, scope: facts?.scope, colleague: facts?.colleague, knownAt: Date.now() }
    })
    await inSteps(rows, (some) => upsert(this.#database, "known_work", { key: ["workId"] }, ...some))
  }
}

async function collectFirst<Row>(limit: number, rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const taken: Row[] = []
  for await (const row of rows) if (taken.push(row) >= limit) break
  return taken
}

/** Runs `store` with some rows at a time, and lets requests run in between. */
async function inSteps<Stored>(
  rows: readonly Stored[],
  store: (some: readonly Stored[]) => Promise<void>,
): Promise<void> {
  const turns = new Turns()
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    if (turns.isOver()) await turns.next()
    await store(rows.slice(start, start + ROWS_PER_STATEMENT))
  }
}
