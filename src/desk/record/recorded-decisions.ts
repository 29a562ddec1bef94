/** Reads from the record which approvals were decided. */
import * as v from "valibot"
import { parseObject } from "../../platform/http/json-object.ts"
import type { Reader } from "../store/database.ts"
import { optional, selectInPages } from "../store/tables.ts"

/** A decision of this desk that the service has confirmed. */
export type RecordedDecision = {
  /** The sequence of its outcome in the record. */
  readonly sequence: number
  readonly workId: string
  readonly approvalId: string
  readonly decision: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly personId: string
}

/** Returns the decisions after a sequence, in the order of their sequences. Rejects while the record cannot be read. */
export type ReadDecisions = (after: number) => Promise<readonly RecordedDecision[]>

const decidedRow = v.object({
  sequence: v.number(),
  at: v.number(),
  workId: optional(v.string()),
  itemId: optional(v.string()),
  entry: v.string(),
  personId: v.string(),
})

const decided = v.object({ decision: v.string() })

/** The confirmed decisions, by the sequence of their outcome rows. A later row never has a smaller sequence. */
export async function decisionsAfter(store: Reader, after: number): Promise<readonly RecordedDecision[]> {
  const decisions: RecordedDecision[] = []
  const sql = `SELECT answered.sequence, asked.at, asked.work_id, asked.item_id, asked.entry, asked.person_id
    FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
    WHERE answered.outcome = 'recorded' AND answered.sequence > ? AND asked.operation = 'resolveWorkApproval'
    ORDER BY answered.sequence`
  for await (const row of selectInPages(store, decidedRow, sql, (last) => [last?.sequence ?? after])) {
    decisions.push(...toDecision(row))
  }
  return decisions
}

/** Empty if somebody has edited the row. */
function toDecision(row: v.InferOutput<typeof decidedRow>): readonly RecordedDecision[] {
  const { sequence, at, personId, workId, itemId: approvalId } = row
  const found = v.safeParse(decided, parseObject(row.entry))
  if (!found.success || workId === undefined || approvalId === undefined) return []
  return [{ sequence, workId, approvalId, decision: found.output.decision, at, personId }]
}
