/** What the record is asked before a mutation is sent. */
import type { Creation } from "../rules/rules.ts"
import type { Statements } from "../store/database.ts"
import type { RecordedDecision } from "./interface.ts"
import { type Intent, readRow } from "./rows.ts"

type Read = Pick<Statements, "read">

/** An intent under one Idempotency-Key. */
export type Attempt = {
  readonly sequence: number
  readonly personId: string
  /** Undefined where somebody has edited the row. */
  readonly intent: Intent | undefined
  readonly outcome: string
}

/** All intents under a key, oldest first. */
export async function attemptsWith({ read }: Read, keyHash: string): Promise<readonly Attempt[]> {
  const rows = await read(
    `SELECT asked.sequence, asked.person_id, asked.entry, answered.outcome
     FROM record AS asked LEFT JOIN record AS answered ON answered.sequence =
       (SELECT max(sequence) FROM record WHERE intent = asked.sequence AND sequence > asked.sequence)
     WHERE asked.key_hash = ? ORDER BY asked.sequence`,
    keyHash,
  )
  return rows.map((row) => {
    const intent = readRow(String(row["entry"]))
    return {
      sequence: Number(row["sequence"]),
      personId: String(row["person_id"]),
      intent: intent?.kind === "intent" ? intent : undefined,
      outcome: String(row["outcome"] ?? "unknown"),
    }
  })
}

/** Who created a Work through this desk, and whether the person has created Work whose answer was lost. */
export async function creationOf({ read }: Read, workId: string, personId: string): Promise<Creation> {
  const creators = await read(
    `SELECT DISTINCT person_id FROM record WHERE operation = 'createWork' AND person_id <> 'local'
     AND sequence IN (SELECT intent FROM record WHERE work_id = ?)`,
    workId,
  )
  const lost = await read(
    `SELECT sequence FROM record AS creation WHERE person_id = ? AND operation = 'createWork' AND NOT EXISTS
       (SELECT sequence FROM record WHERE intent = creation.sequence AND outcome IN ('recorded', 'refused'))
     LIMIT 1`,
    personId,
  )
  return { creators: creators.map((row) => String(row["person_id"])), isUnknown: lost.length > 0 }
}

/** Whether an intent still waits for an outcome other than `unknown`. */
export async function isUnsettled({ read }: Read, sequence: number): Promise<boolean> {
  const rows = await read(
    "SELECT outcome FROM record WHERE intent = ? AND outcome IN ('recorded', 'refused')",
    sequence,
  )
  return rows.length === 0
}

/** The decisions that the service has recorded since a moment, oldest first. */
export async function decisionsSince({ read }: Read, moment: number): Promise<readonly RecordedDecision[]> {
  const rows = await read(
    `SELECT entry, at FROM record AS decision WHERE operation = 'resolveWorkApproval' AND at >= ? AND EXISTS
       (SELECT sequence FROM record WHERE intent = decision.sequence AND outcome = 'recorded')
     ORDER BY sequence`,
    moment,
  )
  return rows.flatMap((row) => {
    const intent = readRow(String(row["entry"]))
    if (intent?.kind !== "intent") return []
    const { work_id: workId, item_id: approvalId, decision, person } = intent
    if (workId === undefined || approvalId === undefined || decision === undefined) return []
    return [{ workId, approvalId, decision, at: Number(row["at"]), person: person.name }]
  })
}
