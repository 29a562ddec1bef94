/** Keeps the approvals that the desk has read beyond the life of a process. Every method rejects while the store is away. */
import * as v from "valibot"
import type { KnownWork } from "../waiting/done-work-reads.ts"
import { Turns } from "../platform/turns.ts"
import type { Database, Value } from "../store/database.ts"
import { optional, select, upsert } from "../store/tables.ts"

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
/** SQLite reads so many rows within a few milliseconds. */
const ROWS_PER_PAGE = 1_000

export class KnownApprovalStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Gives the newest approvals, and the newest done Works by id. At most `limit` of each, the oldest first. */
  async load(limit: number) {
    const approvals = await this.#readNewest(
      knownApproval,
      "known_approval",
      ["known_at", "work_id", "approval_id"],
      (last) => [last.knownAt, last.workId, last.approvalId],
      limit,
    )
    const works = await this.#readNewest(
      knownWork,
      "known_work",
      ["known_at", "work_id"],
      (last) => [last.knownAt, last.workId],
      limit,
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

  /** Reads the newest rows, the newest first. One statement for all of them would block the desk for as long as it takes. */
  async #readNewest<Read>(
    schema: v.GenericSchema<unknown, Read>,
    table: string,
    order: readonly string[],
    placeOf: (row: Read) => readonly Value[],
    limit: number,
  ): Promise<Read[]> {
    const rows: Read[] = []
    const columns = order.join(", ")
    const turns = new Turns()
    for (;;) {
      const last = rows.at(-1)
      const page = await select(
        this.#database,
        schema,
        `SELECT * FROM ${table}
           ${last === undefined ? "" : `WHERE (${columns}) < (${order.map(() => "?").join(", ")})`}
           ORDER BY ${order.map((column) => `${column} DESC`).join(", ")} LIMIT ?`,
        ...(last === undefined ? [] : placeOf(last)),
        Math.min(ROWS_PER_PAGE, limit - rows.length),
      )
      rows.push(...page)
      if (page.length < ROWS_PER_PAGE || rows.length >= limit) return rows
      await turns.next()
    }
  }

  /** Stores approvals, each at most once in a call. An approval that is stored already gets the new destination, status and time of resolution. */
  async save(approvals: readonly KnownApproval[]): Promise<void> {
    const key = ["workId", "approvalId"]
    const options = { key, kept: ["colleague", "createdAt", "knownAt"] }
    await inSteps(approvals, (some) => upsert(this.#database, "known_approval", options, ...some))
  }

  /** Removes approvals. */
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
